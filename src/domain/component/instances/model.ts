import { z } from 'zod';
import { instanceLimits } from '../../../drivers/region/instances.ts';
import { type LogSource, logSources } from '../../../drivers/region/stored-logs.ts';
import { boundedString, dryRunField, hostNamePattern, invalid, search } from '../../../kernel/validate.ts';
import { componentRef } from '../model.ts';

/** A name of Kubernetes. */
const objectName = boundedString(253).regex(
  hostNamePattern(),
  'Must contain only lower-case letters, digits, hyphens and dots',
);

/** How many lines are returned unless another number is given. */
export const defaultTail = 100;

export const instanceName = objectName.nullish();
export const containerName = objectName.nullish();
export const logTail = z.int32().min(1).max(instanceLimits.lines).nullish();

export const logSearch = search().nullish();
export const logSource = z.enum(Object.keys(logSources) as [LogSource]);
/** Only lines of runs are saved. */
export const componentLogSource = logSource
  .refine((source) => source !== 'saved', 'Must be INSTANCES or LOG_STORE: only lines of runs are saved')
  .nullish();

const dayMs = 86_400_000;
/** How much of a log store is searched, in days: unless a start is given, and at most. */
export const searchedDays = { default: 7, most: 30 };

/** Throws INVALID_INPUT for a range of time that ends before it begins. */
export function requireRange({ since, until }: { since: Date | null; until: Date | null }): void {
  if (since && until && since > until) throw invalid(['until'], 'Must not be before `since`');
}

/**
 * The time of a log store that is searched, and whether what was asked for begins before it. A component before this one can have
 * had the same name.
 */
export function searchedRange(
  { since, until }: { since: Date | null; until: Date | null },
  createdAt: Date,
  now: number,
): { from: Date; to: Date; isShortened: boolean } {
  const to = Math.min(until?.getTime() ?? now, now);
  const first = Math.max(since?.getTime() ?? 0, createdAt.getTime());
  const from = Math.max(first, to - (since ? searchedDays.most : searchedDays.default) * dayMs);
  return { from: new Date(from), to: new Date(to), isShortened: from > first };
}

export const logOptions = z.strictObject({
  instance: instanceName,
  container: containerName,
  tail: logTail,
});

export const deleteInstance = z.strictObject({
  component: componentRef.describe('The component.'),
  instance: objectName.describe('The `name` of the instance.'),
  dryRun: dryRunField,
});
export type DeleteInstance = z.infer<typeof deleteInstance>;

/** The last known line of each instance, as the id of an item of a subscription. */
export const positionsText = (positions: ReadonlyMap<string, string>): string =>
  [...positions].map(([instance, at]) => `${instance}@${at}`).join(',');

const position = /^([a-z0-9.-]{1,253})@(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z)$/;

/** The inverse; undefined for other texts. */
export function positionsOf(text: string): Map<string, string> | undefined {
  const matches = text.split(',').map((each) => position.exec(each));
  if (matches.some((each) => each === null || Number.isNaN(Date.parse(each[2]!)))) return undefined;
  return new Map(matches.map((each) => [each![1]!, each![2]!]));
}
