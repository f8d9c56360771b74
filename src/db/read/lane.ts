import type { Duplex } from 'node:stream';
import type pg from 'pg';

/** A connection for reads, with several statements in progress. */
export interface Lane {
  client: pg.Client;
  /** Settled once the client can be asked, or cannot be. */
  connected: Promise<unknown>;
  isConnected: boolean;
  underWay: number;
  /** What was sent and not yet answered, in this order. */
  asked: Asked[];
  /** When it last went on: got an answer, or its first question. */
  movedAt: number;
  isCorked: boolean;
  /** A statement of it was cancelled: it takes no new ones, and ends after its last answer. */
  isGivenUp: boolean;
  breakOff?: NodeJS.Timeout;
  isBrokenOff: boolean;
}

/** A statement that was sent and not yet answered. */
export interface Asked {
  isAborted: boolean;
  isCancelled: boolean;
}

/** The socket of the connection. */
export const streamOf = (lane: Lane) =>
  (lane.client as unknown as { connection: { stream: Duplex } }).connection.stream;
