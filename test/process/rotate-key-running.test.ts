import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { rotateKey } from '../../src/commands/key-rotation.ts';
import { runningGateways } from '../../src/db/gateways.ts';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { lastRotation } from '../../src/domain/upkeep/keys/reads.ts';
import { createSeal, sealedPrefix } from '../../src/kernel/seal.ts';
import { endCommands, start } from '../support/commands.ts';
import { runHere } from '../support/commands-here.ts';
import { clientOf } from '../support/gateways.ts';
import { endStarts, type Gateway, migratedDatabase, prepareHere, startHere } from '../support/starts.ts';
import { startsProcesses } from '../support/starts-processes.ts';
import { databaseKind, type Trellis } from '../support/trellis.ts';

startsProcesses();

const token = `trl_${'t'.repeat(43)}`;
const [oldKey, newKey, nextKey, lastKey] = ['aa', 'bb', 'cc', 'ee'].map((byte) => byte.repeat(32)) as [
  string,
  string,
  string,
  string,
];
const bytes = (key: string) => Buffer.from(key, 'hex');
const idOf = (key: string) => createSeal(bytes(key)).keyIds[0]!;

let settings: { DATABASE_URL: string; BOOTSTRAP_TOKEN: string };
let db: Database;
let gateway: Gateway | undefined;
let trellis: Trellis;
let teamId: string;
beforeAll(async () => {
  const { DATABASE_URL } = await migratedDatabase();
  settings = { DATABASE_URL, BOOTSTRAP_TOKEN: token };
  db = await openDatabase({ url: DATABASE_URL, poolSize: 3 });
});
afterAll(async () => {
  endCommands();
  await stopGateway();
  await db.close();
  await endStarts();
});

/** A gateway in this process, once it is in the table. */
async function startGateway(keys: { SECRET_KEY: string; NEW_SECRET_KEY?: string }): Promise<void> {
  gateway = await startHere({ ...settings, ...keys });
  trellis = clientOf(gateway.url, token, db);
  const running = () => runningGateways((text) => db.query(text, []), db.dialect);
  await vi.waitFor(async () => expect(await running()).toHaveLength(1), { timeout: 60_000, interval: 50 });
}

async function stopGateway(): Promise<void> {
  const running = gateway;
  gateway = undefined;
  await running?.stop();
}

const stored = async (host: string) =>
  (
    await db.query(`SELECT sealed_password FROM registry_credential WHERE host = '${host}'`, [])
  )[0]![0] as string;
const createCredential = (host: string) =>
  trellis.succeed(
    'createRegistryCredential',
    { team: { teamId }, host, username: 'robot', password: `secret of ${host}` },
    'credential { uid }',
  );

/** Values with the key in use, many enough that a rotation takes a while. */
async function insertValues(count: number, sealed: string): Promise<void> {
  const numbers =
    databaseKind === 'postgres'
      ? `generate_series(1, ${count}) AS n(number)`
      : `(WITH RECURSIVE n(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM n WHERE number < ${count}) SELECT number FROM n) AS n`;
  const columns = 'enterprise_id, team_id, owner_id, host, username, sealed_password, created_at';
  await db.transaction((tx) =>
    tx.$executeRawUnsafe(
      `INSERT INTO registry_credential (${columns}) SELECT t.enterprise_id, t.id, t.id, 'many-' || number, 'robot', '${sealed}', CURRENT_TIMESTAMP FROM team t CROSS JOIN ${numbers} WHERE t.id = '${teamId}'`,
    ),
  );
}

