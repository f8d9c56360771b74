import type { Services } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { WorkEnded } from '../../../db/work/lease-timer.ts';
import type { RemovedComponent } from '../../../drivers/region/desired.ts';
import { bounded, type RegionDriver, RegionWorkError, type Work } from '../../../drivers/region/driver.ts';
import { createLoaders } from '../../../kernel/batch.ts';
import { UnavailableError } from '../../../kernel/errors.ts';
import { regionTarget } from '../../region/cluster-reads.ts';
import { regionById } from '../../region/reads.ts';
import { desiredComponent } from '../desired-reads.ts';
import { deployGate } from '../gate-hooks.ts';
import type { Outcome } from '../worker-rows.ts';
import type { FailureLog } from './failure-log.ts';
import type { JobSettings } from './model.ts';

/** The longest time until a driver is asked again about work that goes on. */
export const longestCheckMs = 60_000;

/** How often it is looked at what comes before a deploy, which wakes the job when it ends. */
const gateCheckMs = 5_000;

const shownErrorLength = 500;

/** A component without an answer, because it or its region was deleted. */
const gone = Symbol('gone');

/** Calls the driver for a piece of work, and says what came of it. Never throws. */
export async function carryOut(
  services: Services,
  work: Row<'JobComponent'>,
  settings: JobSettings,
  now: Date,
  signal: AbortSignal,
  failures: FailureLog,
): Promise<Outcome> {
  try {
    const passage =
      work.action === 'remove'
        ? ({ kind: 'open', since: null } as const)
        : await deployGate().pass(services, work);
    if (passage.kind === 'waits') return { ...passage, kind: 'progress', waitMs: gateCheckMs };
    if (passage.kind === 'stopped') return { ...passage, kind: 'failed' };
    const startedAt = Math.max(work.startedAt!.getTime(), passage.since?.getTime() ?? 0);
    const elapsedMs = Math.max(0, now.getTime() - startedAt);
    const { answer, deadlineMs } = await ask(services, work, elapsedMs, settings, signal);
    if (answer === gone) return { kind: 'obsolete' };
    const progress = progressOf(answer);
    failures.succeeded(work);
    if (progress.kind === 'progress' && elapsedMs > deadlineMs) {
      const because = progress.reason === null ? '' : ` ${progress.reason}`;
      const error = `Not finished within ${deadlineMs / 1000} s.${because}`;
      return { kind: 'failed', error: error.slice(0, shownErrorLength) };
    }
    return progress;
  } catch (error) {
    if (error instanceof WorkEnded) return { kind: 'handBack', waitMs: 0 };
    if (error instanceof UnavailableError) return { kind: 'handBack', waitMs: settings.backoffMinMs };
    failures.failed(services, work, error);
    return outcomeOf(error, work.attempts, settings);
  }
}

function outcomeOf(
  error: unknown,
  attempts: number,
  { backoffMinMs, backoffMaxMs, maxAttempts }: JobSettings,
): Outcome {
  const isTold = error instanceof RegionWorkError;
  const text = (isTold ? error.message : 'The region driver failed.').slice(0, shownErrorLength);
  if ((isTold && error.isPermanent) || attempts >= maxAttempts)
    return { kind: 'failed', error: text, hasCrashed: isTold && error.hasCrashed };
  return { kind: 'retry', waitMs: Math.min(backoffMaxMs, backoffMinMs * 2 ** (attempts - 1)), error: text };
}

function progressOf(answer: unknown): Extract<Outcome, { kind: 'done' | 'progress' }> {
  const { isDone, checkAgainMs, reason } = (answer ?? {}) as Record<string, unknown>;
  if (isDone === true) return { kind: 'done' };
  if (isDone !== false || typeof checkAgainMs !== 'number' || !(checkAgainMs >= 0)) {
    throw new RegionWorkError('The region driver gave an invalid answer.');
  }
  const waitMs = Math.min(longestCheckMs, Math.max(10, checkAgainMs));
  return {
    kind: 'progress',
    waitMs,
    reason: typeof reason === 'string' ? reason.slice(0, shownErrorLength) : null,
  };
}

async function ask(
  services: Services,
  work: Row<'JobComponent'>,
  elapsedMs: number,
  { callTimeoutMs, deadlineMs }: JobSettings,
  signal: AbortSignal,
): Promise<{ answer: unknown; deadlineMs: number }> {
  const context = { ...services, loaders: createLoaders() };
  const row = await regionById(context, work.regionId);
  if (!row) return { answer: gone, deadlineMs };
  const driver = services.drivers.region.get(row.driver);
  if (!driver) throw new Error(`There is no region driver named ${row.driver}.`);
  const region = regionTarget(services, row);
  const call: Work = { id: work.id, job: work.jobId, attempt: work.attempts, elapsedMs };
  if (work.action === 'remove') {
    // A removal from before applications had namespaces of their own does not say which one.
    const component = { namespaceId: 0, ...JSON.parse(work.removed ?? '{}') } as RemovedComponent;
    const answer = await bounded(
      (ended) => driver.remove(region, { ...component, id: work.componentId }, call, ended),
      signal,
      callTimeoutMs,
    );
    return { answer, deadlineMs };
  }
  const component = await desiredComponent(context, work.componentId);
  if (!component) return { answer: gone, deadlineMs };
  const method: keyof Pick<RegionDriver, 'apply' | 'restart'> =
    work.action === 'restart' ? 'restart' : 'apply';
  const answer = await bounded(
    (ended) => driver[method](region, component, call, ended),
    signal,
    callTimeoutMs,
  );
  const { deployDeadlineSeconds = Number.POSITIVE_INFINITY } = component;
  return { answer, deadlineMs: Math.min(deadlineMs, deployDeadlineSeconds * 1_000) };
}
