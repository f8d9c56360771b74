import type { RequestBudget } from '../kernel/budget.ts';
import type { RequestStatements } from '../kernel/statements.ts';
import type { Telemetry } from '../kernel/telemetry.ts';
import type { Channel, Listener } from './channel/channel.ts';
import type { Reads } from './client.ts';
import type { Prisma } from './generated/sqlite/client.ts';
import type { Reader } from './query/reader.ts';

/** Statements of a transaction that are sent without the layers of Prisma, which take longer than a short statement. */
export interface Statements {
  /** The rows of a read, as the transaction sees them. */
  $read(text: string, params: readonly unknown[]): Promise<unknown[][]>;
  /** Returns the number of rows that it has written. */
  $write(text: string, params: readonly unknown[]): Promise<number>;
  /** Inserts rows, and returns their number (SQLite). `into` is the statement without its values. */
  $insert?(into: string, rows: readonly (readonly unknown[])[]): Promise<number>;
  /** Whether nothing is committed, so that rows are not locked before they are read. */
  readonly isDryRun?: boolean;
  /** Whether it is the dry run of somebody who may not make the change: no other server is asked for them. */
  readonly asksNobody?: boolean;
  /** Whether these are reads of a plan outside of a transaction, for which nobody waits. */
  readonly isUnlocked?: boolean;
  /** Set for such a plan of a change, whose transaction repeats the reads. */
  readonly log?: ReadLog;
}

/** Whether these are the statements of a transaction, which can be committed or rolled back. */
export const isTransaction = (tx: Statements): tx is Transaction => !tx.isUnlocked;

/** Records the reads of a plan, so that the transaction of the change can check whether they still return the same rows. */
export interface ReadLog extends Pick<Statements, '$read'> {
  /**
   * A statement that is to have the same rows again, and what makes it lock them then. `$read` of the log itself takes no note.
   */
  saw(
    text: string,
    params: readonly unknown[],
    rows: readonly (readonly unknown[])[],
    locking?: string,
  ): void;
  /** A statement that locks rows. */
  locks(text: string, params: readonly unknown[]): void;
}

/** Prisma's client within a transaction. It does not have the batched reads, which use connections of their own. */
export interface Transaction extends Prisma.TransactionClient, Statements {}

/** Adds methods to Prisma's client, which is a proxy: what is assigned to it, all transactions would share. */
export const withMethods = (tx: Prisma.TransactionClient, methods: Statements): Transaction =>
  Object.create(tx, Object.getOwnPropertyDescriptors(methods));

/** The request that a transaction is part of, which it is counted for. */
export interface CountedFor {
  /** Identifies the caller of the request. Undefined for the work of the process. */
  caller?: string | undefined;
  /** Gets the statements that it runs. */
  statements?: RequestStatements | undefined;
  /** Counts the rows that it reads, which stay in memory until the response is sent. */
  budget?: Pick<RequestBudget, 'countRows'> | undefined;
}

/** An open database of either kind. */
export interface Database extends Reader, Reads {
  /**
   * Runs `work` in one transaction that has the write lock (SQLite) from its start. When the signal is aborted
   * before the commit, the running statement is cancelled (Postgres), the transaction is rolled back, and the
   * promise rejects with the signal's reason. Its statements and rows are counted for a request.
   */
  transaction<T>(
    work: (tx: Transaction) => Promise<T>,
    signal?: AbortSignal,
    counted?: CountedFor,
  ): Promise<T>;
  /**
   * Resolves when the pages that were written have been copied into the database file (SQLite), which slows down writes. Work
   * that can wait does so. Undefined if they are not being copied, and on Postgres.
   */
  copied?(): Promise<void> | undefined;
  /** Publishes commits to the processes that share the database. */
  channel: Channel;
  /** Checks that the database can be read and written. Resolves or rejects within two seconds. */
  ping(): Promise<void>;
  /** The connections at this moment. */
  pools(): PoolState[];
  close(): Promise<void>;
}

/** The connections of one kind. */
export interface PoolState {
  pool: 'read' | 'write';
  /** The most connections, not counting those that wait for locks. */
  size: number;
  open: number;
  inUse: number;
  /** Statements or transactions that wait for a connection. */
  waiting: number;
}

export interface OpenOptions {
  /** `file:…` or `postgres://…`. */
  url: string;
  /** Called for each statement, reads and writes. */
  onStatement?: (text: string) => void;
  /** Measures statements and transactions. */
  telemetry?: Telemetry | undefined;
  /** Called when an idle connection breaks. The pool replaces it. */
  onConnectionError?: (error: Error) => void;
  /** The number of Postgres connections for reads, and for writes that are not waiting for a lock. */
  poolSize?: number;
  /** Set for poolers in transaction mode. */
  pooler?: 'transaction';
  /** A direct connection to Postgres, to be notified of changes by other processes. Defaults to `url`, unless that is a pooler. */
  listenUrl?: string | undefined;
  /** How long a write waits for a lock. Defaults to 5 seconds. */
  lockTimeoutMs?: number;
  /** How long a transaction may be idle before the database ends it. Defaults to 30 seconds. */
  idleTransactionTimeoutMs?: number;
}

/** The parts that differ between the two databases. */
export interface Opened extends Omit<Database, keyof Reads | 'channel'> {
  /** Undefined if changes of other processes are not received. */
  listener?: Listener | undefined;
}

/** The `application_name` of connections to Postgres. */
export const applicationName = 'trellis';
/** The `application_name` of the connection for notifications. */
export const listenerName = 'trellis-listen';

/** How long a transaction may wait to start, and how long it may take, in ms. */
export const transactionOptions = { maxWait: 20_000, timeout: 60_000 };

/** The default time that a write waits for a lock. */
export const defaultLockTimeoutMs = 5_000;

/** The minimum interval between the writes of `ping`. */
export const probeWriteEveryMs = 1_000;

/** The number of statements that stay prepared on each connection to Postgres. */
export const maxPrepared = 500;
