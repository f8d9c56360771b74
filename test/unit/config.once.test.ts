import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { ConfigError } from '../../src/kernel/setting-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'trellis-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hex = 'ab'.repeat(32);
const postgres = 'postgres://trellis:secret@localhost/trellis';

/** The lines that say what is wrong. */
function problemsOf(env: NodeJS.ProcessEnv): string[] {
  try {
    readConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const [head, ...problems] = (error as Error).message.split('\n');
    expect(head).toBe('Invalid settings:');
    return problems.map((problem) => problem.replace(/^ {2}- /, ''));
  }
  return [];
}

describe('the settings', () => {
  it('have defaults', () => {
    const url = `file:${join(folder, 'defaults.db')}`;
    expect(readConfig({ DATABASE_URL: url, SECRET_KEY: hex })).toEqual({
      host: '127.0.0.1',
      port: 4000,
      workers: 1,
      databaseUrl: url,
      databasePool: 10,
      databasePooler: undefined,
      databaseListenUrl: undefined,
      databaseLockTimeoutMs: 5_000,
      bootstrapToken: undefined,
      secretKey: Buffer.from(hex, 'hex'),
      logLevel: 'info',
      slowRequestMs: 1_000,
      telemetry: { metrics: undefined, traces: false },
      graphiql: true,
      executor: 'planned',
      allowedDocuments: 'any',
      trustedDocumentsPath: undefined,
      bodyLimitBytes: 1_048_576,
      corsOrigins: [],
      sessions: { recheckMs: 600_000, maxMs: 720 * 3_600_000 },
      membershipMaxDays: 30,
      idempotency: { keepMs: 86_400_000, maxKeys: 10_000, maxBytes: 64 * 2 ** 20 },
      shutdownTimeoutMs: 10_000,
      jobs: {
        pollMs: 5_000,
        leaseMs: 30_000,
        maxAttempts: 10,
        backoffMinMs: 1_000,
        backoffMaxMs: 300_000,
        callTimeoutMs: 60_000,
        deadlineMs: 900_000,
      },
      jobRetentionDays: 90,
      simulated: { delayMs: 3_000, failurePercent: 0 },
      limits: {
        tokens: 5_000,
        brackets: 200,
        depth: 40,
        fields: 5_000,
        objects: 5_000_000,
        keys: 10_000,
        values: 500_000,
        textBytes: 16 * 1024 * 1024,
        expandedCharacters: 256 * 1024,
        expandedValues: 100_000,
        threadMs: 5_000,
        planObjects: 2_500,
        changeObjects: 6_000,
        applicationObjects: 50_000,
        deployBytes: 4 * 2 ** 20,
        requestTimeoutMs: 30_000,
        answersBytes: Math.floor(getHeapStatistics().heap_size_limit / 4 / 2 ** 20) * 2 ** 20,
      },
      storeAllowPrivate: false,
      trustAllowPrivate: false,
      registryAllowPrivate: false,
      registryDigests: { timeoutMs: 5_000, callsPerRegistry: 4 },
      regionAllowLocal: false,
      http: {
        maxRequests: 500,
        maxRequestsPerUser: 125,
        maxRequestsPerAddress: 125,
        maxActive: 32,
        maxConnections: 10_000,
        headersTimeoutMs: 10_000,
        receiveTimeoutMs: 30_000,
        idleTimeoutMs: 65_000,
        sendTimeoutMs: 120_000,
        maxSubscriptions: 5_000,
        maxSubscriptionsPerToken: 1_000,
        heartbeatMs: 15_000,
        requestsPerSecond: 500,
        requestBurst: 1_000,
        failedAuthenticationsPerMinute: 60,
        acceptedTokenMs: 5_000,
        tokenUseMs: 60_000,
        trustProxy: [],
      },
    });
    expect(readConfig({ SECRET_KEY: hex }).databaseUrl).toBe('file:trellis.db');
  });

  it('are read', () => {
    const given = readConfig({
      HOST: '::1',
      PORT: '0',
      WORKERS: '2',
      DATABASE_URL: postgres,
      DATABASE_POOL: '7',
      DATABASE_POOLER: 'transaction',
      DATABASE_LOCK_TIMEOUT_MS: '250',
      BOOTSTRAP_TOKEN: 'x'.repeat(32),
      SECRET_KEY: hex.toUpperCase(),
      LOG_LEVEL: 'debug',
      SLOW_REQUEST_MS: '250',
      METRICS_HOST: '0.0.0.0',
      METRICS_PORT: '9464',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
      GRAPHIQL: 'false',
      EXECUTOR: 'graphql-js',
      BODY_LIMIT_KIB: '64',
      PUBLIC_URL: 'https://trellis.example:8443',
      OIDC_ISSUER: 'https://id.example/realms/shop',
      OIDC_CLIENT_ID: 'trellis',
      OIDC_CLIENT_SECRET: 'the secret',
      OIDC_SCOPES: 'openid email',
      OIDC_GROUPS_CLAIM: 'roles',
      OIDC_NAME: 'Example',
      OIDC_PROMPT: 'consent',
      SESSION_RECHECK_MINUTES: '5',
      SESSION_MAX_HOURS: '12',
      MEMBERSHIP_MAX_DAYS: '14',
      OIDC_ADMINISTRATOR_GROUP: 'platform',
      CORS_ORIGINS: 'https://app.example, http://localhost:3000,',
      IDEMPOTENCY_HOURS: '48',
      IDEMPOTENCY_KEYS_PER_USER: '49',
      IDEMPOTENCY_MIB_PER_USER: '5',
      SHUTDOWN_TIMEOUT_MS: '0',
      RECORD_RETENTION_DAYS: '400',
      JOB_RETENTION_DAYS: '30',
      JOB_POLL_MS: '50',
      JOB_LEASE_MS: '301',
      JOB_MAX_ATTEMPTS: '2',
      JOB_BACKOFF_MIN_MS: '3',
      JOB_BACKOFF_MAX_MS: '4',
      JOB_CALL_TIMEOUT_MS: '105',
      JOB_DEADLINE_MS: '1006',
      SIMULATED_DELAY_MS: '7',
      SIMULATED_FAILURE_PERCENT: '8',
      REQUEST_TIMEOUT_MS: '100',
      LIMIT_TOKENS: '101',
      LIMIT_BRACKETS: '102',
      LIMIT_DEPTH: '103',
      LIMIT_FIELDS: '104',
      LIMIT_OBJECTS: '1005',
      LIMIT_KEYS: '106',
      LIMIT_VALUES: '1007',
      LIMIT_TEXT_KIB: '108',
      LIMIT_EXPANDED_KIB: '110',
      LIMIT_EXPANDED_VALUES: '1011',
      LIMIT_THREAD_MS: '112',
      LIMIT_PLAN_OBJECTS: '110',
      LIMIT_CHANGE_OBJECTS: '1013',
      MAX_APPLICATION_OBJECTS: '1012',
      MAX_DEPLOY_KIB: '1113',
      ANSWERS_MEMORY_MIB: '109',
      STORE_ALLOW_PRIVATE: 'true',
      DOCUMENTS: 'trusted',
      TRUSTED_DOCUMENTS: '/etc/trellis/documents',
      TRUST_ALLOW_PRIVATE: 'true',
      REGISTRY_ALLOW_PRIVATE: 'true',
      REGISTRY_DIGEST_TIMEOUT_MS: '0',
      REGISTRY_CALLS_PER_HOST: '9',
      REGION_ALLOW_LOCAL: 'true',
      MAX_REQUESTS: '50',
      MAX_REQUESTS_PER_USER: '40',
      MAX_CONNECTIONS: '100',
      HEADERS_TIMEOUT_MS: '1000',
      RECEIVE_TIMEOUT_MS: '2000',
      IDLE_TIMEOUT_MS: '3000',
      SEND_TIMEOUT_MS: '4000',
      MAX_SUBSCRIPTIONS: '6000',
      MAX_SUBSCRIPTIONS_PER_TOKEN: '70',
      HEARTBEAT_MS: '8000',
      DATABASE_LISTEN_URL: postgres,
      RATE_LIMIT_PER_SECOND: '0',
      RATE_LIMIT_BURST: '7',
      FAILED_AUTHENTICATIONS_PER_MINUTE: '8',
      TRUST_PROXY: '10.0.0.0/8, ::1',
    });
    expect(given).toEqual({
      allowedDocuments: 'trusted',
      trustedDocumentsPath: '/etc/trellis/documents',
      host: '::1',
      port: 0,
      workers: 2,
      databaseUrl: postgres,
      databasePool: 7,
      databasePooler: 'transaction',
      databaseListenUrl: postgres,
      databaseLockTimeoutMs: 250,
      bootstrapToken: 'x'.repeat(32),
      secretKey: Buffer.from(hex, 'hex'),
      logLevel: 'debug',
      slowRequestMs: 250,
      telemetry: { metrics: { host: '0.0.0.0', port: 9464 }, traces: true },
      graphiql: false,
      executor: 'graphql-js',
      bodyLimitBytes: 65_536,
      publicUrl: 'https://trellis.example:8443',
      openId: {
        issuer: 'https://id.example/realms/shop',
        clientId: 'trellis',
        clientSecret: 'the secret',
        scopes: 'openid email',
        groupsClaim: 'roles',
        administratorGroup: 'platform',
        name: 'Example',
        prompt: 'consent',
        usesRefreshTokens: true,
      },
      sessions: { recheckMs: 300_000, maxMs: 12 * 3_600_000 },
      membershipMaxDays: 14,
      corsOrigins: ['https://app.example', 'http://localhost:3000'],
      idempotency: { keepMs: 172_800_000, maxKeys: 49, maxBytes: 5 * 2 ** 20 },
      shutdownTimeoutMs: 0,
      jobs: {
        pollMs: 50,
        leaseMs: 301,
        maxAttempts: 2,
        backoffMinMs: 3,
        backoffMaxMs: 4,
        callTimeoutMs: 105,
        deadlineMs: 1_006,
      },
      recordRetentionDays: 400,
      jobRetentionDays: 30,
      simulated: { delayMs: 7, failurePercent: 8 },
      limits: {
        tokens: 101,
        brackets: 102,
        depth: 103,
        fields: 104,
        objects: 1_005,
        keys: 106,
        values: 1_007,
        textBytes: 108 * 1024,
        planObjects: 110,
        changeObjects: 1013,
        applicationObjects: 1012,
        deployBytes: 1113 * 1024,
        requestTimeoutMs: 100,
        expandedCharacters: 110 * 1024,
        expandedValues: 1_011,
        threadMs: 112,
        answersBytes: 109 * 2 ** 20,
      },
      storeAllowPrivate: true,
      trustAllowPrivate: true,
      registryAllowPrivate: true,
      registryDigests: { timeoutMs: 0, callsPerRegistry: 9 },
      regionAllowLocal: true,
      http: {
        maxRequests: 50,
        maxRequestsPerUser: 40,
        maxRequestsPerAddress: 13,
        maxActive: 32,
        maxConnections: 100,
        headersTimeoutMs: 1_000,
        receiveTimeoutMs: 2_000,
        idleTimeoutMs: 3_000,
        sendTimeoutMs: 4_000,
        maxSubscriptions: 6_000,
        maxSubscriptionsPerToken: 70,
        heartbeatMs: 8_000,
        requestsPerSecond: 0,
        requestBurst: 7,
        failedAuthenticationsPerMinute: 8,
        acceptedTokenMs: 5_000,
        tokenUseMs: 60_000,
        trustProxy: ['10.0.0.0/8', '::1'],
      },
    });
  });

  it('treats empty settings as unset', () => {
    const given = readConfig({ PORT: '', LOG_LEVEL: '', BOOTSTRAP_TOKEN: '', HOST: '', SECRET_KEY: hex });
    expect(given).toMatchObject({
      port: 4000,
      logLevel: 'info',
      host: '127.0.0.1',
      bootstrapToken: undefined,
    });
  });

  it('name the proxies to trust by their number as well', () => {
    for (const [text, trustProxy] of [
      ['0', 0],
      ['2', 2],
      ['10.0.0.1,', ['10.0.0.1']],
    ]) {
      expect(readConfig({ SECRET_KEY: hex, TRUST_PROXY: String(text) }).http.trustProxy).toEqual(trustProxy);
    }
  });

  it('ignores unknown settings', () => {
    expect(problemsOf({ SECRET_KEY: hex, PATH: '/bin', PORTS: '1' })).toEqual([]);
  });

  it.each([
    ['PORT', ['-1', '65536', '80a', '1.5', ' 80', '1e3', '99999999999']],
    ['DATABASE_URL', ['trellis.db', 'mysql://x', 'file:', 'postgres://', 'http://x']],
    ['DATABASE_POOL', ['0', '1', '201', 'many']],
    ['DATABASE_POOLER', ['session', 'true', 'pgbouncer']],
    ['DATABASE_LOCK_TIMEOUT_MS', ['9', '600001', 'long']],
    ['BOOTSTRAP_TOKEN', ['x', 'x'.repeat(31), 'x'.repeat(201), `${'x'.repeat(32)} y`, 'é'.repeat(40)]],
    ['SECRET_KEY', ['x', 'ab'.repeat(31), 'zz'.repeat(32), 'a'.repeat(43), `${hex}00`]],
    ['LOG_LEVEL', ['loud', 'INFO', '30']],
    ['GRAPHIQL', ['yes', '1', 'TRUE']],
    ['EXECUTOR', ['graphql', 'PLANNED']],
    ['DOCUMENTS', ['all', 'TRUSTED', 'true']],
    ['RECORD_RETENTION_DAYS', ['0', '36501', '1.5', 'never']],
    ['JOB_RETENTION_DAYS', ['0', '36501', '1.5', 'never']],
    ['JOB_LEASE_MS', ['299', '3600001', '30s']],
    ['SIMULATED_FAILURE_PERCENT', ['-1', '101', '5%']],
    ['BODY_LIMIT_KIB', ['0', '65537', '1MiB']],
    [
      'CORS_ORIGINS',
      [
        '*',
        'app.example',
        'https://app.example/',
        'https://app.example/path',
        'https://App.example',
        'https://app.example:443',
        'https://user@app.example',
        'ftp://app.example',
        'null',
        'https://a.example;https://b.example',
        'https://a.example https://b.example',
      ],
    ],
    [
      'PUBLIC_URL',
      [
        ...['gateway.example', 'https://gateway.example/', 'https://gateway.example/base', 'ftp://x'],
        ...['http://gateway.example', 'https://user@gateway.example', 'http://127.evil.example'],
      ],
    ],
    [
      'OIDC_ISSUER',
      [
        'id.example',
        'http://id.example',
        'ftp://id.example',
        'https://id.example?x=1',
        'https://id.example#x',
      ],
    ],
    ['OIDC_SCOPES', ['profile email', 'openid  email', ' openid', 'openid,email']],
    ['IDEMPOTENCY_HOURS', ['0', '8761', '1d']],
    ['SHUTDOWN_TIMEOUT_MS', ['-1', '600001', '10s']],
    ['REQUEST_TIMEOUT_MS', ['0', '99', '600001', '30s']],
    ['IDEMPOTENCY_KEYS_PER_USER', ['0', '10000001']],
    ['IDEMPOTENCY_MIB_PER_USER', ['0', '1048577']],
    ['MAX_REQUESTS', ['0', '100001', 'all']],
    ['MAX_REQUESTS_PER_USER', ['0', '100001', 'all']],
    ['MAX_REQUESTS_PER_ADDRESS', ['0', '100001', 'all']],
    ['LIMIT_TOKENS', ['0', '99', '1000001']],
    ['LIMIT_BRACKETS', ['0', '9', '1001']],
    ['LIMIT_DEPTH', ['0', '4', '201']],
    ['LIMIT_FIELDS', ['0', '99', '1000001']],
    ['LIMIT_OBJECTS', ['0', '999', '1000000001']],
    ['LIMIT_KEYS', ['0', '99', '1000001']],
    ['LIMIT_VALUES', ['0', '999', '100000001']],
    ['LIMIT_TEXT_KIB', ['0', '63', '1048577', '16MiB']],
    ['LIMIT_EXPANDED_KIB', ['0', '15', '1048577']],
    ['LIMIT_EXPANDED_VALUES', ['0', '999', '100000001']],
    ['LIMIT_THREAD_MS', ['0', '99', '600001']],
    ['LIMIT_PLAN_OBJECTS', ['0', '99', '1000001']],
    ['LIMIT_CHANGE_OBJECTS', ['0', '999', '1000001']],
    ['MAX_APPLICATION_OBJECTS', ['0', '999', '1000001']],
    ['MAX_DEPLOY_KIB', ['0', '1023', '1048577']],
    ['ANSWERS_MEMORY_MIB', ['0', '1048577', 'all']],
    ['MAX_CONNECTIONS', ['0', '1000001', '-1']],
    ['HEADERS_TIMEOUT_MS', ['0', '99', '600001', '30001']],
    ['RECEIVE_TIMEOUT_MS', ['0', '99', '600001']],
    ['IDLE_TIMEOUT_MS', ['0', '600001']],
    ['SEND_TIMEOUT_MS', ['0', '3600001']],
    ['MAX_SUBSCRIPTIONS', ['-1', '1000001', 'all']],
    ['MAX_SUBSCRIPTIONS_PER_TOKEN', ['0', '1000001']],
    ['HEARTBEAT_MS', ['0', '99', '600001']],
    ['DATABASE_LISTEN_URL', ['file:trellis.db', 'localhost']],
    ['RATE_LIMIT_PER_SECOND', ['-1', '1000001', 'none']],
    ['RATE_LIMIT_BURST', ['0', '499', 'all']],
    ['FAILED_AUTHENTICATIONS_PER_MINUTE', ['-1', '1000001']],
    ['TRUST_PROXY', ['33', 'true', 'loopback', '10.0.0.0/33', '::1/129', '10.0.0.1/8/8', '10.0.0', 'a,::1']],
  ])('%s is refused by its name, and its value is not repeated', (name, values) => {
    for (const value of values) {
      const problems = problemsOf({ SECRET_KEY: hex, [name]: value });
      expect(problems.length, value).toBeGreaterThan(0);
      for (const problem of problems) {
        expect(problem).toMatch(new RegExp(`^${name} must `));
        if (value.length > 12) expect(problem).not.toContain(value);
      }
    }
  });

  it('for signing in are complete or absent', () => {
    const issuer = { OIDC_ISSUER: 'https://id.example' };
    const client = { OIDC_CLIENT_ID: 'trellis' };
    const problems = (given: object) => problemsOf({ SECRET_KEY: hex, ...given });
    expect(problems(issuer)).toEqual(['OIDC_ISSUER requires OIDC_CLIENT_ID']);
    expect(problems(client)).toEqual(['OIDC_CLIENT_ID requires OIDC_ISSUER']);
    expect(problems({ ...issuer, ...client, HOST: '0.0.0.0' })).toEqual([
      'OIDC_ISSUER requires PUBLIC_URL, unless HOST is a loopback address',
    ]);
    for (const PUBLIC_URL of ['https://trellis.example', 'http://127.0.0.1:4000', 'http://[::1]:4000']) {
      const read = readConfig({ SECRET_KEY: hex, HOST: '0.0.0.0', ...issuer, ...client, PUBLIC_URL });
      expect(read).toMatchObject({ publicUrl: PUBLIC_URL, openId: { clientId: 'trellis' } });
    }
    expect(readConfig({ SECRET_KEY: hex, ...issuer, ...client }).openId).toMatchObject({
      scopes: 'openid profile email groups',
      groupsClaim: 'groups',
    });
  });

  it('report all errors at once', () => {
    const problems = problemsOf({
      PORT: 'x',
      DATABASE_URL: 'postgresql://localhost/x',
      DATABASE_POOL: '0',
      BOOTSTRAP_TOKEN: 'short',
      LOG_LEVEL: 'loud',
      GRAPHIQL: 'maybe',
      BODY_LIMIT_KIB: 'x',
      CORS_ORIGINS: 'x',
      SHUTDOWN_TIMEOUT_MS: 'x',
    });
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
      'PORT',
      'DATABASE_POOL',
      'BOOTSTRAP_TOKEN',
      'LOG_LEVEL',
      'GRAPHIQL',
      'BODY_LIMIT_KIB',
      'CORS_ORIGINS',
      'SHUTDOWN_TIMEOUT_MS',
      'SECRET_KEY',
    ]);
  });
});

