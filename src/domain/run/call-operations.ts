import type { Services } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { DueSettings } from '../../db/work/due.ts';
import { bounded, RegionWorkError } from '../../drivers/region/driver.ts';
import { instanceLimits } from '../../drivers/region/instances.ts';
import { noFilter } from '../../drivers/region/log-filter.ts';
import type { RunAccess, RunReport } from '../../drivers/region/runs.ts';
import { createLoaders } from '../../kernel/batch.ts';
import { componentById } from '../component/reads.ts';
import { desiredComponent } from '../job/desired-reads.ts';
import type { JobSettings } from '../job/worker/model.ts';
import { regionTarget } from '../region/cluster-reads.ts';
import { regionById } from '../region/reads.ts';
import { savedLogOf } from './log-model.ts';
import type { RunStatus } from './model.ts';
import { commandOf, inspectedRun } from './reads.ts';
import type { RunOutcome } from './rows.ts';

type Run = Row<'ComponentRun'>;

export interface RunSettings extends DueSettings {
  callTimeoutMs: number;
  /** The pause between two looks at a run, which becomes longer with its age. */
  minPauseMs: number;
  /** The longest pause while a run is ended, so that what it writes then is saved. */
  endPauseMs: number;
  /** The timeout of reading a log that is saved. */
  saveTimeoutMs: number;
  /** How long it is tried to start a run. */
  startDeadlineMs: number;
}

export const runDefaults: RunSettings = {
  pollMs: 2_000,
  leaseMs: 30_000,
  callTimeoutMs: 9_000,
  minPauseMs: 200,
  maxPauseMs: 5_000,
  endPauseMs: 500,
  saveTimeoutMs: 5_000,
  startDeadlineMs: 900_000,
  atOnce: 8,
};

/** The settings of jobs hold for runs, too. A look is at most two calls and the reading of a log, and ends before its lease. */
export const runSettingsOf = ({ pollMs, leaseMs, callTimeoutMs }: JobSettings): Partial<RunSettings> => ({
  pollMs,
  leaseMs,
  callTimeoutMs: Math.min(callTimeoutMs, (leaseMs * 3) / 10),
  saveTimeoutMs: Math.min(runDefaults.saveTimeoutMs, leaseMs / 6),
});

const shownReasonLength = 500;

const statusOf: { [phase in RunReport['phase']]: RunStatus } = {
  pending: 'pending',
  running: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  timedOut: 'timed_out',
  gone: 'failed',
};

/** The cluster of a run. Undefined if its region was deleted, or has another driver since. */
async function accessOf(services: Services, { regionId }: Pick<Run, 'regionId'>) {
  const context = { ...services, loaders: createLoaders() };
  const row = await regionById(context, regionId);
  const access = row && services.drivers.region.get(row.driver)?.runs;
  return access ? { context, access, region: regionTarget(services, row) } : undefined;
}

/** Whether a deploy waits for a run. */
async function isAwaited({ db }: Services, { id, componentId }: Run): Promise<boolean> {
  const fields = ['id', 'runId'] as const;
  const [pending] = await db.pendingDeploy.findManyByKeys({ by: 'id', keys: [componentId], fields });
  return pending?.runId === id;
}

