import { setTimeout as sleep } from 'node:timers/promises';
import { schema } from './api.ts';
import { type App, createApp } from './app.ts';
import type { Config } from './config.ts';
import type { Services } from './context.ts';
import { serviceAccountActor } from './credentials.ts';
import { migrate } from './db/migrate/migrate.ts';
import { type Database, openDatabase } from './db/open.ts';
import { anySealed } from './db/sealed.ts';
import { bootstrap } from './domain/access-token/bootstrap-operations.ts';
import { DeprecatedUses } from './domain/access-token/deprecated-uses/gather-operations.ts';
import { tokenRetention } from './domain/access-token/retention-operations.ts';
import { sealStored } from './domain/app-store/seal-operations.ts';
import { certificateExpiry } from './domain/certificate/expiry-operations.ts';
import { logDuplicates } from './domain/component/names/reads.ts';
import {
  createSnapshotWorker,
  snapshotSettingsOf,
} from './domain/component/snapshots/schedule/worker-operations.ts';
import { storeKeyCheck } from './domain/enterprise/key-check-rows.ts';
import { RefusedChanges } from './domain/event/refusals/refusal-operations.ts';
import { recordRetention } from './domain/event/retention/retention-operations.ts';
import { sealing } from './domain/event/seals/seal-operations.ts';
import { otherRulesOf } from './domain/gateway-rule/desired-reads.ts';
import { Reconciler } from './domain/job/reconcile/reconciler.ts';
import { jobRetention } from './domain/job/retention/operations.ts';
import { JobWorker } from './domain/job/worker/worker.ts';
import { previewUpkeep } from './domain/preview/look-operations.ts';
import { clusterSource } from './domain/region/cluster-reads.ts';
import { runSettingsOf } from './domain/run/call-operations.ts';
import { createRunWorker } from './domain/run/worker-operations.ts';
import { groupLapse } from './domain/session/lapse-operations.ts';
import { GatewayRegistration } from './domain/upkeep/gateways/registration-operations.ts';
import { followRotation } from './domain/upkeep/keys/reads.ts';
import { Upkeep } from './domain/upkeep/operations.ts';
import {
  createDocumentExecution,
  type ExecuteDocument,
  limitsOfDocuments,
} from './domain/webhook/delivery/document-operations.ts';
import { deliveryRetention } from './domain/webhook/delivery/retention-operations.ts';
import { WebhookWorker } from './domain/webhook/delivery/worker-operations.ts';
import { createHttpAppStore } from './drivers/app-store/http.ts';
import { shareAppStore } from './drivers/app-store/shared.ts';
import type { OpenIdSettings } from './drivers/identity/identity.ts';
import { declaredRegion } from './drivers/region/declared.ts';
import { createKubernetesRegion } from './drivers/region/kubernetes/kubernetes.ts';
import { createSimulatedRegion } from './drivers/region/simulated/simulated.ts';
import { createHttpRegistry } from './drivers/registry/http.ts';
import { shareImageRegistry } from './drivers/registry/shared.ts';
import { createTokenIssuersOnDemand } from './drivers/token-issuer/on-demand.ts';
import { createHttpWebhooks } from './drivers/webhook/http.ts';
import { createDocumentExecutor } from './graphql/server/document-executor.ts';
import type { TrustedDocument } from './graphql/trusted/documents.ts';
import { readTrustedDocuments } from './graphql/trusted/read.ts';
import { createLog, type Log } from './kernel/log.ts';
import { withPortHint } from './kernel/port-in-use.ts';
import { createSeal, type Seal } from './kernel/seal.ts';
import { Feeds } from './live/feeds.ts';
import { measuredDriver, measuredStore } from './telemetry/measured-drivers.ts';
import { openTelemetry } from './telemetry/open.ts';

/** The opened services of a process. The database is migrated and has its first administrator. */
export interface Opened {
  services: Services;
  /** The first administrator's token, if the database was empty. */
  firstToken: string | undefined;
}

