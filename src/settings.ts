import { getHeapStatistics } from 'node:v8';
import { z } from 'zod';
import { jobDefaults } from './domain/job/worker/model.ts';
import { sessionDefaults } from './domain/session/model.ts';
import { simulatedDefaults } from './drivers/region/simulated/simulated.ts';
import { digestDefaults } from './drivers/registry/shared.ts';
import { parseTrustProxy } from './http/client-address.ts';
import { httpLimits } from './http/http-limits.ts';
import { idempotencyDefaults } from './idempotency/idempotency.ts';
import { defaultLimits } from './kernel/limits.ts';
import { isLoopbackHost } from './kernel/loopback.ts';
import { secretKey } from './kernel/secret-key.ts';

export const [minuteMs, hourMs] = [60_000, 3_600_000];

const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false'], 'must be true or false')
    .default(fallback ? 'true' : 'false')
    .transform((value) => value === 'true');

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`);

const integer = (min: number, max: number, fallback: number) => wholeNumber(min, max).default(fallback);

/** Where OpenTelemetry sends to. */
const httpUrl = z
  .string()
  .refine((value) => /^https?:/.test(value) && URL.canParse(value), 'must be an http or https URL');

/** The settings by their names in the environment. */
export const settings = z.object({
  HOST: z.string().min(1, 'must be an address to listen on').default('127.0.0.1'),
  PORT: integer(0, 65_535, 4000),
  WORKERS: integer(1, 64, 1),
  DATABASE_URL: z
    .string()
    .regex(/^(file:.+|postgres(ql)?:\/\/.+)$/, 'must start with file: or postgres://')
    // With an in-memory database, every connection would have its own.
    .refine((url) => !url.startsWith('file::'), 'must be a file, not a database in memory')
    .default('file:trellis.db'),
  DATABASE_POOL: integer(2, 200, 10),
  DATABASE_POOLER: z.literal('transaction', 'must be transaction').optional(),
  DATABASE_LISTEN_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\/.+$/, 'must start with postgres://')
    .optional(),
  DATABASE_LOCK_TIMEOUT_MS: integer(10, 600_000, 5_000),
  BOOTSTRAP_TOKEN: z
    .string()
    .min(32, 'must have at least 32 characters')
    .max(200, 'must have at most 200 characters')
    .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')
    .optional(),
  SECRET_KEY: secretKey.optional(),
  NEW_SECRET_KEY: secretKey.optional(),
  LOG_LEVEL: z
    .enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'must be a level from trace to fatal, or silent',
    )
    .default('info'),
  SLOW_REQUEST_MS: integer(0, 600_000, 1_000),
  METRICS_HOST: z.string().min(1, 'must be an address to listen on').default('127.0.0.1'),
  METRICS_PORT: wholeNumber(0, 65_535).optional(),
  // Settings of OpenTelemetry, whose packages read them, with further ones, from the environment.
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(['http/json', 'http/protobuf'], 'must be http/json or http/protobuf')
    .optional(),
  OTEL_SDK_DISABLED: z.string().default('false'),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none'], 'must be otlp or none').default('otlp'),
  GRAPHIQL: flag(true),
  EXECUTOR: z.enum(['planned', 'graphql-js'], 'must be planned or graphql-js').default('planned'),
  STORE_ALLOW_PRIVATE: flag(false),
  REGISTRY_ALLOW_PRIVATE: flag(false),
  REGISTRY_DIGEST_TIMEOUT_MS: integer(0, 20_000, digestDefaults.timeoutMs),
  REGISTRY_CALLS_PER_HOST: integer(1, 100, digestDefaults.callsPerRegistry),
  TRUST_ALLOW_PRIVATE: flag(false),
  REGION_ALLOW_LOCAL: flag(false),
  BODY_LIMIT_KIB: integer(1, 65_536, 1024),
  PUBLIC_URL: z
    .string()
    .refine(
      (value) => isOrigin(value) && isSecure(value),
      'must be the origin of this gateway: https://trellis.example, or http on loopback',
    )
    .optional(),
  OIDC_ISSUER: z
    .string()
    .refine(
      (value) => URL.canParse(value) && /^https?:/.test(value) && isSecure(value) && !/[?#]/.test(value),
      'must be the https URL of an identity provider, or http on loopback',
    )
    .optional(),
  OIDC_CLIENT_ID: z.string().max(255).optional(),
  OIDC_CLIENT_SECRET: z.string().max(4_096).optional(),
  OIDC_SCOPES: z
    .string()
    .regex(/^[\x21-\x7e]+( [\x21-\x7e]+)*$/, 'must be scopes joined by spaces')
    .refine((value) => value.split(' ').includes('openid'), 'must include openid')
    .default('openid profile email groups'),
  OIDC_GROUPS_CLAIM: z.string().max(255).default('groups'),
  OIDC_ADMINISTRATOR_GROUP: z.string().max(255).optional(),
  OIDC_NAME: z.string().min(1).max(100).optional(),
  OIDC_PROMPT: z
    .enum(['consent', 'login', 'select_account'], 'must be consent, login or select_account')
    .optional(),
  SESSION_RECHECK_MINUTES: integer(0, 1_440, sessionDefaults.recheckMs / minuteMs),
  MEMBERSHIP_MAX_DAYS: integer(1, 36_500, 30),
  SESSION_MAX_HOURS: integer(1, 8_760, sessionDefaults.maxMs / hourMs),
  CORS_ORIGINS: z
    .string()
    .default('')
    .transform((value) => value.split(',').flatMap((each) => each.trim() || []))
    .refine((origins) => origins.every(isOrigin), 'must be origins joined by commas: https://app.example'),
  RECORD_RETENTION_DAYS: wholeNumber(1, 36_500).optional(),
  JOB_RETENTION_DAYS: integer(1, 36_500, 90),
  JOB_POLL_MS: integer(50, 600_000, jobDefaults.pollMs),
  JOB_LEASE_MS: integer(300, 3_600_000, jobDefaults.leaseMs),
  JOB_MAX_ATTEMPTS: integer(1, 1_000, jobDefaults.maxAttempts),
  JOB_BACKOFF_MIN_MS: integer(1, 3_600_000, jobDefaults.backoffMinMs),
  JOB_BACKOFF_MAX_MS: integer(1, 86_400_000, jobDefaults.backoffMaxMs),
  JOB_CALL_TIMEOUT_MS: integer(100, 3_600_000, jobDefaults.callTimeoutMs),
  JOB_DEADLINE_MS: integer(1_000, 86_400_000, jobDefaults.deadlineMs),
  SIMULATED_DELAY_MS: integer(0, 3_600_000, simulatedDefaults.delayMs),
  SIMULATED_FAILURE_PERCENT: integer(0, 100, simulatedDefaults.failurePercent),
  IDEMPOTENCY_HOURS: integer(1, 8_760, idempotencyDefaults.keepMs / hourMs),
  IDEMPOTENCY_KEYS_PER_USER: integer(1, 10_000_000, idempotencyDefaults.maxKeys),
  IDEMPOTENCY_MIB_PER_USER: integer(1, 1_048_576, idempotencyDefaults.maxBytes / 2 ** 20),
  SHUTDOWN_TIMEOUT_MS: integer(0, 600_000, 10_000),
  REQUEST_TIMEOUT_MS: integer(100, 600_000, defaultLimits.requestTimeoutMs),
  MAX_REQUESTS: integer(1, 100_000, httpLimits.maxRequests),
  MAX_REQUESTS_PER_USER: wholeNumber(1, 100_000).optional(),
  MAX_REQUESTS_PER_ADDRESS: wholeNumber(1, 100_000).optional(),
  LIMIT_TOKENS: integer(100, 1_000_000, defaultLimits.tokens),
  LIMIT_BRACKETS: integer(10, 1_000, defaultLimits.brackets),
  LIMIT_DEPTH: integer(5, 200, defaultLimits.depth),
  LIMIT_FIELDS: integer(100, 1_000_000, defaultLimits.fields),
  LIMIT_OBJECTS: integer(1_000, 1_000_000_000, defaultLimits.objects),
  LIMIT_KEYS: integer(100, 1_000_000, defaultLimits.keys),
  LIMIT_VALUES: integer(1_000, 100_000_000, defaultLimits.values),
  LIMIT_TEXT_KIB: integer(64, 1_048_576, defaultLimits.textBytes / 1024),
  LIMIT_EXPANDED_KIB: integer(16, 1_048_576, defaultLimits.expandedCharacters / 1024),
  LIMIT_EXPANDED_VALUES: integer(1_000, 100_000_000, defaultLimits.expandedValues),
  LIMIT_THREAD_MS: integer(100, 600_000, defaultLimits.threadMs),
  LIMIT_PLAN_OBJECTS: integer(100, 1_000_000, defaultLimits.planObjects),
  LIMIT_CHANGE_OBJECTS: integer(1_000, 1_000_000, defaultLimits.changeObjects),
  MAX_APPLICATION_OBJECTS: integer(1_000, 1_000_000, defaultLimits.applicationObjects),
  MAX_DEPLOY_KIB: integer(1_024, 1_048_576, defaultLimits.deployBytes / 1024),
  ANSWERS_MEMORY_MIB: integer(1, 1_048_576, quarterOfHeapMiB()),
  MAX_CONNECTIONS: integer(1, 1_000_000, httpLimits.maxConnections),
  HEADERS_TIMEOUT_MS: integer(100, 600_000, httpLimits.headersTimeoutMs),
  RECEIVE_TIMEOUT_MS: integer(100, 600_000, httpLimits.receiveTimeoutMs),
  IDLE_TIMEOUT_MS: integer(100, 600_000, httpLimits.idleTimeoutMs),
  SEND_TIMEOUT_MS: integer(100, 3_600_000, httpLimits.sendTimeoutMs),
  MAX_SUBSCRIPTIONS: integer(0, 1_000_000, httpLimits.maxSubscriptions),
  MAX_SUBSCRIPTIONS_PER_TOKEN: integer(1, 1_000_000, httpLimits.maxSubscriptionsPerToken),
  HEARTBEAT_MS: integer(100, 600_000, httpLimits.heartbeatMs),
  RATE_LIMIT_PER_SECOND: integer(0, 1_000_000, httpLimits.requestsPerSecond),
  RATE_LIMIT_BURST: integer(1, 10_000_000, httpLimits.requestBurst),
  FAILED_AUTHENTICATIONS_PER_MINUTE: integer(0, 1_000_000, httpLimits.failedAuthenticationsPerMinute),
  DOCUMENTS: z.enum(['any', 'trusted'], 'must be any or trusted').default('any'),
  TRUSTED_DOCUMENTS: z.string().optional(),
  TRUST_PROXY: z
    .string()
    .default('')
    .transform((value) => parseTrustProxy(value))
    .refine(
      (value) => value !== undefined,
      'must be a number of proxies from 0 to 32, or addresses and networks joined by commas: 10.0.0.0/8',
    ),
});

/** A quarter of the heap limit of the process. */
function quarterOfHeapMiB(): number {
  return Math.max(1, Math.floor(getHeapStatistics().heap_size_limit / 4 / 2 ** 20));
}

/** Whether a value is an origin as browsers send it: scheme, host and port, without a path or `*`. */
function isOrigin(value: string): boolean {
  return /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value;
}

/** Whether an URL is https, or on this computer. */
function isSecure(value: string): boolean {
  const { protocol, hostname } = new URL(value);
  return protocol === 'https:' || isLoopbackHost(hostname);
}

/** Problems of settings that are only invalid together. */
export function conflictsOf(value: z.output<typeof settings>): string[] {
  const problems: string[] = [];
  if (value.WORKERS > 1 && value.DATABASE_URL.startsWith('file:')) {
    problems.push('WORKERS requires a Postgres database: with SQLite, one process serves all requests');
  }
  if (value.RATE_LIMIT_BURST < value.RATE_LIMIT_PER_SECOND) {
    problems.push('RATE_LIMIT_BURST must be at least RATE_LIMIT_PER_SECOND');
  }
  if (value.JOB_BACKOFF_MIN_MS > value.JOB_BACKOFF_MAX_MS) {
    problems.push('JOB_BACKOFF_MIN_MS must be at most JOB_BACKOFF_MAX_MS');
  }
  if (value.HEADERS_TIMEOUT_MS > value.RECEIVE_TIMEOUT_MS) {
    problems.push('HEADERS_TIMEOUT_MS must be at most RECEIVE_TIMEOUT_MS');
  }
  if (value.OIDC_ISSUER !== undefined && value.OIDC_CLIENT_ID === undefined) {
    problems.push('OIDC_ISSUER requires OIDC_CLIENT_ID');
  }
  if (value.OIDC_ISSUER === undefined && value.OIDC_CLIENT_ID !== undefined) {
    problems.push('OIDC_CLIENT_ID requires OIDC_ISSUER');
  }
  const isLocal = isLoopbackHost(value.HOST) || value.HOST === '::1';
  if (value.OIDC_ISSUER !== undefined && value.PUBLIC_URL === undefined && !isLocal) {
    problems.push('OIDC_ISSUER requires PUBLIC_URL, unless HOST is a loopback address');
  }
  return problems;
}
