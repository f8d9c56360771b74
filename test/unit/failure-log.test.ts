import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noteSeed, writeFailureLog } from '../support/failure-log.ts';
import { databaseKind, useTrellis } from '../support/trellis.ts';

let folder: string;
const trellis = useTrellis();
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trellis-failure-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
});

describe('the log of a failed test', () => {
  it('has its errors, the last seeds, and the statements and requests of its gateway', async () => {
    noteSeed(4_711);
    await trellis.createTeam();
    await expect.poll(() => trellis.logged.filter(({ msg }) => msg === 'request').length).toBeGreaterThan(0);
    const name = 'test/x.test.ts > a suite/of "things" > fails > sqlite';
    const file = await writeFailureLog({ name, errors: [{ message: 'expected 1 to be 2' }] }, folder);
    expect(basename(file)).toBe('test-x.test.ts-a-suite-of-things-fails-sqlite.log');
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(name);
    expect(text).toContain('expected 1 to be 2');
    expect(text).toMatch(/Seeds, .*\b4711$/m);
    expect(text).toContain(`Gateway ${trellis.url}`);
    expect(text).toMatch(/INSERT INTO \S*team\W/);
    expect(text).toMatch(/"path":"\/graphql","status":200/);
  });

  it.runIf(databaseKind === 'postgres')('has the statement that waits, and what it waits for', async () => {
    const { db } = trellis.services;
    let blocked: Promise<unknown> | undefined;
    await db.transaction(async (tx) => {
      await tx.$write('LOCK TABLE component IN ACCESS EXCLUSIVE MODE', []);
      blocked = db.query('SELECT id FROM component', []);
      const read = async () =>
        readFileSync(await writeFailureLog({ name: 'waiting', errors: [] }, folder), 'utf8');
      await expect
        .poll(read)
        .toMatch(/"wait_event_type":"Lock".*"blocked_by":\[\d+\],"query":"SELECT id FROM component"/);
    });
    await blocked;
  });
});
