import type { Context } from '../../../context.ts';
import type { InstanceAccess, LogQuery, Logs, StoredLogs } from '../../../drivers/region/instances.ts';
import type { LogGap, LogSource } from '../../../drivers/region/stored-logs.ts';
import { aloneSince } from '../names/alone-reads.ts';
import { defaultTail, requireRange, searchedRange } from './model.ts';
import { type Inspected, look, pickInstances, readerOf, readOnce, requireLook } from './reads.ts';

/** Lines, and where they come from. */
export interface FoundLogs extends Logs {
  /** Null if there is nothing to read them from. */
  source: LogSource | null;
  /** Why the log store of the region was not read, if it should have been. */
  gap: LogGap | null;
  /** The start of what was searched of the log store. */
  searchedFrom: Date | null;
  mayHaveMore: boolean;
}

export const noLogs = (gap: LogGap): FoundLogs => ({
  lines: [],
  isTruncated: false,
  source: null,
  gap,
  searchedFrom: null,
  mayHaveMore: false,
});

/** The last lines of instances or runs, of which at most `tail` were asked for. */
export const logsOfInstances = (logs: Logs, tail: number, gap: LogGap | null = null): FoundLogs => ({
  lines: logs.lines,
  isTruncated: logs.isTruncated,
  source: 'instances',
  gap,
  searchedFrom: null,
  mayHaveMore: logs.isTruncated || logs.lines.length >= tail,
});

interface LogArguments {
  instance?: string | null;
  container?: string | null;
  tail?: number | null;
  since?: Date | null;
  until?: Date | null;
  search?: string | null;
  source?: LogSource | null;
}

type Asked = LogQuery & { instance: string | null; source: LogSource | null };
type Logged = Inspected & { createdAt: Date };

/** The lines that a log store has of a time, of which at most `tail` were asked for. */
export async function foundStored(
  { tail }: { tail: number },
  { from, to, isShortened }: ReturnType<typeof searchedRange>,
  read: (times: { from: Date; to: Date }) => Promise<StoredLogs>,
): Promise<FoundLogs> {
  // Nothing can be found before there was something to write. Still the region says whether it has a log store.
  const isEmpty = from > to;
  const stored = await read(isEmpty ? { from: to, to } : { from, to });
  if (stored.gap !== null) return noLogs(stored.gap);
  const lines = isEmpty ? [] : stored.lines;
  const isTruncated = !isEmpty && stored.isTruncated;
  const mayHaveMore = isTruncated || isShortened || lines.length >= tail;
  return { lines, isTruncated, source: 'log_store', gap: null, searchedFrom: from, mayHaveMore };
}

/** The lines of a component in the log store, which knows it by its name. */
async function stored(
  context: Context,
  access: InstanceAccess,
  component: Logged,
  asked: Asked,
  signal: AbortSignal,
): Promise<FoundLogs> {
  const since = await aloneSince(context, component);
  if (since === null) return noLogs('shared_name');
  const range = searchedRange(asked, since, Date.now());
  return foundStored(asked, range, (times) => access.stored(component, { ...asked, ...times }, signal));
}

/** From the log store if it is asked for, or if there is one and the lines are not just the last ones of the instances. */
async function find(
  context: Context,
  access: InstanceAccess,
  component: Logged,
  asked: Asked,
  signal: AbortSignal,
): Promise<FoundLogs> {
  const { source, search, until, tail } = asked;
  let gap: LogGap | null = null;
  if (source === 'log_store' || (source === null && (search !== null || until !== null))) {
    const logs = await stored(context, access, component, asked, signal);
    if (logs.gap === null || source === 'log_store') return logs;
    gap = logs.gap;
  }
  const instances = pickInstances(await access.list(component, signal), asked);
  return logsOfInstances(await access.logs(component, instances, asked, signal), tail, gap);
}

/** FORBIDDEN for callers who are no developers of the team, and empty if the driver of the region has no instances. */
export async function logsOf(
  context: Context,
  component: Logged,
  {
    instance = null,
    container = null,
    tail,
    since = null,
    until = null,
    search,
    source = null,
  }: LogArguments,
): Promise<FoundLogs> {
  requireRange({ since, until });
  await requireLook(context, component);
  const which = { instance, container, since, until, source };
  const query = { ...which, tail: tail ?? defaultTail, search: search || null };
  const logs = await look(context, component, async (access, signal) =>
    readOnce(context, 'logs', [component.id, ...Object.values(query)], () =>
      find(context, access, component, { ...query, reader: readerOf(context, component) }, signal),
    ),
  );
  if (!logs) return noLogs('no_cluster');
  context.budget?.reserve(logs.lines.reduce((sum, { text }) => sum + text.length, 0));
  return logs;
}
