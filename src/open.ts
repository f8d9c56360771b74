import type { Server } from 'node:http';
import { bootstrap } from './access-token/bootstrap.ts';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import type { Services } from './context.ts';
import { migrate } from './db/migrate.ts';
import { openDatabase } from './db/open.ts';
import { declaredRegion } from './drivers/declared-region.ts';
import { createLog, type Log } from './kernel/log.ts';
import { createSeal } from './kernel/seal.ts';

/** Everything that a process needs, opened: the database is migrated and has its first administrator. */
export interface Opened {
  services: Services;
  /** The first administrator's token, when this was the first start on an empty database. */
  firstToken: string | undefined;
}

/** Opens the database, or throws with a message that says what is wrong with it. */
export async function open(config: Config, log: Log = createLog(config.logLevel)): Promise<Opened> {
  await migrate({ url: config.databaseUrl, log: (message) => log.info(message) });
  const db = openDatabase({
    url: config.databaseUrl,
    poolSize: config.databasePool,
    onConnectionError: (error) => log.warn({ error }, 'database connection lost'),
  });
  try {
    const firstToken = await bootstrap(db, config.bootstrapToken);
    const drivers = { region: new Map([[declaredRegion.name, declaredRegion]]) };
    return { services: { db, drivers, seal: createSeal(config.secretKey), log }, firstToken };
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** Listens; resolves with the address once it does. */
export async function listen(services: Services, config: Config): Promise<{ server: Server; url: string }> {
  const server = createApp(services, config);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : config.port;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return { server, url: `http://${host}:${port}` };
}

/** Requests under way finish, up to the timeout; then the database closes. */
export async function close(server: Server, { db, log }: Services, timeoutMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // A connection that was busy at that moment becomes idle later, and would be kept alive.
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const late = setTimeout(() => {
    log.warn('requests under way were cut off');
    server.closeAllConnections();
  }, timeoutMs);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
  await db.close();
}
