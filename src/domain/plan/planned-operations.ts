import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change, type Write } from '../../db/write/change.ts';
import type { Taken } from '../../db/write/conflict.ts';
import { type DryRunOptions, dryRunOf } from '../../db/write/dry-run.ts';
import type { EventAction } from '../../db/write/events.ts';
import { type Reading, unlocked } from '../../db/write/reading.ts';
import { plannedBefore } from '../../db/write/recheck.ts';
import { isUnchanged } from '../application/reads.ts';

export interface PlannedChange<P, T> {
  action: EventAction;
  isDryRun: boolean;
  /** Reads and compares. Outside of a transaction, it locks nothing. */
  plan(reading: Reading<Context>): Promise<P>;
  /** The application as the plan has read it. Null if there is none. */
  before(planned: P): Row<'Application'> | null;
  make(write: Write<Context>, planned: P): Promise<T>;
  taken?: Taken;
}

/**
 * Makes a planned change of an application, or a dry run of it: that is the plan, and its changes in a transaction that is rolled
 * back, so that it fails as the change would. Both plan before their transaction, so that others wait for the writes alone. A dry
 * run plans again if the application has changed since, and a change if anything has that its plan was made of.
 */
export function makePlanned<P, T>(
  context: Context,
  { action, isDryRun, plan, before, make, taken }: PlannedChange<P, T>,
  options: DryRunOptions & { settled?: (planned: P) => T | undefined } = {},
): Promise<T> {
  if (!isDryRun) {
    const planned = plannedBefore(context, plan);
    const work = async (write: Write<Context>) => make(write, await planned.within(write));
    return change(context, action, work, taken, planned.prepare);
  }
  const makeUnlessChanged = async (write: Write<Context>, planned: P) => {
    const application = before(planned);
    const isCurrent = application === null || (await isUnchanged(write, application));
    return isCurrent ? make(write, planned) : undefined;
  };
  return dryRunOf(context, () => plan(unlocked(context)), makeUnlessChanged, options);
}