describe('settings in files', () => {
  const token = 'b'.repeat(40);
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };

  it.each([
    ['', 'nothing'],
    ['\n', 'a line break'],
    ['\r\n', 'a line break of Windows'],
  ])('are read, ended by %j', (end) => {
    const read = readConfig({
      DATABASE_URL_FILE: file('url', postgres + end),
      SECRET_KEY_FILE: file('key', hex + end),
      BOOTSTRAP_TOKEN_FILE: file('token', token + end),
    });
    expect(read).toMatchObject({
      databaseUrl: postgres,
      secretKey: Buffer.from(hex, 'hex'),
      bootstrapToken: token,
    });
  });

  it.each([
    ['DATABASE_URL', postgres],
    ['SECRET_KEY', hex],
    ['BOOTSTRAP_TOKEN', token],
  ])('%s is set once, not also beside its file', (name, value) => {
    const both = { SECRET_KEY: hex, [name]: value, [`${name}_FILE`]: file('both', value) };
    expect(problemsOf(both)).toEqual([`${name} and ${name}_FILE are both set. Set one of them`]);
    expect(problemsOf({ ...both, [name]: '', SECRET_KEY: name === 'SECRET_KEY' ? '' : hex })).toEqual([]);
  });

  it('reports the path of an invalid file but not its content', () => {
    const missing = join(folder, 'no-such-file');
    expect(problemsOf({ DATABASE_URL: postgres, SECRET_KEY_FILE: missing })).toEqual([
      expect.stringMatching(/^SECRET_KEY_FILE names .*no-such-file, which cannot be used: ENOENT/),
    ]);
    expect(problemsOf({ SECRET_KEY: hex, DATABASE_URL_FILE: folder })).toEqual([
      expect.stringContaining('DATABASE_URL_FILE names'),
    ]);
    expect(problemsOf({ DATABASE_URL: postgres, SECRET_KEY_FILE: file('empty', '\n') })).toEqual([
      expect.stringContaining('it is empty'),
    ]);
    const problems = problemsOf({ DATABASE_URL: postgres, SECRET_KEY_FILE: file('wrong', 'not a key\n') });
    expect(problems).toEqual(['SECRET_KEY must be 32 bytes, as 64 hexadecimal digits or base64']);
  });
});

