import type { Bulk } from './bulk.ts';

/** The time of the database, by which all gateways decide what is due. Their own clocks can differ. */
export async function databaseNow({ context: { db }, tx }: Pick<Bulk, 'context' | 'tx'>): Promise<Date> {
  const [[nowMs]] = (await tx.$read(`SELECT ${db.dialect.nowMs}`, [])) as [[number]];
  return new Date(Number(nowMs));
}
