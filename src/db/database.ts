import type { Dialect } from './dialect.ts';
import type { Prisma } from './generated/sqlite/client.ts';

/** A transaction, or the client itself: the same models either way. */
export type Transaction = Prisma.TransactionClient;

/** An open database of either kind. */
export interface Database {
  dialect: Dialect;
  /**
   * Runs `work` in one transaction that has the write lock (SQLite) from its start. When the signal is aborted
   * before the commit, the running statement is cancelled (Postgres), the transaction is rolled back, and the
   * promise rejects with the signal's reason.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /**
   * One prepared statement, sent straight to the driver; rows are arrays in column order. Rejects with the
   * signal's reason when that is aborted; the statement is then cancelled.
   */
  query(text: string, params: unknown[], signal?: AbortSignal): Promise<unknown[][]>;
  /** Calls the listener after this process has changed who a token stands for, or what a user may do. */
  onRightsChange(listener: () => void): void;
  /** Called after the commit of such a change. */
  rightsChanged(): void;
  /** Rows of which not all columns were read refuse to be asked for the others: for tests, since it costs. */
  guardsRows: boolean;
  /** Whether it can be read and written: answers or throws within two seconds. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** `file:…` or `postgres://…`. */
  url: string;
  /** Told of every statement, reads and writes. */
  onStatement?: (text: string) => void;
  /** Told when an idle connection breaks; the pool replaces it by itself. */
  onConnectionError?: (error: Error) => void;
  /** @see Database.guardsRows */
  guardsRows?: boolean;
  /** Connections to Postgres for reads, and as many for writes, beside writes that wait for a lock. */
  poolSize?: number;
  /** Set where connections go through a pooler that gives every transaction another session. */
  pooler?: 'transaction';
  /** How long a write waits for a lock that somebody else holds; 5 seconds by default. */
  lockTimeoutMs?: number;
  /** How long a transaction may do nothing before the database ends it; 30 seconds by default. */
  idleTransactionTimeoutMs?: number;
}

/** What each kind of database brings. */
export type Opened = Omit<Database, 'onRightsChange' | 'rightsChanged' | 'guardsRows'>;

/** How long a transaction may wait for its turn, and how long it may take. */
export const transactionOptions = { maxWait: 20_000, timeout: 60_000 };

/** How long a write waits for a lock, unless told otherwise. */
export const defaultLockTimeoutMs = 5_000;

/** How often `ping` tries a write at most, however often it is called. */
export const probeWriteEveryMs = 1_000;

/** Statements that stay prepared: every connection to Postgres keeps each of them. */
export const maxPrepared = 500;