/** Migrates the database and gives it its first administrator. Resolves with that one's token if it was empty. */
export async function prepare(
  config: Config,
  log: Log,
  options: { force?: boolean } = {},
): Promise<string | undefined> {
  const telemetry = { metrics: undefined, traces: false };
  const { services, firstToken } = await open({ ...config, telemetry }, log, options);
  await services.db.close();
  return firstToken;
}

/** Opens the database, migrated unless that was done before. Throws an error that describes the problem. */
export async function open(
  config: Config,
  log: Log = createLog(config.logLevel),
  { isMigrated = false, force = false } = {},
): Promise<Opened> {
  if (!isMigrated) await migrate({ url: config.databaseUrl, force, log: (message) => log.info(message) });
  const telemetry = await openTelemetry(config.telemetry, log);
  const db = await openDatabase({
    url: config.databaseUrl,
    poolSize: config.databasePool,
    pooler: config.databasePooler,
    listenUrl: config.databaseListenUrl,
    lockTimeoutMs: config.databaseLockTimeoutMs,
    onConnectionError: (error) => log.warn({ error }, 'database connection lost'),
    telemetry,
  });
  try {
    const seal = createSeal(config.secretKey, config.newSecretKey);
    await requireKeyOf(db, seal);
    await sealStored(db, seal);
    const firstToken = await bootstrap(db, config.bootstrapToken, seal);
    if (firstToken === undefined) {
      // Another gateway may have set up the database meanwhile, or an earlier version.
      if ((await anySealed(db)) === undefined) await storeKeyCheck(db, seal);
      await requireKeyOf(db, seal);
    }
    await logDuplicates({ db, log });
    const simulated = createSimulatedRegion(config.simulated);
    const allowsLocal = config.regionAllowLocal;
    const source = clusterSource({ db, seal, log }, otherRulesOf({ db, seal }), { allowsLocal });
    const kubernetes = createKubernetesRegion(source);
    const regions = [declaredRegion, simulated, kubernetes].map((driver) =>
      measuredDriver(driver, telemetry),
    );
    const store = measuredStore(
      createHttpAppStore({
        allowPrivate: config.storeAllowPrivate,
        headers: telemetry?.outgoingHeaders?.bind(telemetry),
      }),
      telemetry,
    );
    const drivers = {
      region: new Map(regions.map((driver) => [driver.name, driver])),
      store: shareAppStore(store, {}, telemetry),
      registry: shareImageRegistry(
        createHttpRegistry({ allowPrivate: config.registryAllowPrivate }),
        config.registryDigests,
      ),
      issuers: createTokenIssuersOnDemand({ allowPrivate: config.trustAllowPrivate }),
      clusters: kubernetes,
      identity: config.openId && (await openIdProvider(config.openId)),
    };
    const services: Services = { db, feeds: new Feeds(db), drivers, seal, log, telemetry };
    services.jobs = new JobWorker(services, config.jobs);
    services.runs = createRunWorker(services, runSettingsOf(config.jobs));
    services.snapshots = createSnapshotWorker(services, snapshotSettingsOf(config.jobs));
    services.reconciler = new Reconciler(services, config.jobs);
    services.refusals = new RefusedChanges(services);
    const { recordRetentionDays: days } = config;
    services.upkeep = new Upkeep(services, [
      sealing(services),
      jobRetention(services, config.jobRetentionDays),
      deliveryRetention(services),
      tokenRetention(services),
      certificateExpiry(services),
      previewUpkeep(services),
      groupLapse(services, config.membershipMaxDays),
      ...(days === undefined ? [] : [recordRetention(services, days)]),
    ]);
    services.gateway = new GatewayRegistration(services);
    services.deprecatedUses = new DeprecatedUses(services);
    services.executeDocument = documentExecution(services, config);
    services.webhooks = new WebhookWorker(services, {
      sender: createHttpWebhooks({ allowPrivate: config.storeAllowPrivate }),
    });
    telemetry?.watch(services);
    return { services, firstToken };
  } catch (error) {
    await telemetry?.close();
    await db.close();
    throw error;
  }
}

