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
  COUNT: 'A number of things, which the name of the limit says.',
  KIB: 'KiB (1024 bytes).',
  MIB: 'MiB (1024 KiB).',
  MILLISECONDS: 'Milliseconds.',
  HOURS: 'Hours.',
  PER_SECOND: 'Times per second.',
  PER_MINUTE: 'Times per minute.',
} as const;
export type LimitUnit = keyof typeof limitUnits;

interface LimitDefinition {
  unit: LimitUnit;
  description: string;
  /** In the unit. 0 or infinite for those that can be off and are. */
  read(settings: LimitSettings): number;
  /** Whether 0 means that there is no limit. */
  canBeOff?: true;
}

const of = (unit: LimitUnit, description: string, read: LimitDefinition['read']): LimitDefinition => ({
  unit,
  description,
  read,
});

/** The limits by the names of their settings. */
export const limitDefinitions = {
  BODY_LIMIT_KIB: of('KIB', 'The largest request body.', (of) => of.bodyLimitBytes / 1024),
  LIMIT_TOKENS: of('COUNT', 'Lexical tokens of a GraphQL document.', ({ limits }) => limits.tokens),
  LIMIT_BRACKETS: of('COUNT', 'Nested brackets in a GraphQL document.', ({ limits }) => limits.brackets),
  LIMIT_DEPTH: of('COUNT', 'Nested selection sets.', ({ limits }) => limits.depth),
  LIMIT_FIELDS: of(
    'COUNT',
    'Fields of an operation, including those of every use of a fragment.',
    ({ limits }) => limits.fields,
  ),
  LIMIT_OBJECTS: of(
    'COUNT',
    'Objects that an operation could return if every page were full.',
    ({ limits }) => limits.objects,
  ),
  LIMIT_KEYS: of('COUNT', 'Keys in a JSON body, at all depths.', ({ limits }) => limits.keys),
  LIMIT_VALUES: of('COUNT', 'Scalars and objects in one response.', ({ limits }) => limits.values),
  LIMIT_TEXT_KIB: of('KIB', 'Text of one response.', ({ limits }) => limits.textBytes / 1024),
  LIMIT_EXPANDED_KIB: of(
    'KIB',
    'A manifest after the expansion of its aliases, or four times the manifest if that is more.',
    ({ limits }) => limits.expandedCharacters / 1024,
  ),
  LIMIT_EXPANDED_VALUES: of(
    'COUNT',
    'Values in the JSON of a request, and in its manifests after the expansion of their aliases.',
    ({ limits }) => limits.expandedValues,
  ),
  LIMIT_THREAD_MS: of(
    'MILLISECONDS',
    'How long threads may parse and write the manifests of a request.',
    ({ limits }) => limits.threadMs,
  ),
  LIMIT_PLAN_OBJECTS: of(
    'COUNT',
    'Objects that a plan or a dry run may change of somebody who may not make the change. Dry runs of templates are not limited.',
    ({ limits }) => limits.planObjects,
  ),
  LIMIT_CHANGE_OBJECTS: of(
    'COUNT',
    'Components, ports, variables, volumes, schedules, dependencies and gateway rules that one change creates.',
    ({ limits }) => limits.changeObjects,
  ),
  MAX_APPLICATION_OBJECTS: of(
    'COUNT',
    'Components, ports, variables, volumes, schedules, dependencies and gateway rules of one application together.',
    ({ limits }) => limits.applicationObjects,
  ),
  MAX_DEPLOY_KIB: of(
    'KIB',
    'Files and environment variables that one change deploys.',
    ({ limits }) => limits.deployBytes / 1024,
  ),
  ANSWERS_MEMORY_MIB: of(
    'MIB',
    'Estimated memory of all requests in progress and their responses.',
    ({ limits }) => limits.answersBytes / 2 ** 20,
  ),
  REQUEST_TIMEOUT_MS: of(
    'MILLISECONDS',
    'How long a request may take.',
    ({ limits }) => limits.requestTimeoutMs,
  ),
  MAX_REQUESTS: of('COUNT', 'Concurrent requests whose bodies have arrived.', ({ http }) => http.maxRequests),
  MAX_REQUESTS_PER_USER: of(
    'COUNT',
    'Concurrent requests of one user with all access tokens.',
    ({ http }) => http.maxRequestsPerUser,
  ),
  MAX_REQUESTS_PER_ADDRESS: of(
    'COUNT',
    'Concurrent requests of one client address.',
    ({ http }) => http.maxRequestsPerAddress,
  ),
  MAX_CONNECTIONS: of('COUNT', 'Open connections.', ({ http }) => http.maxConnections),
  HEADERS_TIMEOUT_MS: of(
    'MILLISECONDS',
    'How long the headers of a request may take to arrive.',
    ({ http }) => http.headersTimeoutMs,
  ),
  RECEIVE_TIMEOUT_MS: of(
    'MILLISECONDS',
    'How long a whole request may take to arrive.',
    ({ http }) => http.receiveTimeoutMs,
  ),
  IDLE_TIMEOUT_MS: of(
    'MILLISECONDS',
    'How long an idle connection stays open.',
    ({ http }) => http.idleTimeoutMs,
  ),
  SEND_TIMEOUT_MS: of(
    'MILLISECONDS',
    'How long a client may take to read a response.',
    ({ http }) => http.sendTimeoutMs,
  ),
  MAX_SUBSCRIPTIONS: of('COUNT', 'Open subscriptions.', ({ http }) => http.maxSubscriptions),
  MAX_SUBSCRIPTIONS_PER_TOKEN: of(
    'COUNT',
    'Open subscriptions of one access token.',
    ({ http }) => http.maxSubscriptionsPerToken,
  ),
  HEARTBEAT_MS: of(
    'MILLISECONDS',
    'How often an idle subscription gets a sign of life.',
    ({ http }) => http.heartbeatMs,
  ),
  RATE_LIMIT_PER_SECOND: {
    ...of(
      'PER_SECOND',
      'Average requests with one access token, for each process of the gateway.',
      ({ http }) => http.requestsPerSecond,
    ),
    canBeOff: true,
  },
  RATE_LIMIT_BURST: of(
    'COUNT',
    'Requests with one access token in a burst.',
    ({ http }) => http.requestBurst,
  ),
  FAILED_AUTHENTICATIONS_PER_MINUTE: {
    ...of(
      'PER_MINUTE',
      'Failed authentications from one client address, for each process of the gateway.',
      ({ http }) => http.failedAuthenticationsPerMinute,
    ),
    canBeOff: true,
  },
  IDEMPOTENCY_HOURS: of(
    'HOURS',
    'How long the answers to requests with an `Idempotency-Key` are kept.',
    ({ idempotency }) => idempotency.keepMs / 3_600_000,
  ),
  IDEMPOTENCY_KEYS_PER_USER: of(
    'COUNT',
    'Keys that are kept for one user.',
    ({ idempotency }) => idempotency.maxKeys,
  ),
  IDEMPOTENCY_MIB_PER_USER: of(
    'MIB',
    'What is stored for the keys of one user.',
    ({ idempotency }) => idempotency.maxBytes / 2 ** 20,
  ),
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
    ([name, { unit, read, canBeOff }]) => {
      const value = read(settings);
      const isOff = !Number.isFinite(value) || (canBeOff === true && value === 0);
      return { name, unit, value: isOff ? null : value };
    },
  );
