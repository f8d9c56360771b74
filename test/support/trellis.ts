import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, inject } from 'vitest';
import { type AppOptions, createApp } from '../../src/app.ts';
import type { Services } from '../../src/context.ts';
import { type DatabaseKind, migrate } from '../../src/db/migrate/migrate.ts';
import { type OpenOptions, openDatabase } from '../../src/db/open.ts';
import { tables } from '../../src/db/tables.ts';
import { bootstrap } from '../../src/domain/access-token/bootstrap-operations.ts';
import {
  DeprecatedUses,
  type DeprecatedUsesSettings,
} from '../../src/domain/access-token/deprecated-uses/gather-operations.ts';
import {
  createSnapshotWorker,
  type SnapshotSettings,
} from '../../src/domain/component/snapshots/schedule/worker-operations.ts';
import { RefusedChanges, type refusalDefaults } from '../../src/domain/event/refusals/refusal-operations.ts';
import { otherRulesOf } from '../../src/domain/gateway-rule/desired-reads.ts';
import { Reconciler } from '../../src/domain/job/reconcile/reconciler.ts';
import type { JobSettings } from '../../src/domain/job/worker/model.ts';
import { JobWorker } from '../../src/domain/job/worker/worker.ts';
import { clusterSource } from '../../src/domain/region/cluster-reads.ts';
import type { RunSettings } from '../../src/domain/run/call-operations.ts';
import { createRunWorker } from '../../src/domain/run/worker-operations.ts';
import type { DeliverySettings } from '../../src/domain/webhook/delivery/model.ts';
import { WebhookWorker } from '../../src/domain/webhook/delivery/worker-operations.ts';
import { createHttpAppStore } from '../../src/drivers/app-store/http.ts';
import { type SharedStoreLimits, shareAppStore } from '../../src/drivers/app-store/shared.ts';
import type { IdentityProvider } from '../../src/drivers/identity/driver.ts';
import type { TransportLimits } from '../../src/drivers/outgoing/transport.ts';
import { declaredRegion } from '../../src/drivers/region/declared.ts';
import type { RegionDriver } from '../../src/drivers/region/driver.ts';
import { createKubernetesRegion } from '../../src/drivers/region/kubernetes/kubernetes.ts';
import { type RolloutSettings, rolloutDefaults } from '../../src/drivers/region/kubernetes/write/scope.ts';
import { createSimulatedRegion } from '../../src/drivers/region/simulated/simulated.ts';
import type { ImageRegistry } from '../../src/drivers/registry/driver.ts';
import { createHttpRegistry } from '../../src/drivers/registry/http.ts';
import { type DigestSettings, shareImageRegistry } from '../../src/drivers/registry/shared.ts';
import { createHttpTokenIssuers } from '../../src/drivers/token-issuer/http.ts';
import { createHttpWebhooks, type WebhookLimits } from '../../src/drivers/webhook/http.ts';
import type { Executor } from '../../src/graphql/server/pipeline.ts';
import type { HttpLimits } from '../../src/http/http-limits.ts';
import { RegistryUnavailableError } from '../../src/kernel/errors.ts';
import { defaultLimits, type Limits } from '../../src/kernel/limits.ts';
import { createLog } from '../../src/kernel/log.ts';
import { createSeal } from '../../src/kernel/seal.ts';
import { Feeds } from '../../src/live/feeds.ts';
import { close, documentExecution } from '../../src/open.ts';
import { addWitness } from './failure-log.ts';
import { type Builder, withBuilder } from './fixtures.ts';
import { reportOf } from './gateway-report.ts';
import { send } from './send.ts';

export const databaseKind = process.env.TEST_DATABASE === 'postgres' ? 'postgres' : 'sqlite';

export interface TestDatabase {
  url: string;
  drop: () => Promise<void>;
}

/** An empty database of the kind under test, and how to be rid of it. */
export async function createDatabase(): Promise<TestDatabase> {
  return databaseKind === 'sqlite' ? createSqlite() : createPostgres();
}

