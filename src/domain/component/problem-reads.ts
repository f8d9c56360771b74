import type { Context } from '../../context.ts';
import { boundedLook } from '../../drivers/region/driver.ts';
import { batched } from '../../kernel/batch.ts';
import { groupBy } from '../../kernel/group.ts';
import { isUnfinished } from '../job/model.ts';
import { lastOutcomeOf } from '../job/reads.ts';
import { regionById } from '../region/reads.ts';
import { type ComponentStatus, componentStatuses, unhealthyBy } from './state-model.ts';
import { answerById, stateById } from './status-reads.ts';

/** Why a component is not healthy, or what the work on it waits for. */
export interface ComponentProblem {
  message: string;
  /** The job that failed, or that waits. */
  jobId: number | null;
}

const startingStatuses: ReadonlySet<string> = new Set<ComponentStatus>(['starting', 'waiting', 'upgrade']);

/** The reasons of clusters why components are not healthy. A cluster that does not respond has none. */
const explanationOf = batched(async (context: Context, ids: string[]): Promise<Map<string, string>> => {
  const states = (await Promise.all(ids.map((id) => stateById(context, id)))).flatMap((state) => state ?? []);
  const regionIds = [...new Set(states.map(({ regionId }) => regionId))];
  const regions = await Promise.all(regionIds.map((id) => regionById(context, id)));
  const drivers = new Map(regionIds.map((id, index) => [id, regions[index]?.driver ?? '']));
  const groups = groupBy(states, ({ regionId }) => drivers.get(regionId)!);
  const explanations = await Promise.all(
    [...groups].map(async ([name, group]) => {
      const driver = context.drivers.region.get(name);
      if (!driver?.explain) return [];
      const explain = (signal: AbortSignal) => driver.explain!(group, signal);
      try {
        return [...(await boundedLook(explain, context, driver.timeoutMs))];
      } catch (error) {
        context.log.warn({ driver: name, error }, 'region driver failed');
        return [];
      }
    }),
  );
  return new Map(explanations.flat());
}, null);

/**
 * Why a component is not healthy: what its cluster says, else the error of the last work. While work on it is in progress, what
 * that waits for, and why the last work was cancelled before it was started. Null if there is nothing.
 */
export async function problemOf(context: Context, { id }: { id: string }): Promise<ComponentProblem | null> {
  const [answer, work, state] = await Promise.all([
    answerById(context, id),
    lastOutcomeOf(context, id),
    stateById(context, id),
  ]);
  const jobId = work && work.status !== 'succeeded' ? work.jobId : null;
  const error = jobId === null ? null : work!.error;
  const isUnhealthy = 'status' in answer && state !== null && unhealthyBy(answer.status, state) !== undefined;
  const isWorkedOn = isUnfinished(work?.status ?? '');
  const isNotStarted = work?.status === 'cancelled' && work.startedAt === null;
  const isKnown = isUnhealthy || !('status' in answer) || isWorkedOn || isNotStarted;
  // Instances that start without work on them may be waiting for something.
  const isStarting = 'status' in answer && startingStatuses.has(answer.status) && !isWorkedOn;
  const explanation = isUnhealthy || isStarting ? await explanationOf(context, id) : null;
  const message = explanation ?? (isKnown ? error : null);
  if (message !== null) return { message, jobId };
  return isUnhealthy ? { message: componentStatuses[answer.status], jobId } : null;
}