/** Asks the cluster for a run, and says what came of it. Never throws. */
export async function lookAtRun(
  services: Services,
  run: Run,
  settings: RunSettings,
  now: Date,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const ageMs = now.getTime() - run.createdAt.getTime();
  const pauseMs = Math.min(settings.maxPauseMs, Math.max(settings.minPauseMs, ageMs / 8));
  const again = new Date(now.getTime() + pauseMs);
  const over = (status: RunStatus, reason: string | null): RunOutcome => ({
    status,
    reason,
    endedAt: now,
    dueAt: null,
  });
  try {
    const place = await accessOf(services, run);
    if (!place)
      return over(run.status === 'cancelling' ? 'cancelled' : 'failed', 'The region has no cluster.');
    const { context, access, region } = place;
    const component = await componentById(context, run.componentId);
    if (!component) return over('failed', 'The component was deleted.');
    const order = { ...run, command: commandOf(run) };
    const call = <T>(work: (ended: AbortSignal) => Promise<T>) =>
      bounded(work, signal, settings.callTimeoutMs);
    /** Saves what it has written, which the cluster removes with its pod, and ends it. */
    const end = async (status: RunStatus): Promise<RunOutcome> => {
      const saved = await logToSave(services, { run, component, access }, settings, signal);
      const isDone = await call((ended) => access.end(region, component, order, ended));
      const soon = new Date(now.getTime() + Math.min(pauseMs, settings.endPauseMs));
      return {
        ...saved,
        ...(isDone ? over(status, null) : { status: run.status as RunStatus, dueAt: soon }),
      };
    };
    if (run.status === 'cancelling') return await end('cancelled');
    const isPending = run.jobId !== null;
    if (isPending && !(await isAwaited(services, run))) {
      return { status: 'cancelling', reason: 'The deploy after this command has ended.', dueAt: now };
    }
    if (run.placedAt) {
      const report = await call((ended) => access.look(region, component, order, ended));
      const deadline = new Date(run.placedAt.getTime() + run.timeoutSeconds * 1_000);
      // One that is gone by then was ended by an earlier look.
      if (now >= deadline && ['pending', 'running', 'gone'].includes(report.phase)) {
        return await end('timed_out');
      }
      const outcome = outcomeOf(report, run, now, again < deadline ? again : deadline);
      if (report.phase !== 'timedOut') return outcome;
      return { ...(await logToSave(services, { run, component, access }, settings, signal)), ...outcome };
    }
    const desired = await desiredComponent(context, run.componentId, { isPending });
    if (!desired) return over('failed', 'The component was deleted.');
    const report = await call((ended) => access.start(region, desired, order, ended));
    return { placedAt: now, ...outcomeOf(report, run, now, again) };
  } catch (error) {
    if (signal.aborted) return { status: run.status as RunStatus, dueAt: now };
    const isTold = error instanceof RegionWorkError;
    services.log.warn({ run: run.id, component: run.componentId, error }, 'region driver failed');
    const reason = (isTold ? error.message : 'The region driver failed.').slice(0, shownReasonLength);
    const isHopeless = (isTold && error.isPermanent) || ageMs > settings.startDeadlineMs;
    const isStart = run.status !== 'cancelling' && !run.placedAt;
    if (isStart && isHopeless) return over('failed', reason);
    return { status: run.status as RunStatus, reason, dueAt: new Date(now.getTime() + settings.maxPauseMs) };
  }
}

/** The end of the log of a run. Empty if it cannot be read, which does not keep the run from being ended. */
async function logToSave(
  { seal, log }: Services,
  { run, component, access }: { run: Run; component: Row<'Component'>; access: RunAccess },
  { saveTimeoutMs }: RunSettings,
  signal: AbortSignal,
): Promise<Pick<RunOutcome, 'sealedLines'>> {
  if (!run.placedAt) return {};
  const reader = { callerId: run.id, teamId: component.teamId };
  const query = { ...noFilter, reader, tail: instanceLimits.lines };
  const readLogs = (ended: AbortSignal) => access.logs(inspectedRun(run, component), query, ended);
  try {
    const logs = await bounded(readLogs, signal, saveTimeoutMs);
    const saved = logs && savedLogOf(logs);
    return saved ? { sealedLines: seal.close(saved) } : {};
  } catch (error) {
    if (signal.aborted) throw error;
    log.warn({ run: run.id, component: component.id, error }, 'log of a run was not saved');
    return {};
  }
}

function outcomeOf(report: RunReport, run: Run, now: Date, again: Date): RunOutcome {
  const { phase, exitCode } = report;
  const isOver = phase !== 'pending' && phase !== 'running';
  const gone = 'Somebody deleted the run in the cluster.';
  const reason = phase === 'gone' ? gone : (report.reason?.slice(0, shownReasonLength) ?? null);
  // A pod that is gone no longer says when it was started.
  const startedAt = report.startedAt ?? run.startedAt;
  // A restart of a container that waits is no step back.
  const status = phase === 'pending' ? (run.status as RunStatus) : statusOf[phase];
  return {
    status,
    exitCode,
    reason,
    startedAt,
    ...(isOver && { endedAt: report.endedAt ?? now }),
    dueAt: isOver ? null : again,
  };
}

/** Removes what the cluster has of a run that no longer counts. */
export async function endRun(
  services: Services,
  { run, component }: { run: Run; component: Parameters<RunAccess['end']>[1] },
  { callTimeoutMs }: Pick<RunSettings, 'callTimeoutMs'>,
  signal: AbortSignal,
): Promise<void> {
  const place = await accessOf(services, run);
  if (!place) return;
  await bounded((ended) => place.access.end(place.region, component, run, ended), signal, callTimeoutMs);
}