function createSqlite(): TestDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'trellis-test-'));
  return {
    url: `file:${join(folder, 'trellis.db')}`,
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function createPostgres(template = 'template1'): Promise<TestDatabase> {
  const root = inject('postgresUrl');
  const name = `test_${randomBytes(8).toString('hex')}`;
  const run = async (sql: string) => {
    const client = new pg.Client({ connectionString: root });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  await run(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  const url = new URL(root);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

/** A database with every table and no row: a copy, since migrating each anew takes longer than many a test. */
export async function createMigratedDatabase(kind: DatabaseKind = databaseKind): Promise<TestDatabase> {
  if (kind === 'postgres') return createPostgres(await postgresTemplate());
  const database = createSqlite();
  writeFileSync(sqlitePath(database), await sqliteTemplate());
  return database;
}

export const sqlitePath = ({ url }: { url: string }) => url.slice('file:'.length);

const sqliteTemplate = once(async () => {
  const { url, drop } = createSqlite();
  await migrate({ url });
  const content = readFileSync(sqlitePath({ url }));
  await drop();
  return content;
});

/** Its name; it goes with the server. */
const postgresTemplate = once(async () => {
  const { url } = await createPostgres();
  await migrate({ url });
  return new URL(url).pathname.slice(1);
});

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

export interface GraphqlResult<T = any> {
  data?: T;
  errors?: { message: string; path?: (string | number)[]; extensions: Record<string, any> }[];
}

/** What an API offers to tests. */
export interface Client {
  /** `http://127.0.0.1:PORT` */
  url: string;
  databaseUrl: string;
  adminToken: string;
  /** Keeps the connections of its requests. */
  agent: Agent;
  services: Services;
  /** Every statement since the last time that the list was emptied. */
  statements: string[];
  /** What was logged, as parsed lines. */
  logged: Record<string, any>[];
  /** A GraphQL request over HTTP, as the first administrator unless told otherwise. */
  graphql<T = any>(query: string, variables?: object, token?: string | null): Promise<GraphqlResult<T>>;
  /** The same, and its answer's data; errors make it throw. */
  data<T = any>(query: string, variables?: object, token?: string): Promise<T>;
  /** Rows of every table: to compare before and after. */
  counts(): Promise<Record<string, number>>;
  /** Has the server accept a connection that does not come over TCP. */
  accept(socket: Socket): void;
  close(): Promise<void>;
}

export interface Trellis extends Client, Builder {}

export interface TrellisOptions {
  /** What the database has at first, on SQLite. Without it, the database is empty. */
  content?: Buffer;
  /** The first administrator's token, in a database that another gateway has set up. */
  adminToken?: string;
  /** Encrypts secrets. All gateways of one database have the same by default. */
  secretKey?: Buffer;
  /** How long subscribers share what they read of a change. */
  shareMs?: number;
  /** How the database is opened, where it differs. */
  database?: Partial<OpenOptions>;
  http?: Partial<HttpLimits>;
  drivers?: RegionDriver[];
  /** Carries out jobs with these settings. Without them, jobs stay pending. */
  jobs?: Partial<JobSettings>;
  /** Gives runs to clusters with these settings. Without them, runs stay pending. */
  runs?: Partial<RunSettings>;
  /** Makes the snapshots of schedules with these settings. Without them, their times pass. */
  snapshots?: Partial<SnapshotSettings>;
  /** Sends deliveries to webhooks with these settings. Without them, deliveries stay pending. */
  webhooks?: Partial<DeliverySettings>;
  /** Whether webhooks on loopback may be sent to: test receivers are; true by default. */
  allowPrivateWebhooks?: boolean;
  webhookLimits?: Partial<WebhookLimits>;
  /** Has put back what others change in clusters, with the settings of jobs. */
  reconciles?: boolean;
  /** Counts the use of what is deprecated, with these settings. Without them, nothing is counted. */
  deprecatedUses?: Partial<DeprecatedUsesSettings>;
  /** Records refused changes with these settings. Without them, they are not recorded. */
  refusals?: Partial<typeof refusalDefaults>;
  bodyLimitBytes?: number;
  corsOrigins?: string[];
  /** Where users sign in. */
  identity?: IdentityProvider;
  publicUrl?: string;
  sessions?: AppOptions['sessions'];
  slowRequestMs?: number;
  /** Which executor runs operations. Defaults to the planned one. */
  executor?: Executor;
  graphiql?: boolean;
  trustedDocuments?: AppOptions['trustedDocuments'];
  allowedDocuments?: AppOptions['allowedDocuments'];
  limits?: Partial<Limits>;
  /** Whether stores on loopback may be asked: test stores are; true by default. */
  allowPrivateStores?: boolean;
  /** The same for registries of images. */
  allowPrivateRegistries?: boolean;
  /** The same for issuers of tokens that are exchanged. */
  allowPrivateIssuers?: boolean;
  issuers?: Omit<Parameters<typeof createHttpTokenIssuers>[0], 'allowPrivate'>;
  /** The same for loopback and link-local addresses of clusters. */
  allowLocalRegions?: boolean;
  /** How soon clusters fail and are looked at more closely, where it differs. */
  rollouts?: Partial<RolloutSettings>;
  /** The largest answer of a cluster that is read, where it differs. */
  maxClusterAnswerBytes?: number;
  registry?: { limits?: Partial<TransportLimits>; digests?: DigestSettings };
  store?: { limits?: Partial<TransportLimits>; sharing?: Partial<SharedStoreLimits> };
}

/** Tests do not wait for retries and polls. */
const hasty: Partial<JobSettings> = { pollMs: 200, backoffMinMs: 10, backoffMaxMs: 50 };

/** Asks no registry elsewhere, whatever image a test makes up. */
const onLoopback = (registry: ImageRegistry): ImageRegistry => ({
  async find(image, ...more) {
    if (image.host.startsWith('127.0.0.1:')) return registry.find(image, ...more);
    throw new RegistryUnavailableError('Tests ask no such registry.');
  },
  async digest(image, ...more) {
    if (image.host.startsWith('127.0.0.1:')) return registry.digest(image, ...more);
    throw new RegistryUnavailableError('Tests ask no such registry.');
  },
});

/** Trellis on a database of its own, listening on loopback. */
export async function startTrellis({
  drivers = [],
  allowPrivateStores = true,
  allowPrivateRegistries = true,
  allowPrivateIssuers = true,
  issuers: issuerOptions,
  allowLocalRegions = true,
  maxClusterAnswerBytes,
  rollouts,
  store: storeOptions,
  registry: registryOptions,
  jobs,
  runs,
  snapshots,
  reconciles = false,
  deprecatedUses,
  refusals,
  webhooks,
  allowPrivateWebhooks = true,
  webhookLimits,
  bodyLimitBytes = 1_048_576,
  secretKey,
  shareMs,
  identity,
  content,
  adminToken: knownToken,
  ...options
}: TrellisOptions = {}): Promise<Trellis> {
  const database = await createMigratedDatabase();
  if (content) writeFileSync(sqlitePath(database), content);
  const statements: string[] = [];
  const logged: Record<string, any>[] = [];
  const db = await openDatabase({
    url: database.url,
    poolSize: 5,
    onStatement: (text) => statements.push(text),
    onConnectionError: () => {},
    // Only a defect waits for so long, however busy the machine is.
    lockTimeoutMs: 60_000,
    ...options.database,
  });
  const adminToken = knownToken ?? (await bootstrap(db))!;
  const store = createHttpAppStore({ allowPrivate: allowPrivateStores, ...storeOptions });
  const registry = createHttpRegistry({ allowPrivate: allowPrivateRegistries, ...registryOptions });
  const issuers = createHttpTokenIssuers({ allowPrivate: allowPrivateIssuers, ...issuerOptions });
  const databaseUrl = options.database?.url ?? database.url;
  const seal = createSeal(secretKey ?? createHash('sha256').update(databaseUrl).digest());
  const log = createLog('debug', { write: (line) => logged.push(JSON.parse(line)) });
  const local = { allowsLocal: allowLocalRegions };
  const source = clusterSource({ db, seal, log }, otherRulesOf({ db, seal }), local);
  const clusters = createKubernetesRegion(
    { ...source, ...(maxClusterAnswerBytes !== undefined && { maxAnswerBytes: maxClusterAnswerBytes }) },
    { ...rolloutDefaults, failingMs: 1_000, ...rollouts },
  );
  const simulated = createSimulatedRegion({ delayMs: 0, hasLeftovers: true });
  const regions = [declaredRegion, simulated, clusters, ...drivers];
  const services: Services = {
    db,
    feeds: new Feeds(db, { shareMs }),
    drivers: {
      store: shareAppStore(store, storeOptions?.sharing),
      region: new Map(regions.map((driver) => [driver.name, driver])),
      registry: shareImageRegistry(
        allowPrivateRegistries ? onLoopback(registry) : registry,
        registryOptions?.digests,
      ),
      issuers,
      clusters,
      identity,
    },
    seal,
    log,
  };
  if (jobs) {
    services.jobs = new JobWorker(services, { ...hasty, ...jobs });
    services.jobs.start();
    if (reconciles) services.reconciler = new Reconciler(services, { ...hasty, ...jobs });
    services.reconciler?.start();
  }
  if (runs) {
    services.runs = createRunWorker(services, { pollMs: 200, minPauseMs: 20, ...runs });
    services.runs.start();
  }
  if (snapshots) {
    services.snapshots = createSnapshotWorker(services, { pollMs: 200, minPauseMs: 20, ...snapshots });
    services.snapshots.start();
  }
  if (deprecatedUses) {
    services.deprecatedUses = new DeprecatedUses(services, deprecatedUses);
    services.deprecatedUses.start();
  }
  if (refusals) services.refusals = new RefusedChanges(services, refusals);
  if (webhooks) {
    services.executeDocument = documentExecution(services, {
      limits: { ...defaultLimits, ...options.limits },
      executor: options.executor ?? 'planned',
    });
    services.webhooks = new WebhookWorker(services, {
      sender: createHttpWebhooks({ allowPrivate: allowPrivateWebhooks, limits: webhookLimits }),
      settings: webhooks,
    });
    services.webhooks.start();
  }
  const server = createApp(services, {
    graphiql: true,
    bodyLimitBytes,
    ...options,
    // However busy the machine, threads may work for a request as long as it may take.
    limits: { threadMs: 600_000, ...options.limits },
    // Tests ask more, and fail to authenticate more often, than users do.
    http: {
      requestsPerSecond: 0,
      failedAuthenticationsPerMinute: 0,
      maxRequestsPerUser: 10_000,
      maxRequestsPerAddress: 10_000,
      // However slow the machine, no upkeep of a token falls among the statements that a test counts.
      acceptedTokenMs: 3_600_000,
      tokenUseMs: 3_600_000,
      ...options.http,
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const url = `http://127.0.0.1:${port}`;
  const agent = new Agent({ keepAlive: true });

  const graphql = async (query: string, variables?: object, token: string | null = adminToken) => {
    const body = JSON.stringify({ query, variables });
    return (await send({ url, adminToken }, { body, token, agent })).body as GraphqlResult;
  };

  const trellis = withBuilder<Client>({
    url,
    databaseUrl: database.url,
    adminToken,
    agent,
    services,
    statements,
    logged,
    graphql,
    async data(query, variables, token) {
      const result = await graphql(query, variables, token);
      if (result.errors) throw new Error(JSON.stringify(result.errors));
      return result.data;
    },
    async counts() {
      const names = Object.values(tables).map(({ table }) => table);
      const columns = names.map((name) => `(SELECT count(*) FROM "${name}")`);
      const [row] = await db.query(`SELECT ${columns.join(', ')}`, []);
      return Object.fromEntries(names.map((name, index) => [name, Number(row![index])]));
    },
    accept: (socket) => server.emit('connection', socket),
    async close() {
      witness.isOver = true;
      agent.destroy();
      await close(server, services, 1_000);
      await store.close();
      await registry.close();
      await issuers.close();
      await database.drop();
    },
  });
  const witness = addWitness(() => reportOf(trellis));
  return trellis;
}

/** Trellis for the tests of a file or a `describe`: started before them, and closed after them. */
export function useTrellis(options: TrellisOptions | (() => TrellisOptions) = {}): Trellis {
  const trellis = {} as Trellis;
  beforeAll(async () => {
    Object.assign(trellis, await startTrellis(typeof options === 'function' ? options() : options));
  });
  afterAll(() => trellis.close?.());
  return trellis;
}
