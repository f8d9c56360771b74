import { z } from 'zod';
import { plannedChange } from '../../../../kernel/validate.ts';
import {
  commonSkipReasons,
  cron,
  cronFields,
  defaultTimeZone,
  timeZoneField,
  timeZoneText,
} from '../../timing/model.ts';
import { volumeRef } from '../../volumes/model.ts';

/** Why no snapshot was made at a time of a schedule. */
export const skipReasons = {
  ...commonSkipReasons,
  unavailable: 'The region was not enabled, has no cluster, or its cluster did not respond for 15 minutes.',
  refused: 'The snapshot could not be created: see `lastSkipMessage`.',
} as const;
export type SkipReason = keyof typeof skipReasons;
export const skipReason = z.enum(Object.keys(skipReasons) as [SkipReason, ...SkipReason[]]);

/** How long it is tried to make a snapshot. */
export const takeDeadlineMs = 900_000;

/** The most snapshots of a schedule that stay: so many that have failed can stay beside them. */
const maxKeep = 50;

export const setSnapshotSchedule = z.strictObject({
  volume: volumeRef.describe('The volume.'),
  cron: cron.describe(
    `The times at which snapshots are created, as a cron expression: ${cronFields}, for example \`30 3 * * *\`.`,
  ),
  timeZone: timeZoneField.nullish().describe(`${timeZoneText} Defaults to \`${defaultTimeZone}\`.`),
  keep: z
    .int32()
    .min(1)
    .max(maxKeep)
    .describe(`The number of snapshots of the schedule to keep, from 1 to ${maxKeep}.`),
  ...plannedChange('the volume'),
});
export type SetSnapshotSchedule = z.infer<typeof setSnapshotSchedule>;

export const removeSnapshotSchedule = z.strictObject({
  volume: volumeRef.describe('The volume. It keeps its snapshots.'),
  ...plannedChange('the volume'),
});
export type RemoveSnapshotSchedule = z.infer<typeof removeSnapshotSchedule>;

interface Made {
  name: string;
  isReady: boolean;
  problem: string | null;
}

/** Whether a snapshot is still being made. */
export const isUnderWay = ({ isReady, problem }: Made): boolean => !isReady && problem === null;

/**
 * The snapshots of a schedule, newest first, that do not stay. Those that have failed do not count: the newest ones that are ready
 * stay, and so do the newest `keep` that have failed. Those that are still being made stay.
 */
export function surplusOf<T extends Made>(made: readonly T[], keep: number): T[] {
  const ready = made.filter(({ isReady }) => isReady);
  const failed = made.filter((each) => !each.isReady && !isUnderWay(each));
  return [...ready.slice(keep), ...failed.slice(keep)];
}

/** The reason to skip a snapshot while `keep` snapshots of the schedule are not ready yet. Null if there is none. */
export function tooManyUnderWay(made: readonly Made[], keep: number): string | null {
  const count = made.filter(isUnderWay).length;
  if (count < keep) return null;
  return `${count} ${count === 1 ? 'snapshot' : 'snapshots'} of the schedule ${count === 1 ? 'is' : 'are'} still being made, and ${keep} ${keep === 1 ? 'is' : 'are'} kept. If none gets ready, the cluster may lack a snapshot controller or the driver of its storage.`;
}
