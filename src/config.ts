import type { z } from 'zod';
import type { JobSettings } from './domain/job/worker/model.ts';
import type { SessionSettings } from './domain/session/model.ts';
import type { OpenIdSettings } from './drivers/identity/identity.ts';
import type { SimulatedOptions } from './drivers/region/simulated/simulated.ts';
import type { DigestSettings } from './drivers/registry/shared.ts';
import type { Executor } from './graphql/server/pipeline.ts';
import type { AllowedDocuments } from './graphql/trusted/plugin.ts';
import { type HttpLimits, httpLimits } from './http/http-limits.ts';
import type { IdempotencySettings } from './idempotency/held-keys.ts';
import type { Limits } from './kernel/limits.ts';
import { keyBytes, keyFile } from './kernel/secret-key.ts';
import { ConfigError, withSettingFiles } from './kernel/setting-file.ts';
import { conflictsOf, hourMs, minuteMs, settings } from './settings.ts';
import type { TelemetrySettings } from './telemetry/process-telemetry.ts';

/** The settings that can be read from the file in NAME_FILE. */
const fromFiles = [
  'DATABASE_URL',
  'DATABASE_LISTEN_URL',
  'SECRET_KEY',
  'NEW_SECRET_KEY',
  'BOOTSTRAP_TOKEN',
  'OIDC_CLIENT_SECRET',
];

export interface Config {
  host: string;
  port: number;
  /** The processes that share the port. */
  workers: number;
  databaseUrl: string;
  databasePool: number;
  /** Set for poolers in transaction mode. */
  databasePooler: 'transaction' | undefined;
  /** Where the process listens for the changes of others, if not at `databaseUrl`. */
  databaseListenUrl: string | undefined;
  databaseLockTimeoutMs: number;
  bootstrapToken: string | undefined;
  /** 32 bytes. */
  secretKey: Buffer;
  /** The key that follows, once a rotation has begun. */
  newSecretKey: Buffer | undefined;
  logLevel: string;
  /** 0 if slow requests are not logged. */
  slowRequestMs: number;
  telemetry: TelemetrySettings;
  graphiql: boolean;
  /** The executor of GraphQL operations. `graphql-js` is slower and for comparison. */
  executor: Executor;
  /** Which GraphQL documents are executed. */
  allowedDocuments: AllowedDocuments;
  /** A directory or file with documents that requests can name. */
  trustedDocumentsPath: string | undefined;
  /** Whether app stores at loopback and private addresses are allowed. */
  storeAllowPrivate: boolean;
  /** Whether registries of images at loopback and private addresses are allowed. */
  registryAllowPrivate: boolean;
  registryDigests: DigestSettings;
  trustAllowPrivate: boolean;
  regionAllowLocal: boolean;
  bodyLimitBytes: number;
  /** The origins whose pages may call this server from a browser. */
  corsOrigins: string[];
  /** The origin at which browsers reach this server. */
  publicUrl: string | undefined;
  /** Where users sign in. Undefined if only access tokens are accepted. */
  openId: OpenIdSettings | undefined;
  sessions: SessionSettings;
  /** After how many days memberships of groups end that the provider does not confirm. */
  membershipMaxDays: number;
  jobs: JobSettings;
  /** After how many days events are deleted. Undefined if they never are. */
  recordRetentionDays: number | undefined;
  jobRetentionDays: number;
  simulated: Partial<SimulatedOptions>;
  idempotency: Pick<IdempotencySettings, 'keepMs' | 'maxKeys' | 'maxBytes'>;
  shutdownTimeoutMs: number;
  limits: Limits;
  http: HttpLimits;
}

