import type { Limits } from './limits.ts';

/** The settings whose limits apply to callers. */
export interface LimitSettings {
  limits: Limits;
  http: Record<
    | `max${'Requests' | 'RequestsPerUser' | 'RequestsPerAddress' | 'Connections'}`
    | `max${'Subscriptions' | 'SubscriptionsPerToken'}`
    | `${'headers' | 'receive' | 'idle' | 'send'}TimeoutMs`
    | 'requestsPerSecond'
    | 'requestBurst'
    | 'failedAuthenticationsPerMinute'
    | 'heartbeatMs',
    number
  >;
  idempotency: Record<'keepMs' | 'maxKeys' | 'maxBytes', number>;
  bodyLimitBytes: number;
}

export const limitUnits = {
  COUNT: 'A number of the items that the limit is named after.',
  KIB: 'KiB (1024 bytes).',
  MIB: 'MiB (1024 KiB).',
  MILLISECONDS: 'Milliseconds.',
  HOURS: 'Hours.',
  PER_SECOND: 'Times per second.',
  PER_MINUTE: 'Times per minute.',
} as const;
export type LimitUnit = keyof typeof limitUnits;

/** Units, by the word for them in the name of a setting, and the stored amount that makes one. */
const unitWords: { [word: string]: readonly [unit: LimitUnit, size: number] } = {
  KIB: ['KIB', 1024],
  MIB: ['MIB', 2 ** 20],
  MS: ['MILLISECONDS', 1],
  HOURS: ['HOURS', 3_600_000],
  PER_SECOND: ['PER_SECOND', 1],
  PER_MINUTE: ['PER_MINUTE', 1],
};

interface LimitDefinition {
  description: string;
  /** As it is stored: in bytes or milliseconds. 0 or infinite for those that can be off and are. */
  read(settings: LimitSettings): number;
  /** Whether 0 means that there is no limit. */
  canBeOff?: boolean | undefined;
}

/** Limits that are fields of one part of the settings. */
const within =
  <P extends 'limits' | 'http' | 'idempotency'>(part: P) =>
  (field: keyof LimitSettings[P], description: string, canBeOff?: boolean): LimitDefinition => ({
    description,
    read: (settings) => settings[part][field] as number,
    canBeOff,
  });
const [ofRequest, ofHttp, ofKeys] = [within('limits'), within('http'), within('idempotency')];