describe('a rotation while gateways are running', () => {
  it('is refused while one of them does not have the new key', async () => {
    await startGateway({ SECRET_KEY: oldKey });
    ({ teamId } = await trellis.createTeam());
    const refused = await runHere('rotate-key', [], {
      ...settings,
      SECRET_KEY: oldKey,
      NEW_SECRET_KEY: newKey,
    });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^Gateways are running without NEW_SECRET_KEY: .+\/\d+\./);
    expect(await lastRotation(db)).toBeUndefined();
    await stopGateway();
  });

  it('begins when all of them have it, has them encrypt with it, and leaves no value behind', async () => {
    await startGateway({ SECRET_KEY: oldKey, NEW_SECRET_KEY: newKey });
    await createCredential('before.example');
    expect(await stored('before.example')).toContain(sealedPrefix(idOf(oldKey)));
    const rotating = rotateKey(
      db,
      { from: bytes(oldKey), to: bytes(newKey) },
      { requireGateways: async () => {}, isForced: false, settle: async () => {} },
    );
    const count = await rotating;
    expect(count).toBeGreaterThanOrEqual(2);
    await createCredential('after.example');
    for (const host of ['before.example', 'after.example']) {
      const value = await stored(host);
      expect(value).toContain(sealedPrefix(idOf(newKey)));
      expect(createSeal(bytes(newKey)).open(value)).toBe(`secret of ${host}`);
    }
    expect(await lastRotation(db)).toEqual({
      keyId: idOf(newKey),
      fromKeyId: idOf(oldKey),
      encryptedValues: count,
      isFinished: true,
    });
    await stopGateway();
  });

  it('leaves a database that needs the new key, and no longer the old one', async () => {
    await expect(prepareHere({ ...settings, SECRET_KEY: oldKey })).rejects.toThrow(
      'SECRET_KEY does not match the key that encrypted the secrets in this database',
    );
    await startGateway({ SECRET_KEY: newKey });
    const { data } = trellis;
    const { registryCredentials } = (
      await data(`{ team(by: { teamId: "${teamId}" }) { registryCredentials { nodes { host } } } }`)
    ).team;
    expect(registryCredentials.nodes).toHaveLength(2);
    await stopGateway();
  });

  it('goes on where it was after it was killed, and needs both keys until then', async () => {
    const many = 6_000;
    await insertValues(many, createSeal(bytes(newKey)).close('secret'));
    const keys = { ...settings, SECRET_KEY: newKey, NEW_SECRET_KEY: nextKey };
    // The test is connected to the database as well.
    const killed = start('rotate-key', ['--force'], keys);
    const isUnderWay = async () => {
      const rotation = (await lastRotation(db))!;
      expect(rotation.keyId).toBe(idOf(nextKey));
      expect(rotation.encryptedValues).toBeGreaterThan(0);
    };
    await vi.waitFor(isUnderWay, { timeout: 120_000, interval: 5 });
    killed.child.kill('SIGKILL');
    await killed.ended;
    const interrupted = (await lastRotation(db))!;
    expect(interrupted).toMatchObject({ keyId: idOf(nextKey), isFinished: false });
    expect(interrupted.encryptedValues).toBeLessThan(many);
    await expect(prepareHere({ ...settings, SECRET_KEY: newKey })).rejects.toThrow(
      'SECRET_KEY does not match',
    );
    await expect(prepareHere({ ...settings, SECRET_KEY: nextKey })).rejects.toThrow(
      'npm run rotate-key has not ended',
    );
    await prepareHere(keys);
    const other = await runHere('rotate-key', ['--force'], { ...keys, NEW_SECRET_KEY: 'dd'.repeat(32) });
    expect(other.stderr).toContain(`A rotation to another key, ${idOf(nextKey)}, has not ended.`);
    const resumed = await runHere('rotate-key', ['--force'], keys);
    expect(resumed).toMatchObject({ code: 0, stderr: '' });
    const [[left]] = (await db.query(
      `SELECT count(*) FROM registry_credential WHERE sealed_password NOT LIKE 'v2.${idOf(nextKey)}.%'`,
      [],
    )) as [[number]];
    expect(Number(left)).toBe(0);
    // Each value was encrypted once.
    const { encryptedValues } = (await lastRotation(db))!;
    expect(resumed.stdout).toBe(`Encrypted ${encryptedValues} values with the new key.\n`);
    expect(encryptedValues).toBeLessThan(many + 10);
  }, 600_000);

  it('that goes on waits for values that gateways store late', async () => {
    const [from, to] = [bytes(nextKey), bytes(lastKey)];
    await startGateway({ SECRET_KEY: nextKey, NEW_SECRET_KEY: lastKey });
    const rotate = (settle: () => Promise<void>) =>
      rotateKey(db, { from, to }, { requireGateways: async () => {}, isForced: false, settle });
    const interrupted = rotate(async () => {
      throw new Error('interrupted');
    });
    await expect(interrupted).rejects.toThrow('interrupted');
    let late = 0;
    await rotate(async () => {
      // All values are encrypted with the new key, and one comes from a transaction that began before.
      if (late++ > 0) return;
      await db.transaction((tx) =>
        tx.registryCredential.updateMany({
          where: { host: 'many-1' },
          data: { sealedPassword: createSeal(from).close('late') },
        }),
      );
    });
    expect(late).toBe(2);
    expect(await stored('many-1')).toContain(sealedPrefix(idOf(lastKey)));
    await stopGateway();
  });
});
