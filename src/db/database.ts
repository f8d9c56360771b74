import type { RequestStatements } from '../kernel/statements.ts';
import type { Telemetry } from '../kernel/telemetry.ts';
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
   * promise rejects with the signal's reason. `statements` gets the statements that it runs.
   */
  transaction<T>(
    work: (tx: Transaction) => Promise<T>,
    signal?: AbortSignal,
    statements?: RequestStatements,
  ): Promise<T>;
  /** Registers a listener that is called after this process changes a token or the rights of a user. */
  onRightsChange(listener: () => void): void;
  /** Notifies the listeners. Called after the commit. */
  rightsChanged(): void;
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
  /** @see Reader.guardsRows */
  guardsRows?: boolean;
  /** The number of Postgres connections for reads, and for writes that are not waiting for a lock. */
  poolSize?: number;
  /** Set for poolers in transaction mode. */
  pooler?: 'transaction';
  /** How long a write waits for a lock. Defaults to 5 seconds. */
  lockTimeoutMs?: number;
  /** How long a transaction may be idle before the database ends it. Defaults to 30 seconds. */
  idleTransactionTimeoutMs?: number;
}

/** The parts that differ between the two databases. */
export interface Opened
  extends Omit<Database, keyof Reads | 'onRightsChange' | 'rightsChanged' | 'guardsRows'> {
  /** Both clients are generated from the same models. The code uses the smaller of the two types. */
  client: PrismaClient;
}

/** The `application_name` of connections to Postgres. */
export const applicationName = 'trellis';

/** How long a transaction may wait to start, and how long it may take, in ms. */
export const transactionOptions = { maxWait: 20_000, timeout: 60_000 };

/** The default time that a write waits for a lock. */
export const defaultLockTimeoutMs = 5_000;

/** The minimum interval between the writes of `ping`. */
export const probeWriteEveryMs = 1_000;

/** The number of statements that stay prepared on each connection to Postgres. */
export const maxPrepared = 500;