/** The limits by the names of their settings. */
export const limitDefinitions = {
  BODY_LIMIT_KIB: { description: 'The largest request body.', read: (settings) => settings.bodyLimitBytes },
  LIMIT_TOKENS: ofRequest('tokens', 'Lexical tokens of a GraphQL document.'),
  LIMIT_BRACKETS: ofRequest('brackets', 'Nested brackets in a GraphQL document.'),
  LIMIT_DEPTH: ofRequest('depth', 'Nested selection sets.'),
  LIMIT_FIELDS: ofRequest('fields', 'Fields of an operation, including those of every use of a fragment.'),
  LIMIT_OBJECTS: ofRequest('objects', 'Objects that an operation could return if every page were full.'),
  LIMIT_KEYS: ofRequest('keys', 'Keys in a JSON body, at all depths.'),
  LIMIT_VALUES: ofRequest('values', 'Scalars and objects in one response.'),
  LIMIT_TEXT_KIB: ofRequest('textBytes', 'Text of one response.'),
  LIMIT_EXPANDED_KIB: ofRequest(
    'expandedCharacters',
    'A manifest after the expansion of its aliases, or four times the manifest if that is more.',
  ),
  LIMIT_EXPANDED_VALUES: ofRequest(
    'expandedValues',
    'Values in the JSON of a request, and in its manifests after the expansion of their aliases.',
  ),
  LIMIT_THREAD_MS: ofRequest(
    'threadMs',
    'Time of threads for parsing and writing the manifests of a request.',
  ),
  LIMIT_PLAN_OBJECTS: ofRequest(
    'planObjects',
    'Objects that a plan or a dry run can change for a caller who is not allowed to make the change. Dry runs of templates are not limited.',
  ),
  LIMIT_CHANGE_OBJECTS: ofRequest(
    'changeObjects',
    'Objects that one change creates, changes and deletes. A component counts eight, a gateway rule four and a variable half.',
  ),
  MAX_APPLICATION_OBJECTS: ofRequest(
    'applicationObjects',
    'Components, ports, variables, volumes, schedules, dependencies and gateway rules of one application together.',
  ),
  MAX_DEPLOY_KIB: ofRequest('deployBytes', 'Files and environment variables that one change deploys.'),
  ANSWERS_MEMORY_MIB: ofRequest(
    'answersBytes',
    'Estimated memory of all requests in progress and their responses.',
  ),
  REQUEST_TIMEOUT_MS: ofRequest('requestTimeoutMs', 'Time for processing a request.'),
  MAX_REQUESTS: ofHttp('maxRequests', 'Concurrent requests whose bodies have arrived.'),
  MAX_REQUESTS_PER_USER: ofHttp(
    'maxRequestsPerUser',
    'Concurrent requests of one user with all access tokens.',
  ),
  MAX_REQUESTS_PER_ADDRESS: ofHttp(
    'maxRequestsPerAddress',
    'Concurrent requests of one client address that are not authenticated yet.',
  ),
  MAX_CONNECTIONS: ofHttp('maxConnections', 'Open connections.'),
  HEADERS_TIMEOUT_MS: ofHttp('headersTimeoutMs', 'Time for the headers of a request to arrive.'),
  RECEIVE_TIMEOUT_MS: ofHttp('receiveTimeoutMs', 'Time for a whole request to arrive.'),
  IDLE_TIMEOUT_MS: ofHttp('idleTimeoutMs', 'Time for which an idle connection stays open.'),
  SEND_TIMEOUT_MS: ofHttp('sendTimeoutMs', 'Time for a client to read a response.'),
  MAX_SUBSCRIPTIONS: ofHttp('maxSubscriptions', 'Open subscriptions.'),
  MAX_SUBSCRIPTIONS_PER_TOKEN: ofHttp('maxSubscriptionsPerToken', 'Open subscriptions of one access token.'),
  HEARTBEAT_MS: ofHttp('heartbeatMs', 'Interval between heartbeats of an idle subscription.'),
  RATE_LIMIT_PER_SECOND: ofHttp(
    'requestsPerSecond',
    'Average requests with one access token, for each process of the gateway.',
    true,
  ),
  RATE_LIMIT_BURST: ofHttp('requestBurst', 'Requests with one access token in a burst.'),
  FAILED_AUTHENTICATIONS_PER_MINUTE: ofHttp(
    'failedAuthenticationsPerMinute',
    'Failed authentications from one client address, for each process of the gateway.',
    true,
  ),
  IDEMPOTENCY_HOURS: ofKeys(
    'keepMs',
    'Time for which the responses to requests with an `Idempotency-Key` are stored.',
  ),
  IDEMPOTENCY_KEYS_PER_USER: ofKeys('maxKeys', 'Stored idempotency keys of one user.'),
  IDEMPOTENCY_MIB_PER_USER: ofKeys('maxBytes', 'Data stored for the idempotency keys of one user.'),
} satisfies Record<string, LimitDefinition>;
export type LimitSetting = keyof typeof limitDefinitions;

export interface LimitValue {
  name: LimitSetting;
  /** Null if there is no limit. */
  value: number | null;
  unit: LimitUnit;
}

export const limitValues = (settings: LimitSettings): readonly LimitValue[] =>
  (Object.entries(limitDefinitions) as [LimitSetting, LimitDefinition][]).map(
    ([name, { read, canBeOff }]) => {
      const [word = ''] = /KIB|MIB|MS$|HOURS|PER_SECOND|PER_MINUTE/.exec(name) ?? [];
      const [unit, size] = unitWords[word] ?? ['COUNT', 1];
      const value = read(settings) / size;
      const isOff = !Number.isFinite(value) || (canBeOff === true && value === 0);
      return { name, unit, value: isOff ? null : value };
    },
  );
