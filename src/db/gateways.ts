import type { Dialect } from './query/dialect.ts';

/** A gateway that serves requests. */
export interface RunningGateway {
  name: string;
  version: string;
  /** The ids of the keys with which it decrypts. It encrypts with the first. */
  keyIds: string[];
}

/**
 * How often a gateway gives a sign of life, and how long after the last one it counts as ended. By the clock of the database.
 */
export const gatewayTimes = { aliveEveryMs: 10_000, lapseMs: 45_000 };

/** The gateways that are running. `read` returns the rows of a statement as lists. */
export async function runningGateways(
  read: (text: string) => Promise<unknown[][]>,
  { nowMs, milliseconds }: Pick<Dialect, 'nowMs' | 'milliseconds'>,
): Promise<RunningGateway[]> {
  const rows = await read(
    `SELECT name, version, key_ids FROM gateway WHERE ${milliseconds('seen_at')} > ${nowMs} - ${gatewayTimes.lapseMs} ORDER BY started_at, id`,
  );
  return rows.map(([name, version, keyIds]) => ({
    name: name as string,
    version: version as string,
    keyIds: JSON.parse(keyIds as string) as string[],
  }));
}
