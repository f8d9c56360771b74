import { type Actor, sees } from '../../kernel/access.ts';
import { type ChangeContext, change, requireWritable, type StatementWrite, type Write } from './change.ts';
import type { Taken } from './conflict.ts';
import { type Deleted, prepareDeletion, type Weights } from './deletion.ts';
import { type DryRunOptions, dryRun, dryRunUnlocked } from './dry-run.ts';
import type { EventAction } from './events.ts';
import {
  componentOf,
  leavesEvent,
  placeOfRecorded,
  type RecordEvent,
  type RecordedEvent,
  recordedChanges,
} from './record.ts';

/** One object that a change creates, changes or deletes, in the order of the change. */
export interface ObjectChange {
  action: EventAction;
  subject: RecordedEvent['subject'];
  /** The name of the object for people: its name, alias, domain, address or number. Null if it has none. */
  name: string | null;
  /** The component that the object is or belongs to. */
  componentId: string | undefined;
  /** What the event says of its fields. */
  readonly changes: { readonly [field: string]: readonly [before: unknown, after: unknown] };
  /** Of a component that is deployed: the digest of its image, if it is known. */
  digest?: string | null;
}

/** Whether the caller may know of an object. A change can affect others: a deleted component is no dependency any more. */
function isShown({ actor }: ChangeContext, event: RecordedEvent): boolean {
  const { isPartial, teams } = actor as Partial<Actor>;
  if (!isPartial || !teams) return true;
  const { teamId, ...within } = placeOfRecorded(event);
  return teamId === null || sees(actor as Actor, { teamId, ...within });
}

/** The input of a change that can be planned, and how its dry run differs from others. */
type PlanOptions = { dryRun?: boolean | null | undefined } & Pick<DryRunOptions, 'isLimited' | 'prepare'>;

/** The input of a deletion, and the rows that it deletes. */
type DeletionOptions = Pick<PlanOptions, 'dryRun'> & { deleted: readonly Deleted[]; weights?: Weights };

/** Lists the objects that a change affects, as far as the caller may see them. */
function listingOf(context: ChangeContext, action: EventAction) {
  const plan: ObjectChange[] = [];
  const listing =
    (recordEvent: RecordEvent): RecordEvent =>
    (event) => {
      const isRecorded = recordEvent(event);
      if (isRecorded && isShown(context, event)) {
        plan.push({
          action: event.action ?? action,
          subject: event.subject,
          name: nameOf(event),
          componentId: componentOf(event),
          // Only compared where it is asked for, or stored for a request that is sent again.
          get changes() {
            return recordedChanges(event);
          },
        });
      }
      return isRecorded;
    };
  /** Work can be done more than once, as after a deadlock. */
  const anew =
    <W, T>(work: (write: W) => Promise<T>) =>
    (write: W) => {
      plan.length = 0;
      return work(write);
    };
  return { plan, listing, anew };
}

/** Makes a change and lists the objects that it affected, as far as the caller may see them. A dry run returns the same and writes nothing. */
export async function changeWithPlan<T, C extends ChangeContext>(
  context: C,
  action: EventAction,
  { dryRun: isDryRun, isLimited, prepare }: PlanOptions,
  work: (write: Write<C>) => Promise<T>,
  taken?: Taken,
): Promise<{ result: T; plan: ObjectChange[] }> {
  const { plan, listing, anew } = listingOf(context, action);
  if (isDryRun) {
    const options = {
      recordEvent: listing(leavesEvent),
      ...(isLimited !== undefined && { isLimited }),
      prepare,
    };
    return { result: await dryRun(context, anew(work), options), plan };
  }
  const withList = (write: Write<C>) => anew(work)({ ...write, recordEvent: listing(write.recordEvent) });
  return { result: await change(context, action, withList, taken, prepare), plan };
}

/**
 * As `changeWithPlan`, for a deletion that reads nothing that it has written: its dry run has no transaction. How much is deleted with
 * the rows is limited before it.
 */
export async function changeByStatements<T, C extends ChangeContext>(
  context: C,
  action: EventAction,
  { dryRun, deleted, weights = {} }: DeletionOptions,
  work: (write: StatementWrite<C>) => Promise<T>,
): Promise<{ result: T; plan: ObjectChange[] }> {
  const isDryRun = dryRun ?? false;
  if (!isDryRun) requireWritable(context);
  const check = () => dryRunUnlocked(context, work, leavesEvent);
  await prepareDeletion(context, deleted, { weights, isDryRun, check });
  if (!isDryRun) return changeWithPlan(context, action, {}, work);
  const { plan, listing, anew } = listingOf(context, action);
  return { result: await dryRunUnlocked(context, anew(work), listing(leavesEvent)), plan };
}

function nameOf({ name: given, before, after }: RecordedEvent): string | null {
  const row = (before ?? after ?? {}) as { [field: string]: unknown };
  const name = given ?? row.name ?? row.alias ?? row.domain ?? row.address ?? row.number;
  return name === undefined || name === null ? null : String(name);
}
