import type Sqlite from 'better-sqlite3';
import { driverCodeOf } from '../connection/unavailable.ts';
import { probeWriteEveryMs } from '../database.ts';
import type { Checkpoints } from './checkpoints.ts';

/** The codes of a file that cannot be written, in contrast to one that another connection is writing. */
const fileCodes = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/;

const sqliteCodeOf = (error: unknown): string =>
  driverCodeOf(error as object) ?? (error as { code?: string }).code ?? '';

export const isBusy = (error: unknown) => /^SQLITE_BUSY/.test(sqliteCodeOf(error));

/** More than a usual transaction writes. */
const probeBytes = 256 * 1024;

/** Whether the database can be written, as the last transactions and probes found. */
export class Writable {
  readonly #probe: Sqlite.Database;
  readonly #checkpoints: Checkpoints;
  #hasFailed = false;
  #writtenAt = Number.NEGATIVE_INFINITY;

  /** `probe` is a connection that nothing else writes with. */
  constructor(probe: Sqlite.Database, checkpoints: Checkpoints) {
    this.#probe = probe;
    this.#checkpoints = checkpoints;
    // Pages are written to the log before the end of the transaction.
    probe.exec('PRAGMA cache_size = 8; PRAGMA cache_spill = 8;');
  }

  committed(): void {
    this.#hasFailed = false;
    this.#checkpoints.committed();
  }

  failed(error: unknown): void {
    if (!fileCodes.test(sqliteCodeOf(error))) return;
    this.#hasFailed = true;
    // On a disk that is full, the log may be what fills it.
    this.#checkpoints.empty();
  }

  /** Throws if the database cannot be written. */
  check(): void {
    const now = performance.now();
    if (!this.#hasFailed && now - this.#writtenAt <= probeWriteEveryMs) return;
    try {
      if (this.#hasFailed) this.#writeMuch();
      // An unused number in the file header. It must change, because otherwise nothing is written.
      else this.#probe.pragma(`user_version = ${Math.floor(Date.now() / 1000)}`);
    } catch (error) {
      this.failed(error);
      // Another connection is writing. Whether that succeeds is not known yet.
      if (!isBusy(error) || this.#hasFailed) throw error;
    }
    this.#hasFailed = false;
    this.#writtenAt = now;
  }

  /** As much as transactions do: a single page may fit where they do not. Leaves nothing behind. */
  #writeMuch(): void {
    try {
      this.#probe.exec(
        `BEGIN IMMEDIATE; CREATE TABLE probe (content); INSERT INTO probe VALUES (zeroblob(${probeBytes}));`,
      );
    } finally {
      if (this.#probe.inTransaction) this.#probe.exec('ROLLBACK');
    }
  }
}
