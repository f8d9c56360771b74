import type { Context } from '../../../../context.ts';
import { batchedRow } from '../../../../db/list.ts';
import type { Row } from '../../../../db/tables.ts';

/** The columns that callers see. What is under way is not among them. */
const shownFields = [
  'volumeId',
  'cron',
  'timeZone',
  'keep',
  'lastRunAt',
  'lastSkippedAt',
  'lastSkipReason',
  'lastSkipMessage',
] as const satisfies (keyof Row<'SnapshotSchedule'>)[];
export type ShownSchedule = Pick<Row<'SnapshotSchedule'>, (typeof shownFields)[number]>;

/** The schedule of a volume. Null if it has none. */
export const scheduleOfVolume = batchedRow('SnapshotSchedule', 'volumeId', shownFields);

/** The time of the database, when the first schedule is to make a snapshot, and when one is to be looked at. */
export async function snapshotTimes(
  db: Pick<Context['db'], 'query' | 'dialect'>,
): Promise<{ nowMs: number; fireMs: number; dueMs: number }> {
  const { nowMs, milliseconds } = db.dialect;
  const first = (column: string) =>
    milliseconds(
      `(SELECT ${column} FROM snapshot_schedule WHERE ${column} IS NOT NULL ORDER BY ${column} LIMIT 1)`,
    );
  const [row] = await db.query(`SELECT ${nowMs}, ${first('next_run_at')}, ${first('due_at')}`, []);
  const known = (value: unknown) => (value === null ? Number.POSITIVE_INFINITY : Number(value));
  return { nowMs: Number(row![0]), fireMs: known(row![1]), dueMs: known(row![2]) };
}