describe('SECRET_KEY', () => {
  it('accepts 32 bytes as hexadecimal digits or base64', () => {
    const bytes = Buffer.from(hex, 'hex');
    const url = `file:${join(folder, 'unused.db')}`;
    for (const text of [hex, hex.toUpperCase(), bytes.toString('base64')]) {
      expect(readConfig({ DATABASE_URL: url, SECRET_KEY: text }).secretKey).toEqual(bytes);
    }
    expect(() => statSync(join(folder, 'unused.db.key'))).toThrow('ENOENT');
  });

  it.each([postgres, postgres.replace('postgres:', 'postgresql:')])('is required with %s', (url) => {
    expect(problemsOf({ DATABASE_URL: url })).toEqual([
      'SECRET_KEY is required with a Postgres database: it encrypts credentials at rest',
    ]);
    expect(problemsOf({ DATABASE_URL: url, SECRET_KEY: '' })).toHaveLength(1);
  });

  it('is created next to an SQLite database, readable only by its owner, and reused', () => {
    const path = join(folder, 'new', 'folder', 'trellis.db');
    const { secretKey } = readConfig({ DATABASE_URL: `file:${path}` });
    expect(secretKey).toHaveLength(32);
    expect(statSync(`${path}.key`).mode & 0o777).toBe(0o600);
    expect(readFileSync(`${path}.key`, 'utf8').trim()).toBe(secretKey.toString('hex'));
    expect(readConfig({ DATABASE_URL: `file:${path}` }).secretKey).toEqual(secretKey);
    const other = readConfig({ DATABASE_URL: `file:${join(folder, 'other.db')}` });
    expect(other.secretKey).not.toEqual(secretKey);
  });

  it('is not created if another setting is invalid', () => {
    const path = join(folder, 'wrong.db');
    expect(problemsOf({ DATABASE_URL: `file:${path}`, PORT: 'x' })).toHaveLength(1);
    expect(() => statSync(`${path}.key`)).toThrow('ENOENT');
  });

  it('rejects a key file with other content, and keeps the file', () => {
    const path = join(folder, 'spoiled.db');
    for (const text of ['', 'not a key', hex.slice(1), `${hex}ab`]) {
      writeFileSync(`${path}.key`, text);
      const problems = problemsOf({ DATABASE_URL: `file:${path}` });
      expect(problems, text).toEqual([expect.stringContaining(`${path}.key cannot be used`)]);
      if (text) expect(problems[0]).not.toContain(text);
      expect(readFileSync(`${path}.key`, 'utf8')).toBe(text);
    }
  });

  it('reports the path of a key file that cannot be written', () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    const below = `file:${join(file, 'below', 'trellis.db')}`;
    expect(problemsOf({ DATABASE_URL: below })).toEqual([expect.stringContaining(join(file, 'below'))]);
    const isFolder = join(folder, 'folder.db');
    mkdirSync(`${isFolder}.key`);
    chmodSync(`${isFolder}.key`, 0o700);
    expect(problemsOf({ DATABASE_URL: `file:${isFolder}` })).toEqual([
      expect.stringContaining(`${isFolder}.key`),
    ]);
  });
});
