import type { Reads } from './client.ts';
import type { Prisma, PrismaClient } from './generated/sqlite/client.ts';
import type { Reader } from './read/reader.ts';

/** Prisma's client within a transaction. It does not have the batched reads, which use connections of their own. */
export type Transaction = Prisma.TransactionClient;

/** An open database of either kind. */
export interface Database extends Reader, Reads {
  /**
   * Runs `work` in one transaction that has the write lock (SQLite) from its start. When the signal is aborted
   * before the commit, the running statement is cancelled (Postgres), the transaction is rolled back, and the
   * promise rejects with the signal's reason.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Calls the listener after this process has changed who a token stands for, or what a user may do. */
  onRightsChange(listener: () => void): void;
  /** Called after the commit of such a change. */
  rightsChanged(): void;
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
  /** @see Reader.guardsRows */
  guardsRows?: boolean;
  /** Connections to Postgres for reads, and as many for writes, beside writes that wait for a lock. */
  poolSize?: number;
  /** Set for poolers in transaction mode. */
  pooler?: 'transaction';
  /** How long a write waits for a lock that somebody else holds; 5 seconds by default. */
  lockTimeoutMs?: number;
  /** How long a transaction may do nothing before the database ends it; 30 seconds by default. */
  idleTransactionTimeoutMs?: number;
}

/** What each kind of database brings. */
export interface Opened
  extends Omit<Database, keyof Reads | 'onRightsChange' | 'rightsChanged' | 'guardsRows'> {
  /** The two clients come from one definition of the models: typed once, as the smaller of the two. */
  client: PrismaClient;
}

/** What a connection to Postgres says that it belongs to. */
export const applicationName = 'trellis';

/** How long a transaction may wait for its turn, and how long it may take. */
export const transactionOptions = { maxWait: 20_000, timeout: 60_000 };

/** How long a write waits for a lock, unless told otherwise. */
export const defaultLockTimeoutMs = 5_000;

/** How often `ping` tries a write at most, however often it is called. */
export const probeWriteEveryMs = 1_000;

/** Statements that stay prepared: every connection to Postgres keeps each of them. */
export const maxPrepared = 500;
