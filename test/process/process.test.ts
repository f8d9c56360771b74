import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { startProcess } from '../support/process.ts';
import {
  ask,
  emptyDatabase,
  endStarts,
  expectRefusal,
  migratedDatabase,
  prepareHere,
  secretKey,
  startHere,
  stop,
} from '../support/starts.ts';
import { startsProcesses } from '../support/starts-processes.ts';
import { databaseKind } from '../support/trellis.ts';

startsProcesses();

const timeout = 120_000;
const folder = mkdtempSync(join(tmpdir(), 'trellis-process-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

afterEach(endStarts);

describe('npm start when it fails', { timeout }, () => {
  it.runIf(databaseKind === 'postgres')('names the unreachable database without its password', async () => {
    const settings = { SECRET_KEY: secretKey };
    const closed = startProcess({ ...settings, DATABASE_URL: 'postgres://me:pass-word@127.0.0.1:1/none' });
    const { stderr } = await expectRefusal(closed, /127\.0\.0\.1:1\/none/);
    expect(stderr).not.toContain('pass-word');
    const { DATABASE_URL } = await emptyDatabase();
    await expect(prepareHere({ ...settings, DATABASE_URL: `${DATABASE_URL}_none` })).rejects.toThrow(
      /_none.*does not exist/,
    );
    const url = new URL(DATABASE_URL);
    url.password = 'pass-word';
    url.username = 'nobody';
    const refused = prepareHere({ ...settings, DATABASE_URL: url.href });
    await expect(refused).rejects.toThrow(/cannot connect/);
    await expect(refused).rejects.not.toThrow('pass-word');
  });

  it.runIf(databaseKind === 'sqlite')('names the file that it cannot open as a database', async () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, 'no database, and long enough to tell. '.repeat(50));
    const below = join(file, 'below', 'trellis.db');
    await expectRefusal(startProcess({ DATABASE_URL: `file:${below}` }), below);
    await expect(prepareHere({ DATABASE_URL: `file:${below}`, SECRET_KEY: secretKey })).rejects.toThrow(
      below,
    );
    const other = prepareHere({ DATABASE_URL: `file:${file}` });
    await expect(other).rejects.toThrow(file);
    await expect(other).rejects.toThrow(/not a database/);
    expect(readFileSync(file, 'utf8')).toMatch(/^no database/);
    await expect(prepareHere({ DATABASE_URL: 'file::memory:' })).rejects.toThrow(
      /DATABASE_URL must be a file/,
    );
  });
});

describe('npm start', { timeout }, () => {
  it.runIf(databaseKind === 'sqlite')(
    'prints a token on the first start only, and makes a folder and a key that only their owner can read',
    async () => {
      const { DATABASE_URL } = await emptyDatabase();
      const folder = join(dirname(DATABASE_URL.slice('file:'.length)), 'new');
      const settings = { DATABASE_URL: `file:${join(folder, 'trellis.db')}` };
      const first = startProcess(settings);
      const url = await first.listening;
      const token = first.printedToken()!;
      expect(token).toMatch(/^trl_[\w-]{43}$/);
      expect((await ask(url, token)).body.data.viewer.user.email).toBe('admin@trellis.example');
      await stop(first);
      const { stdout } = first.output();
      expect(stdout.split(token)).toHaveLength(2);
      const key = join(folder, 'trellis.db.key');
      expect(statSync(key).mode & 0o777).toBe(0o600);
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      expect(stdout).not.toContain(readFileSync(key, 'utf8').trim());

      const second = startProcess(settings);
      const again = await second.listening;
      expect((await ask(again, token)).status).toBe(200);
      await stop(second);
      expect(second.output().stdout).not.toContain('trl_');
      expect(second.printedToken()).toBeUndefined();
    },
  );

  it('prints one token when two processes start on an empty database at once', async () => {
    const settings = await emptyDatabase();
    const both = [startProcess(settings), startProcess(settings)];
    const urls = await Promise.all(both.map(({ listening }) => listening));
    const tokens = both.map((each) => each.printedToken()).filter(Boolean);
    expect(tokens).toHaveLength(1);
    for (const url of urls) expect((await ask(url, tokens[0]!)).status).toBe(200);
    await Promise.all(both.map(stop));
    expect(await prepareHere(settings)).toBeUndefined();
  });

  // Postgres lets gateways start on other machines.
  const onPostgres = it.runIf(databaseKind === 'postgres');
  onPostgres(
    'refuses another SECRET_KEY from the first start on, also of a gateway that starts at the same time',
    async () => {
      const settings = await migratedDatabase();
      const keys = ['ab', 'cd'].map((digits) => digits.repeat(32));
      const both = keys.map((SECRET_KEY) => startProcess({ ...settings, SECRET_KEY }));
      const started = await Promise.all(
        both.map(({ listening }) =>
          listening.then(
            (url) => url,
            () => undefined,
          ),
        ),
      );
      expect(started.filter(Boolean)).toHaveLength(1);
      const first = started[0] ? 0 : 1;
      expect(both[first]!.printedToken()).toMatch(/^trl_/);
      await expectRefusal(both[1 - first]!, /SECRET_KEY does not match/);
      await stop(both[first]!);
      await expect(prepareHere({ ...settings, SECRET_KEY: keys[1 - first]! })).rejects.toThrow(
        /SECRET_KEY does not match/,
      );
    },
  );

  // Credentials are decrypted in the same way whichever database has them.
  const onSqlite = it.runIf(databaseKind === 'sqlite');
  onSqlite('refuses a SECRET_KEY that cannot decrypt the stored credentials', async () => {
    const token = 'a-token-of-at-least-32-characters';
    const settings = { ...(await migratedDatabase()), SECRET_KEY: secretKey, BOOTSTRAP_TOKEN: token };
    const first = await startHere(settings);
    const mutation = `mutation { createRegion(input: {
      name: "north", url: "https://n.example", websocketUrl: "wss://n.example", httpDomain: "n.example",
      tcpDomain: "n.example", credentials: { clientKey: "secret" }
    }) { __typename } }`;
    const answer = await ask(first.url, token, JSON.stringify({ query: mutation }));
    expect(answer.body.data.createRegion.__typename).toBe('CreateRegionPayload');
    await first.stop();
    const refused = prepareHere({ ...settings, SECRET_KEY: 'ef'.repeat(32) });
    await expect(refused).rejects.toThrow(/SECRET_KEY/);
    await (await startHere(settings)).stop();
  });
});
