import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { migrate } from '../../src/db/migrate/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { bootstrap } from '../../src/domain/access-token/bootstrap-operations.ts';
import { builtModules } from './built.ts';
import { endProcesses, startProcess } from './process.ts';
import { send } from './send.ts';
import { createDatabase } from './trellis.ts';

const token = 'a-token-of-at-least-32-characters';
const children = new Set<ChildProcess>();
const source = (path: string) => JSON.stringify(pathToFileURL(join(builtModules(), path)).href);

/** The first start without what listens: the migrations, the first administrator and its token. */
const scripts = {
  migrations: `
    const { migrate } = await import(${source('db/migrate/migrate.js')});
    const [url] = process.argv.slice(1);
    process.stdout.write('started');
    await migrate({ url });`,
  firstAdministrator: `
    const { openDatabase } = await import(${source('db/open.js')});
    const { bootstrap } = await import(${source('domain/access-token/bootstrap-operations.js')});
    const [url, token] = process.argv.slice(1);
    const db = await openDatabase({ url });
    await db.query('SELECT 1', []);
    process.stdout.write('started');
    await bootstrap(db, token);
    await db.close();`,
};

/** A first start as a process of its own. */
function firstStart(url: string, part: keyof typeof scripts) {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', scripts[part], url, token], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const ended = new Promise<{ code: number | null; errors: string }>((resolve) => {
    child.once('close', (code) => {
      children.delete(child);
      resolve({ code, errors });
    });
  });
  const started = new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
  return { child, started, ended };
}

/** Within what time each part is killed, longer than it takes on a machine with nothing else to do. */
const windowsMs = { migrations: 150, firstAdministrator: 500 };
type Part = keyof typeof windowsMs;
/** Processes at once. */
const atOnce = 3;

/** Kills each part of a first start so many times. */
export function testMigrateKills(kills: Record<Part, number>): void {
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await endProcesses();
  });

  describe('a first start that is killed with SIGKILL', () => {
    it.each(['migrations', 'firstAdministrator'] as const)(
      'is completed by the next start: %s',
      {
        timeout: 300_000,
      },
      async (part) => {
        const [times, windowMs] = [kills[part], windowsMs[part]];
        const expected = await wholeStart();
        let killed = 0;
        const kill = async (index: number) => {
          const database = await createDatabase();
          if (part !== 'migrations') await migrate({ url: database.url });
          const first = firstStart(database.url, part);
          // Some times another process starts on the same database, and is not killed.
          const second = index % 5 === 0 ? firstStart(database.url, part) : undefined;
          await first.started;
          // Waits on time: the process is killed at many moments of its work.
          await sleep((index / times) * windowMs);
          first.child.kill('SIGKILL');
          if ((await first.ended).code === null) killed++;
          if (second) expect(await second.ended).toEqual({ code: 0, errors: '' });
          expect(await nextStart(database.url)).toEqual(expected);
          await database.drop();
        };
        const indexes = Array.from({ length: times }, (_, index) => index);
        await Promise.all(
          Array.from({ length: atOnce }, async () => {
            for (let index = indexes.shift(); index !== undefined; index = indexes.shift()) await kill(index);
          }),
        );
        // Of many, some are killed while they still have something to do. A single one can be done.
        expect(killed).toBeGreaterThanOrEqual(Math.floor(times / 5));
      },
    );

    it('leaves a first administrator whose token works after the next start', async () => {
      const database = await createDatabase();
      const settings = { DATABASE_URL: database.url, SECRET_KEY: 'ab'.repeat(32), BOOTSTRAP_TOKEN: token };
      const first = startProcess(settings);
      await expect
        .poll(() => first.log().some(({ msg }) => msg.startsWith('applying migrations')), { timeout: 60_000 })
        .toBe(true);
      first.child.kill('SIGKILL');
      await first.ended;
      const trellis = startProcess(settings);
      const server = { url: await trellis.listening, adminToken: token };
      const answer = await send(server, { body: JSON.stringify({ query: '{ viewer { user { email } } }' }) });
      expect(answer.body).toEqual({ data: { viewer: { user: { email: 'admin@trellis.example' } } } });
      trellis.child.kill('SIGTERM');
      expect(await trellis.ended).toBe(0);
      await database.drop();
    });
  });
}

const summary = async (url: string) => {
  const db = await openDatabase({ url, poolSize: 1 });
  await bootstrap(db, token);
  const rows = await db.query(
    'SELECT migration_name, applied_steps_count, finished_at IS NULL, rolled_back_at IS NULL FROM _prisma_migrations ORDER BY started_at',
    [],
  );
  const [counts] = await db.query(
    'SELECT (SELECT count(*) FROM enterprise), (SELECT count(*) FROM user_account), (SELECT count(*) FROM access_token), (SELECT count(*) FROM event)',
    [],
  );
  await db.close();
  return { rows: rows.map((row) => row.map(String)), counts: counts!.map(Number) };
};

async function nextStart(url: string) {
  await migrate({ url });
  return summary(url);
}

async function wholeStart() {
  const database = await createDatabase();
  const result = await nextStart(database.url);
  await database.drop();
  return result;
}
