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
