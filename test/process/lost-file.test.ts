import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { unique } from '../support/fixtures.ts';
import { send } from '../support/send.ts';
import { startHere } from '../support/starts.ts';
import { databaseKind } from '../support/trellis.ts';
import { databaseUnavailable } from '../support/unavailable.ts';

const folder = mkdtempSync(join(tmpdir(), 'trellis-lost-'));
const token = 'a-token-of-at-least-32-characters';
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function start(name: string) {
  const file = join(folder, name);
  const trellis = await startHere({ DATABASE_URL: `file:${file}`, BOOTSTRAP_TOKEN: token });
  const server = { url: trellis.url, adminToken: token };
  return {
    file,
    trellis,
    ready: async () => (await send(server, { path: '/readyz', token: null })).status,
    write: async () => {
      const query = `mutation { createTeam(input: { name: "${unique('team')}" }) { __typename } }`;
      return (await send(server, { body: JSON.stringify({ query }) })).body;
    },
    stop: trellis.stop,
  };
}
type Started = Awaited<ReturnType<typeof start>>;

const works = async ({ write, ready }: Started) => {
  expect((await write()).data.createTeam.__typename).toBe('CreateTeamPayload');
  expect(await ready()).toBe(200);
};

async function expectLost({ write, ready, trellis }: Started, what: string): Promise<void> {
  expect((await write()).errors).toMatchObject([
    { message: databaseUnavailable, extensions: { code: 'UNAVAILABLE' } },
  ]);
  expect(await ready()).toBe(503);
  const messages = () =>
    trellis
      .log()
      .filter((line) => JSON.stringify(line).includes(`The database file was ${what}`))
      .map(({ msg }) => msg);
  // The log can arrive after the response.
  await expect.poll(messages).toContain('readiness check failed');
}

describe.runIf(databaseKind === 'sqlite')('an SQLite file', () => {
  it('that was deleted gets no more changes, which would be lost', async () => {
    const started = await start('deleted.db');
    await works(started);
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${started.file}${suffix}`, { force: true });
    await expectLost(started, 'deleted');
    await started.stop();
  });

  it('that was replaced by a copy gets changes again after a restart', async () => {
    const started = await start('replaced.db');
    await works(started);
    await started.stop();
    copyFileSync(started.file, `${started.file}.copy`);
    const again = await start('replaced.db');
    await works(again);
    renameSync(`${again.file}.copy`, again.file);
    await expectLost(again, 'replaced');
    await again.stop();
    for (const suffix of ['-wal', '-shm']) rmSync(`${again.file}${suffix}`, { force: true });
    const restarted = await start('replaced.db');
    await works(restarted);
    await restarted.stop();
  });
});