/** Reads the settings from the environment. Empty means not set. Throws a ConfigError with all problems. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const problems: string[] = [];
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const given = withSettingFiles(set, fromFiles, (text) => problems.push(text));
  const parsed = settings.safeParse(given);
  problems.push(...(parsed.error?.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`) ?? []));
  const url = given.DATABASE_URL ?? 'file:trellis.db';
  if (/^postgres/.test(url) && !given.SECRET_KEY && !given.SECRET_KEY_FILE) {
    problems.push('SECRET_KEY is required with a Postgres database: it encrypts credentials at rest');
  }
  problems.push(...(parsed.success ? conflictsOf(parsed.data) : []));
  if (!parsed.success || problems.length) throw new ConfigError(problems);
  const value = parsed.data;
  return {
    host: value.HOST,
    port: value.PORT,
    workers: value.WORKERS,
    databaseUrl: value.DATABASE_URL,
    databasePool: value.DATABASE_POOL,
    databasePooler: value.DATABASE_POOLER,
    databaseListenUrl: value.DATABASE_LISTEN_URL,
    databaseLockTimeoutMs: value.DATABASE_LOCK_TIMEOUT_MS,
    bootstrapToken: value.BOOTSTRAP_TOKEN,
    secretKey: value.SECRET_KEY
      ? keyBytes(value.SECRET_KEY)
      : keyFile(value.DATABASE_URL.slice('file:'.length)),
    newSecretKey: value.NEW_SECRET_KEY === undefined ? undefined : keyBytes(value.NEW_SECRET_KEY),
    logLevel: value.LOG_LEVEL,
    slowRequestMs: value.SLOW_REQUEST_MS,
    telemetry: {
      metrics:
        value.METRICS_PORT === undefined ? undefined : { host: value.METRICS_HOST, port: value.METRICS_PORT },
      traces:
        Boolean(value.OTEL_EXPORTER_OTLP_ENDPOINT ?? value.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) &&
        value.OTEL_TRACES_EXPORTER !== 'none' &&
        value.OTEL_SDK_DISABLED.toLowerCase() !== 'true',
    },
    graphiql: value.GRAPHIQL,
    executor: value.EXECUTOR,
    allowedDocuments: value.DOCUMENTS,
    trustedDocumentsPath: value.TRUSTED_DOCUMENTS,
    storeAllowPrivate: value.STORE_ALLOW_PRIVATE,
    registryAllowPrivate: value.REGISTRY_ALLOW_PRIVATE,
    registryDigests: {
      timeoutMs: value.REGISTRY_DIGEST_TIMEOUT_MS,
      callsPerRegistry: value.REGISTRY_CALLS_PER_HOST,
    },
    trustAllowPrivate: value.TRUST_ALLOW_PRIVATE,
    regionAllowLocal: value.REGION_ALLOW_LOCAL,
    bodyLimitBytes: value.BODY_LIMIT_KIB * 1024,
    corsOrigins: value.CORS_ORIGINS,
    publicUrl: value.PUBLIC_URL,
    openId: openIdOf(value),
    sessions: {
      recheckMs: value.SESSION_RECHECK_MINUTES * minuteMs,
      maxMs: value.SESSION_MAX_HOURS * hourMs,
    },
    membershipMaxDays: value.MEMBERSHIP_MAX_DAYS,
    jobs: {
      pollMs: value.JOB_POLL_MS,
      leaseMs: value.JOB_LEASE_MS,
      maxAttempts: value.JOB_MAX_ATTEMPTS,
      backoffMinMs: value.JOB_BACKOFF_MIN_MS,
      backoffMaxMs: value.JOB_BACKOFF_MAX_MS,
      callTimeoutMs: value.JOB_CALL_TIMEOUT_MS,
      deadlineMs: value.JOB_DEADLINE_MS,
    },
    recordRetentionDays: value.RECORD_RETENTION_DAYS,
    jobRetentionDays: value.JOB_RETENTION_DAYS,
    simulated: { delayMs: value.SIMULATED_DELAY_MS, failurePercent: value.SIMULATED_FAILURE_PERCENT },
    idempotency: {
      keepMs: value.IDEMPOTENCY_HOURS * hourMs,
      maxKeys: value.IDEMPOTENCY_KEYS_PER_USER,
      maxBytes: value.IDEMPOTENCY_MIB_PER_USER * 2 ** 20,
    },
    shutdownTimeoutMs: value.SHUTDOWN_TIMEOUT_MS,
    http: {
      ...httpLimits,
      maxRequests: value.MAX_REQUESTS,
      maxRequestsPerUser: value.MAX_REQUESTS_PER_USER ?? Math.ceil(value.MAX_REQUESTS / 4),
      maxRequestsPerAddress: value.MAX_REQUESTS_PER_ADDRESS ?? Math.ceil(value.MAX_REQUESTS / 4),
      maxConnections: value.MAX_CONNECTIONS,
      headersTimeoutMs: value.HEADERS_TIMEOUT_MS,
      receiveTimeoutMs: value.RECEIVE_TIMEOUT_MS,
      idleTimeoutMs: value.IDLE_TIMEOUT_MS,
      sendTimeoutMs: value.SEND_TIMEOUT_MS,
      maxSubscriptions: value.MAX_SUBSCRIPTIONS,
      maxSubscriptionsPerToken: value.MAX_SUBSCRIPTIONS_PER_TOKEN,
      heartbeatMs: value.HEARTBEAT_MS,
      requestsPerSecond: value.RATE_LIMIT_PER_SECOND,
      requestBurst: value.RATE_LIMIT_BURST,
      failedAuthenticationsPerMinute: value.FAILED_AUTHENTICATIONS_PER_MINUTE,
      trustProxy: value.TRUST_PROXY!,
    },
    limits: {
      tokens: value.LIMIT_TOKENS,
      brackets: value.LIMIT_BRACKETS,
      depth: value.LIMIT_DEPTH,
      fields: value.LIMIT_FIELDS,
      objects: value.LIMIT_OBJECTS,
      keys: value.LIMIT_KEYS,
      values: value.LIMIT_VALUES,
      textBytes: value.LIMIT_TEXT_KIB * 1024,
      expandedCharacters: value.LIMIT_EXPANDED_KIB * 1024,
      expandedValues: value.LIMIT_EXPANDED_VALUES,
      threadMs: value.LIMIT_THREAD_MS,
      planObjects: value.LIMIT_PLAN_OBJECTS,
      changeObjects: value.LIMIT_CHANGE_OBJECTS,
      applicationObjects: value.MAX_APPLICATION_OBJECTS,
      deployBytes: value.MAX_DEPLOY_KIB * 1024,
      requestTimeoutMs: value.REQUEST_TIMEOUT_MS,
      answersBytes: value.ANSWERS_MEMORY_MIB * 2 ** 20,
    },
  };
}

function openIdOf(value: z.output<typeof settings>): OpenIdSettings | undefined {
  if (value.OIDC_ISSUER === undefined) return undefined;
  return {
    issuer: value.OIDC_ISSUER,
    clientId: value.OIDC_CLIENT_ID!,
    clientSecret: value.OIDC_CLIENT_SECRET,
    scopes: value.OIDC_SCOPES,
    groupsClaim: value.OIDC_GROUPS_CLAIM,
    administratorGroup: value.OIDC_ADMINISTRATOR_GROUP,
    name: value.OIDC_NAME,
    prompt: value.OIDC_PROMPT,
    usesRefreshTokens: value.SESSION_RECHECK_MINUTES > 0,
  };
}
