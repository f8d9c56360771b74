import type { Context } from '../../context.ts';
import { batchedRow } from '../../db/list.ts';
import type { Row } from '../../db/tables.ts';
import { boundedLook, type ComponentKnowledge, type RegionDriver } from '../../drivers/region/driver.ts';
import { batched } from '../../kernel/batch.ts';
import { ApiError } from '../../kernel/errors.ts';
import { groupBy } from '../../kernel/group.ts';
import { warnOnce } from '../../kernel/log.ts';
import { isUnfinished, statusDuring } from '../job/model.ts';
import { type LastWork, lastWorksOf } from '../job/reads.ts';
import { regionById } from '../region/reads.ts';
import { type ComponentStatus, componentStatuses } from './state-model.ts';

/** The fields that the status of a component depends on. */
type State = Pick<Row<'Component'>, 'id' | 'regionId' | 'deployState'>;
export const stateById = batchedRow('Component', 'id', ['id', 'regionId', 'deployState']);

/** The status of a component, or why its driver does not tell it and whether the last work on it failed. */
export type Answer = { status: ComponentStatus } | { failure: unknown; hasFailed: boolean };
const unknown: Answer = { status: 'unknown' };
const noWorks: ReadonlyMap<string, LastWork> = new Map();

/** The statuses of components from the drivers of their regions. */
export async function answersFor(
  context: Context,
  components: readonly State[],
): Promise<Map<string, Answer>> {
  const regionIds = [...new Set(components.map(({ regionId }) => regionId))];
  const regions = new Map(
    await Promise.all(regionIds.map(async (id) => [id, await regionById(context, id)] as const)),
  );
  const answers = new Map<string, Answer>();
  const groups = groupBy(components, (component) => regions.get(component.regionId)?.driver ?? '');
  await Promise.all(
    [...groups].map(async ([name, group]) => {
      const driver = context.drivers.region.get(name);
      const ids = group.map(({ id }) => id);
      const works = driver?.isImmediate ? noWorks : await lastWorksOf(context, ids);
      try {
        if (!driver) throw new Error(`There is no region driver named ${name}.`);
        const { idle, busy } = driver.isImmediate
          ? { idle: group, busy: [] }
          : withLastWork(group, works, answers);
        const waits = driver.observesWork ? setWaiting(context, driver, busy, answers) : undefined;
        if (idle.length === 0) return await waits;
        const observe = (signal: AbortSignal) => driver.observe(idle, signal);
        // An immediate driver answers from what it is given.
        const observations =
          driver.isImmediate && context.signal
            ? await observe(context.signal)
            : await boundedLook(observe, context, driver.timeoutMs);
        for (const { id } of idle) {
          const status = observations.get(id) ?? 'unknown';
          answers.set(id, {
            status: status in componentStatuses ? (status as ComponentStatus) : 'unknown',
          });
        }
        await waits;
      } catch (failure) {
        for (const { id } of group) {
          if (answers.has(id)) continue;
          answers.set(id, { failure, hasFailed: works.get(id)?.status === 'failed' });
        }
      }
    }),
  );
  return answers;
}

/** The status of a component, or why its driver does not tell it. */
export const answerById = batched(async (context: Context, ids: string[]): Promise<Map<string, Answer>> => {
  const states = await Promise.all(ids.map((id) => stateById(context, id)));
  return answersFor(
    context,
    states.filter((state) => state !== null),
  );
}, unknown);

/** How long a driver has to say whether components wait, whose work says the rest. */
const waitingTimeoutMs = 1_000;

/** Finds out which components with work in progress wait for a node. */
async function setWaiting(
  context: Context,
  driver: RegionDriver,
  busy: readonly ComponentKnowledge[],
  answers: Map<string, Answer>,
): Promise<void> {
  if (busy.length === 0) return;
  const observe = (signal: AbortSignal) => driver.observe(busy, signal);
  const observations = await boundedLook(observe, context, waitingTimeoutMs).catch(() => undefined);
  for (const { id } of busy) if (observations?.get(id) === 'waiting') answers.set(id, { status: 'waiting' });
}

/**
 * The components without work in progress, with their last work. The others are answered from their work; those that are
 * being started are `busy`.
 */
function withLastWork(
  components: readonly State[],
  works: ReadonlyMap<string, LastWork>,
  answers: Map<string, Answer>,
): { idle: ComponentKnowledge[]; busy: ComponentKnowledge[] } {
  const idle: ComponentKnowledge[] = [];
  const busy: ComponentKnowledge[] = [];
  for (const { id, regionId, deployState } of components) {
    const work = works.get(id);
    if (work && isUnfinished(work.status)) {
      answers.set(id, { status: statusDuring(work) });
      if (work.status === 'running' && work.state === 'running') busy.push({ id, regionId, deployState });
    } else {
      idle.push({ id, regionId, deployState, ...(work && { lastWork: knownOf(work) }) });
    }
  }
  return { idle, busy };
}

const knownOf = ({ status, state, previousStatus }: LastWork) => ({
  outcome: status as 'succeeded' | 'failed' | 'cancelled',
  state,
  previousStatus,
});

const logFailure = (context: Context, { id }: Pick<State, 'id'>, error: unknown) =>
  warnOnce(context.log, { component: id, error }, 'region driver failed');

/** The runtime status of a component. REGION_UNAVAILABLE if its driver fails or times out. */
export async function statusOf(
  context: Context,
  component: Pick<Row<'Component'>, 'id' | 'name'>,
): Promise<ComponentStatus> {
  const answer = await answerById(context, component.id);
  if ('status' in answer) return answer.status;
  logFailure(context, component, answer.failure);
  throw new ApiError('REGION_UNAVAILABLE', `The region of the component ${component.name} did not respond.`);
}

/** The runtime statuses of components that were just read. `unknown` if a driver fails or times out. */
export async function statusesOf(context: Context, components: readonly State[]): Promise<ComponentStatus[]> {
  const answers = await answersFor(context, components);
  return components.map((component) => {
    const answer = answers.get(component.id) ?? unknown;
    if ('status' in answer) return answer.status;
    logFailure(context, component, answer.failure);
    return 'unknown';
  });
}