/** Executes the documents of webhooks, whichever documents requests may send: who created a webhook has chosen its document. */
export function documentExecution(
  services: Services,
  { limits: given, executor }: Pick<Config, 'limits' | 'executor'>,
): ExecuteDocument {
  const limits = limitsOfDocuments(given);
  return createDocumentExecution(services, {
    limits,
    execute: createDocumentExecutor(schema, { limits, executor }),
    actorOf: (id) => serviceAccountActor(services, id),
  });
}

/** Loaded only where users sign in. */
const openIdProvider = async (settings: OpenIdSettings) =>
  (await import('./drivers/identity/openid.ts')).createOpenIdProvider(settings);

/** Checks that SECRET_KEY matches the stored credentials, so that they are not encrypted with different keys. */
async function requireKeyOf(db: Database, seal: Seal): Promise<void> {
  const lacking = await followRotation(db, seal);
  if (lacking !== undefined) throw new Error(lacking);
  const sealed = await anySealed(db);
  try {
    if (sealed !== undefined) seal.open(sealed);
  } catch {
    throw new Error('SECRET_KEY does not match the key that encrypted the secrets in this database');
  }
}

/** The documents of TRUSTED_DOCUMENTS. Throws a ConfigError if they cannot be used. */
const trustedDocumentsOf = ({ trustedDocumentsPath: path, limits }: Config): TrustedDocument[] =>
  path === undefined ? [] : readTrustedDocuments(path, schema, limits);

/** The services that work by themselves. */
const workers = ['jobs', 'runs', 'snapshots', 'reconciler', 'upkeep', 'webhooks'] as const;

/** Starts listening and carrying out jobs, and resolves with the URL. Closes the database if it fails. */
export async function listen(services: Services, config: Config): Promise<{ server: App; url: string }> {
  let server: App;
  try {
    server = createApp(services, { ...config, trustedDocuments: trustedDocumentsOf(config) });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(config.port, config.host, resolve);
    });
  } catch (error) {
    await services.db.close();
    throw withPortHint(error, 'PORT');
  }
  for (const worker of workers) services[worker]?.start();
  services.gateway?.start();
  services.deprecatedUses?.start();
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : config.port;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return { server, url: `http://${host}:${port}` };
}

/** How long a stop waits for the rollback of aborted requests, in ms. */
const rollbackMs = 400;

/** How long a stop waits until refused changes are written, in ms. */
const refusalsMs = 200;

/**
 * Stops gracefully: requests in progress finish, then the database closes. At the timeout, they are aborted:
 * their connections are closed, which aborts their signals, and uncommitted changes are rolled back. Jobs in progress
 * are handed back to other processes.
 */
export async function close(server: App, services: Services, timeoutMs: number): Promise<void> {
  await stop(server, services, timeoutMs);
  await services.telemetry?.close?.();
}

async function stop(server: App, services: Services, timeoutMs: number): Promise<void> {
  const { db, feeds, log, deprecatedUses, gateway, refusals, drivers } = services;
  const [wasAborted] = await Promise.all([
    server.stop(timeoutMs),
    ...workers.map((worker) => services[worker]?.stop(timeoutMs)),
  ]);
  await Promise.race([refusals?.stop(), sleep(refusalsMs, undefined, { ref: false })]);
  await drivers.clusters.close();
  feeds.close();
  // After the last request.
  const counted = Promise.all([deprecatedUses?.stop(rollbackMs), gateway?.stop(rollbackMs)]);
  if (!wasAborted) {
    await counted;
    return db.close();
  }
  log.warn('requests in progress were aborted');
  const late = sleep(rollbackMs, undefined, { ref: false });
  await Promise.race([Promise.all([server.settled(), counted]), late]);
  // Work that ignores its signal uses a separate connection, which ends with the process.
  await Promise.race([db.close(), late]);
}

/** How long after the timeout of a stop the process ends, even if something is still running, in ms. */
export const graceMs = 2 * rollbackMs;

/** Exits shortly after the timeout of a stop. */
export function exitAfter(timeoutMs: number): void {
  setTimeout(() => process.exit(), timeoutMs + graceMs).unref();
}
