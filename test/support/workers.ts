import { existsSync, readFileSync } from 'node:fs';
import { startProcess, type TrellisProcess } from './process.ts';
import type { TestDatabase } from './trellis.ts';

export const token = `trl_${'w'.repeat(43)}`;

/** A gateway with two workers. */
export const startWorkers = (database: TestDatabase, settings: Record<string, string> = {}) =>
  startProcess({
    DATABASE_URL: database.url,
    SECRET_KEY: 'ab'.repeat(32),
    BOOTSTRAP_TOKEN: token,
    WORKERS: '2',
    METRICS_PORT: '0',
    RATE_LIMIT_PER_SECOND: '0',
    // However busy the machine, the request that is in progress at the end has the time to arrive and to be answered.
    RECEIVE_TIMEOUT_MS: '600000',
    SHUTDOWN_TIMEOUT_MS: '600000',
    ...settings,
  });

/** Whether a process runs. One that has ended stays in the list until somebody asks for its exit code. */
export function isAlive(pid: number): boolean {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';
  return stat !== '' && !/\) Z /.test(stat);
}

/** The ids of the processes that a process has started. */
export const childrenOf = ({ child }: TrellisProcess): number[] =>
  readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ').map(Number);
