import type { Duplex } from 'node:stream';
import type pg from 'pg';
import { decrease, increase } from '../../kernel/counts.ts';

/** A connection for reads, with several statements in progress. */
export interface ReadConnection {
  client: pg.Client;
  /** Settled when the client has connected or failed to. */
  connected: Promise<unknown>;
  isConnected: boolean;
  inProgress: number;
  /** The number of statements in progress of each caller. */
  callers: Map<string, number>;
  /** The statements that were sent and not yet answered, in order. */
  pending: PendingStatement[];
  /** The time of the last response, or of the first statement. */
  respondedAt: number;
  isCorked: boolean;
  /** Set when one of its statements is cancelled. It then accepts no new ones and ends after its last response. */
  isAbandoned: boolean;
  breakOff?: NodeJS.Timeout;
  isBrokenOff: boolean;
}

/** A statement that was sent and not yet answered. */
export interface PendingStatement {
  isAborted: boolean;
  isCancelled: boolean;
}

export const streamOf = (connection: ReadConnection) =>
  (connection.client as unknown as { connection: { stream: Duplex } }).connection.stream;

/** Adds a statement to those in progress of its caller. Statements of the process have no caller. */
export function countStatement({ callers }: ReadConnection, caller: string | undefined): void {
  if (caller !== undefined) increase(callers, caller);
}

/** Removes a statement from those in progress of its caller. */
export function uncountStatement({ callers }: ReadConnection, caller: string | undefined): void {
  if (caller !== undefined) decrease(callers, caller);
}
