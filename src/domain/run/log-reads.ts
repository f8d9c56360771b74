import type { Context } from '../../context.ts';
import { batchedRow } from '../../db/list.ts';
import { boundedLook } from '../../drivers/region/driver.ts';
import type { LogFilter, Reader } from '../../drivers/region/instances.ts';
import type { InspectedRun, RunAccess } from '../../drivers/region/runs.ts';
import type { LogGap, LogSource } from '../../drivers/region/stored-logs.ts';
import { allows, placeOf } from '../../kernel/access.ts';
import { requiredRoles } from '../../kernel/actions.ts';
import { ApiError } from '../../kernel/errors.ts';
import { type FoundLogs, foundStored, logsOfInstances, noLogs } from '../component/instances/log-reads.ts';
import { requireRange, searchedRange } from '../component/instances/model.ts';
import { lookFailure, readerOf } from '../component/instances/reads.ts';
import { loadComponent, placeOfComponent } from '../component/reads.ts';
import { loadRegion } from '../region/reads.ts';
import { loadTeam, notAllowed } from '../team/reads.ts';
import { linesOfSaved } from './log-model.ts';
import { defaultTail } from './model.ts';
import { inspectedRun, type LoggedRun } from './reads.ts';

const savedLogById = batchedRow('RunLog', 'id');

interface LogArguments {
  tail?: number | null | undefined;
  search?: string | null | undefined;
  since?: Date | null | undefined;
  until?: Date | null | undefined;
  source?: LogSource | null | undefined;
}

type Asked = LogFilter & { reader: Reader; tail: number; source: LogSource | null };

/** The saved log of a run that its cluster ended before its command had. */
async function savedLogs(context: Context, { id }: LoggedRun, asked: Asked): Promise<FoundLogs | undefined> {
  const row = await savedLogById(context, id);
  if (!row) return undefined;
  const logs = linesOfSaved(context.seal.open(row.sealedLines), asked);
  return { ...logsOfInstances(logs, asked.tail), source: 'saved' };
}

/** How long after its end the lines of a run can be written, in ms. */
const afterEndMs = 60_000;

async function storedLogs(
  access: RunAccess,
  run: InspectedRun,
  asked: Asked,
  signal: AbortSignal,
): Promise<FoundLogs> {
  const now = Date.now();
  const last = run.endedAt ? Math.min(now, run.endedAt.getTime() + afterEndMs) : now;
  const range = searchedRange(asked, run.createdAt, last);
  return foundStored(asked, range, (times) => access.stored(run, { ...asked, ...times }, signal));
}

interface Sources {
  saved(): Promise<FoundLogs | undefined>;
  stored(): Promise<FoundLogs>;
  /** Undefined if the cluster does not have the run, or not any more. */
  instances(gap: LogGap | null): Promise<FoundLogs | undefined>;
}

const nothing = (source: LogSource, gap: LogGap | null = null): FoundLogs => ({
  ...logsOfInstances({ lines: [], isTruncated: false }, 1, gap),
  source,
});

/**
 * From where it was asked for. Otherwise from the log store if the lines are not just the last ones, then from what was saved, from
 * the cluster, and from the log store if the cluster no longer has them.
 */
async function find({ source, search, until }: Asked, from: Sources): Promise<FoundLogs> {
  if (source === 'saved') return (await from.saved()) ?? nothing('saved');
  if (source === 'log_store') return from.stored();
  if (source === 'instances') return (await from.instances(null)) ?? nothing('instances');
  let stored: FoundLogs | undefined;
  if (search !== null || until !== null) {
    stored = await from.stored();
    if (stored.gap === null) return stored;
  }
  const gap = stored?.gap ?? null;
  const logs = (await from.saved()) ?? (await from.instances(gap));
  if (logs) return logs;
  stored ??= await from.stored();
  return stored.gap === null ? stored : nothing('instances', stored.gap);
}

/** How many logs of runs one request may read. */
const maxReads = 20;
const readCounts = new WeakMap<Context, number>();

/**
 * The last lines that a run has written. FORBIDDEN for callers who may not read logs, and REGION_UNAVAILABLE if the cluster or the
 * log store does not respond.
 */
export async function logsOfRun(
  context: Context,
  run: LoggedRun,
  { tail, search, since = null, until = null, source = null }: LogArguments,
): Promise<FoundLogs> {
  requireRange({ since, until });
  const component = await loadComponent(context, run.componentId);
  const team = await loadTeam(context, component.teamId);
  if (!allows(context.actor, 'readLogs', { ...placeOf(team), ...placeOfComponent(component) })) {
    throw notAllowed(context.actor, team, requiredRoles.readLogs);
  }
  const count = (readCounts.get(context) ?? 0) + 1;
  readCounts.set(context, count);
  if (count > maxReads) {
    throw new ApiError('LIMIT_EXCEEDED', `A request can read the logs of at most ${maxReads} runs.`);
  }
  const region = await loadRegion(context, run.regionId);
  const driver = context.drivers.region.get(region.driver);
  const access = driver?.runs;
  if (!access) return noLogs('no_cluster');
  const reader = readerOf(context, component);
  const asked = { reader, tail: tail ?? defaultTail, search: search || null, since, until, source };
  const inspected = inspectedRun(run, component);
  try {
    const answer = await boundedLook(
      (signal) =>
        find(asked, {
          saved: () => savedLogs(context, run, asked),
          stored: () => storedLogs(access, inspected, asked, signal),
          async instances(gap) {
            const logs = await access.logs(inspected, asked, signal);
            return logs ? logsOfInstances(logs, asked.tail, gap) : undefined;
          },
        }),
      context,
      driver.timeoutMs,
    );
    context.budget?.reserve(answer.lines.reduce((sum, { text }) => sum + text.length, 0));
    return answer;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw lookFailure(context, component, error);
  }
}
