import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unique } from '../support/fixtures.ts';
import { endProcesses, startProcess, type TrellisProcess } from '../support/process.ts';
import { send } from '../support/send.ts';
import { startsProcesses } from '../support/starts-processes.ts';
import { databaseKind } from '../support/trellis.ts';

startsProcesses();

const timeout = 120_000;
const folder = mkdtempSync(join(tmpdir(), 'trellis-small-disk-'));
/** Only root can mount a disk. */
const isMounted =
  databaseKind === 'sqlite' &&
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', folder]).status === 0;
afterAll(async () => {
  await endProcesses();
  if (isMounted) spawnSync('umount', ['--lazy', folder]);
  rmSync(folder, { recursive: true, force: true });
});

describe.runIf(isMounted)('an SQLite file on a disk of 12 MiB', { timeout }, () => {
  const token = 'a-token-of-at-least-32-characters';
  let trellis: TrellisProcess;
  let server: { url: string; adminToken: string };
  beforeAll(async () => {
    trellis = startProcess({ DATABASE_URL: `file:${join(folder, 'trellis.db')}`, BOOTSTRAP_TOKEN: token });
    server = { url: await trellis.listening, adminToken: token };
  }, timeout);

  const ready = async () => (await send(server, { path: '/readyz', token: null })).status;
  /** Creates a team. Returns the code of the error, or nothing. */
  async function write(): Promise<string | undefined> {
    const name = unique('team');
    const alias = 'x'.repeat(60);
    const query = `mutation { createTeam(input: { name: "${name}", alias: "${alias}" }) { __typename } }`;
    const { body } = await send(server, { body: JSON.stringify({ query }) });
    if (!body.errors) expect(body.data.createTeam.__typename).toBe('CreateTeamPayload');
    return body.errors?.[0].extensions.code;
  }
  const files = () => [
    statSync(join(folder, 'trellis.db')).size,
    statSync(join(folder, 'trellis.db-wal')).size,
  ];

  it('is not ready while writes fail, and continues by itself when there is space', async () => {
    expect(await write()).toBeUndefined();
    const other = join(folder, 'other');
    // What else is on the disk takes all that is left, also what a write that fails gives back.
    const takePage = () => appendFileSync(other, Buffer.alloc(4096));
    const takeAll = () =>
      expect(() => {
        for (;;) takePage();
      }).toThrow('ENOSPC');
    // Small writes can have room where larger ones have failed.
    const refused: (string | undefined)[] = [];
    let inARow = 0;
    for (let nth = 0; nth < 3_000 && inARow < 3; nth++) {
      takeAll();
      refused.push(await write());
      inARow = (await ready()) === 503 ? inARow + 1 : 0;
    }
    expect(inARow, `with ${files()} bytes`).toBe(3);
    expect(refused.at(-1)).toBe('UNAVAILABLE');
    expect(
      (await send(server, { body: '{"query":"{ teams { totalCount } }"}' })).body.errors,
    ).toBeUndefined();
    rmSync(other);
    await expect.poll(ready, { timeout: 90_000 }).toBe(200);
    for (let nth = 0; nth < 20; nth++) expect(await write()).toBeUndefined();
  });

  it('is not filled by the log of many transactions', async () => {
    writeFileSync(join(folder, 'other'), Buffer.alloc(4 * 2 ** 20));
    for (let nth = 0; nth < 300; nth++) {
      expect(await write(), `${nth} with ${files()} bytes`).toBeUndefined();
    }
  });
});
