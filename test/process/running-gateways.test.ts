import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { gatewayTimes, runningGateways } from '../../src/db/gateways.ts';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { installedVersion } from '../../src/domain/upkeep/gateways/reads.ts';
import { createSeal } from '../../src/kernel/seal.ts';
import { startProcess, type TrellisProcess } from '../support/process.ts';
import { endStarts, migratedDatabase, secretKey, startHere, stop } from '../support/starts.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

let settings: Awaited<ReturnType<typeof migratedDatabase>>;
let db: Database;
beforeAll(async () => {
  settings = await migratedDatabase();
  db = await openDatabase({ url: settings.DATABASE_URL, poolSize: 1 });
});
afterAll(async () => {
  await db.close();
  await endStarts();
});

const running = () => runningGateways((text) => db.query(text, []), db.dialect);
const present = (count: number) =>
  vi.waitFor(
    async () => {
      const gateways = await running();
      expect(gateways).toHaveLength(count);
      return gateways;
    },
    { timeout: 60_000, interval: 50 },
  );
const ready = async (url: string) => {
  const response = await fetch(`${url}/readyz`);
  return { code: response.status, body: await response.json() };
};

describe('the running gateways', () => {
  let gateway: TrellisProcess;

  it('are registered with their versions and keys, and leave when they stop', async () => {
    gateway = startProcess(settings);
    await gateway.listening;
    const [registered] = await present(1);
    const { name, ...rest } = registered!;
    expect(name).toMatch(new RegExp(`.+/${gateway.child.pid}$`));
    expect(rest).toEqual({
      version: installedVersion(),
      keyIds: createSeal(Buffer.from(secretKey, 'hex')).keyIds,
    });
    await stop(gateway);
    expect(await running()).toEqual([]);
  });

  it('are running for a while after they were killed, and leave the table with a sign of another one', async () => {
    gateway = startProcess(settings);
    await gateway.listening;
    await present(1);
    gateway.child.kill('SIGKILL');
    await gateway.ended;
    expect(await running()).toHaveLength(1);
    const silentSince = new Date(Date.now() - gatewayTimes.lapseMs - 1_000);
    await db.transaction((tx) => tx.gateway.updateMany({ data: { seenAt: silentSince } }));
    expect(await running()).toEqual([]);
    const other = await startHere(settings);
    await present(1);
    expect(await db.query('SELECT count(*) FROM gateway', [])).toEqual([[1]]);
    await other.stop();
  });

  it('are not ready once a later version has migrated their database', async () => {
    const here = await startHere(settings);
    expect(await ready(here.url)).toEqual({ code: 200, body: { status: 'ok' } });
    const name = '29990101000000_later';
    await db.transaction((tx) =>
      tx.$executeRawUnsafe(
        `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('later', 'c', '${name}', CURRENT_TIMESTAMP)`,
      ),
    );
    const refused = {
      code: 503,
      body: {
        status: 'unavailable',
        detail: `A later version of Trellis has migrated the database: ${name}.`,
      },
    };
    await vi.waitFor(async () => expect(await ready(here.url)).toEqual(refused), {
      timeout: 60_000,
      interval: 100,
    });
    await here.stop();
  });
});
