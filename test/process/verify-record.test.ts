import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { run } from '../support/commands.ts';
import { runHere } from '../support/commands-here.ts';
import {
  exportOf,
  linesIn,
  meddle,
  recordEvents,
  removeTriggers,
  sealerOf,
} from '../support/sealed-record.ts';
import { send } from '../support/send.ts';
import { startsProcesses } from '../support/starts-processes.ts';
import { startTrellis, type Trellis, useTrellis } from '../support/trellis.ts';

startsProcesses();

const [oldKey, newKey] = ['aa', 'bb'].map((byte) => byte.repeat(32)) as [string, string];
const folder = mkdtempSync(join(tmpdir(), 'trellis-verify-'));

const trellis = useTrellis({ secretKey: Buffer.from(oldKey, 'hex') });
afterAll(async () => {
  rmSync(folder, { recursive: true });
});

const command = (name: string, env: Record<string, string>, ...args: string[]) => runHere(name, args, env);
const inDatabase = (key: string, runs: typeof run = runHere) =>
  runs('verify-record', [], { DATABASE_URL: trellis.databaseUrl, SECRET_KEY: key });
const file = (name: string, content: string | Buffer) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

describe('verify-record', () => {
  it('verifies the database and exports, before and after the key is changed', async () => {
    await recordEvents(trellis, 5);
    await sealerOf(trellis).seal();
    const found = await inDatabase(oldKey, run);
    expect(found.stdout).toMatch(/^Enterprise default: 6 events and 1 seal verified, until 20\d\d-.*Z\.\n/);
    expect(found.stdout).toMatch(/Last seal: 1 [\w-]{43}\n {2}0 events not sealed yet\.\n$/);
    expect(found.code).toBe(0);
    expect((await inDatabase(newKey)).stdout).toContain('which is not trusted');

    const keys = async (of: Trellis) =>
      (await send(of, { path: '/.well-known/trellis-record.json', token: null })).text;
    const oldKeys = file('old-keys.json', await keys(trellis));
    const early = file('early.ndjson.gz', gzipSync(await exportOf(trellis)));
    const verified = await command('verify-record', {}, '--file', early, '--key', oldKeys);
    expect(verified).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('6 events and 1 seal verified'),
    });
    expect(await command('verify-record', { SECRET_KEY: oldKey }, '--file', early)).toMatchObject({
      code: 0,
    });

    const rotated = await command(
      'rotate-key',
      { DATABASE_URL: trellis.databaseUrl, SECRET_KEY: oldKey, NEW_SECRET_KEY: newKey },
      '--force',
    );
    expect(rotated).toMatchObject({ code: 0, stderr: '' });
    const again = await startTrellis({ secretKey: Buffer.from(newKey, 'hex') });
    const next: Trellis = { ...trellis, services: { ...trellis.services, seal: again.services.seal } };
    await again.close();
    await recordEvents(next, 1);
    await sealerOf(next).seal();
    await recordEvents(next, 1);
    // The rotation is an event, too.
    expect(await inDatabase(newKey)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/8 events and 2 seals verified[\s\S]*\n {2}1 event not sealed yet/),
    });

    const backAgain = await command(
      'rotate-key',
      { DATABASE_URL: trellis.databaseUrl, SECRET_KEY: newKey, NEW_SECRET_KEY: oldKey },
      '--force',
    );
    expect(backAgain).toMatchObject({ code: 1, stderr: expect.stringContaining('was used before') });
  });

  it('names what was changed, and fails', async () => {
    const saved = await exportOf(trellis);
    await removeTriggers(trellis);
    await meddle(trellis, "UPDATE event SET request_id = 'other' WHERE id IN (3, 4)");
    const found = await inDatabase(newKey);
    expect(found.code).toBe(1);
    expect(found.stdout).toContain('WRONG: Event 3 was changed. It belongs to seal 1.');
    const changed = saved
      .split('\n')
      .filter((line) => !line.includes('"type":"event","id":5,'))
      .join('\n');
    const env = { SECRET_KEY: newKey };
    expect(await command('verify-record', env, '--file', file('changed.ndjson', changed))).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('Event 5 was removed'),
    });
    const half = saved.slice(0, saved.length / 2);
    expect(linesIn(saved).length).toBeGreaterThan(5);
    expect(
      await command('verify-record', env, '--file', file('half', half.slice(0, half.lastIndexOf('\n')))),
    ).toMatchObject({ code: 1, stderr: expect.stringContaining('Download it again') });
  });

  it('explains how it is called', async () => {
    const none = join(folder, 'none');
    const env = { DATABASE_URL: `file:${none}` };
    expect(await command('verify-record', env, '--key', none)).toMatchObject({ code: 1 });
    expect((await command('verify-record', env, '--file', none)).stderr).toContain('--key is required');
    expect((await command('verify-record', { SECRET_KEY: oldKey }, '--file', none)).stderr).toBe(
      `There is no file ${none}.\n`,
    );
    expect((await command('verify-record', env, '--file', none, '--key', none)).stderr).toContain(
      'does not have the keys',
    );
  });
});
