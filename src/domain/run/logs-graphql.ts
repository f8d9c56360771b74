import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { LogLine } from '../../drivers/region/instances.ts';
import type { RunAccess } from '../../drivers/region/runs.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { notAnId, streamSource, subscription, unsent } from '../../graphql/schema/subscription.ts';
import { validatedBy } from '../../graphql/schema/validation.ts';
import { type Actor, allows, maySee, placeOf } from '../../kernel/access.ts';
import { requiredRoles } from '../../kernel/actions.ts';
import { ApiError, NotFoundError, UnavailableError } from '../../kernel/errors.ts';
import { ComponentRef } from '../component/graphql.ts';
import { ComponentLogs } from '../component/instances/graphql.ts';
import { type FoundLogs, logsOfInstances } from '../component/instances/log-reads.ts';
import * as instances from '../component/instances/model.ts';
import {
  type Inspected,
  look,
  lookFailure,
  pickInstances,
  readerOf,
  requireAccess,
} from '../component/instances/reads.ts';
import { componentRef } from '../component/model.ts';
import { placeOfComponent, requireComponent } from '../component/reads.ts';
import { notAllowed } from '../team/reads.ts';
import { RunRef } from './graphql.ts';
import { logsOfRun } from './log-reads.ts';
import { isOver, type RunRef as RunRefInput, runRef } from './model.ts';
import { inspectedRun, requireRun, requireRuns } from './reads.ts';

/** The least time between two items, so that one has many lines if many are written, in ms. */
const pauseMs = 100;
/** The longest time that logs are followed without a new subscription, in ms. */
const maxFollowMs = 3_600_000;

interface Following {
  component: Inspected;
  /** The last line that the client has of each instance. */
  after: ReadonlyMap<string, string>;
  /** The lines after these, as they are written. */
  lines(after: ReadonlyMap<string, string>, signal: AbortSignal): AsyncIterable<LogLine[]>;
}

/** Lines as they are written, each time those since the last item. */
async function* followed(
  context: Context,
  { component, after, lines }: Following,
  signal: AbortSignal,
): AsyncGenerator<{ row: FoundLogs; id: string }> {
  const positions = new Map(after);
  const late = AbortSignal.timeout(maxFollowMs);
  try {
    for await (const written of lines(positions, AbortSignal.any([signal, late]))) {
      for (const { instance, at } of written) if (at !== null) positions.set(instance, at);
      const row = logsOfInstances({ lines: written, isTruncated: false }, Number.POSITIVE_INFINITY);
      yield { row, id: instances.positionsText(positions) || unsent };
      await sleep(pauseMs, undefined, { signal });
    }
  } catch (error) {
    if (signal.aborted) return;
    throw error instanceof ApiError ? error : lookFailure(context, component, error);
  }
  if (late.aborted) throw new UnavailableError('Logs are followed for an hour at most. Subscribe again.');
}

/** How often a run is looked at that has not started yet. */
const waitMs = 500;

/** The lines of a run until it is over, from before its start. */
function linesOfRun(
  context: Context,
  component: Row<'Component'>,
  { access, runId, tail }: { access: RunAccess; runId: string; tail: number },
): Following['lines'] {
  const reader = readerOf(context, component);
  return async function* lines(positions, signal) {
    while (!signal.aborted) {
      const [run] = await context.db.componentRun.findManyByKeys({ by: 'id', keys: [runId] });
      if (!run) return;
      // Lines that the cluster no longer has may have been saved or recorded.
      if (isOver(run.status) && positions.size === 0) {
        const logs = await logsOfRun(context, run, { tail });
        if (logs.lines.length > 0) yield logs.lines;
        return;
      }
      const query = { reader, tail, after: new Map(positions) };
      yield* access.follow(inspectedRun(run, component), query, signal);
      if (isOver(run.status)) return;
      await sleep(waitMs, undefined, { signal }).catch(() => {});
    }
  };
}

const logOptions = instances.logOptions
  .extend({ run: runRef.nullish() })
  .refine(({ run, instance, container }) => !run || (!instance && !container), {
    path: ['run'],
    message: 'Set either `run`, or `instance` and `container`',
  });

const args = builder.args((t) => ({
  instance: t.string({
    description: 'The name of an instance. Defaults to all, including those that start later.',
    validate: validatedBy(instances.instanceName),
  }),
  container: t.string({
    description: 'The name of a container. Defaults to the first one of each instance.',
    validate: validatedBy(instances.containerName),
  }),
  run: t.field({
    type: RunRef,
    description:
      'A run of the component, whose lines are followed instead of those of the instances, until it has ended.',
    validate: validatedBy(runRef.nullish()),
  }),
  tail: t.int({
    description: `The number of existing lines to send first, for each instance. Defaults to ${instances.defaultTail}.`,
    validate: validatedBy(instances.logTail),
  }),
}));

subscription('componentLogs', {
  type: ComponentLogs,
  description:
    'The log lines of the instances of a component, as they are written. With `run`, the log lines of a run instead. Each item has the lines since the previous item. Ends when the instance is gone or the component is no longer in the cluster. With `Last-Event-ID`, continues after the last line of each instance that the client has received. A slow client slows down the reading, and gets all lines that the cluster still has. Fails with CONFLICT if the region has no cluster, and with LIMIT_EXCEEDED if the user follows more than 50 instances in the region, or the team more than 100. Requires the `developer` role in the team.',
  argument: { name: 'component', type: ComponentRef, schema: componentRef, description: 'The component.' },
  options: { args, schema: logOptions },
  async subscribe(context, ref, { instance: name, container = null, run: runOf, tail: asked }) {
    const { component, team } = await requireComponent(context, ref, 'readLogs');
    const { lastEventId } = context.stream!;
    const after =
      lastEventId === undefined || lastEventId === unsent ? new Map() : instances.positionsOf(lastEventId);
    if (!after) throw notAnId();
    const tail = asked ?? instances.defaultTail;
    const lines = runOf
      ? await ofRun(context, component, runOf, tail)
      : await ofInstances(context, component, { name, container, tail });
    const place = { ...placeOf(team), ...placeOfComponent(component) };
    return streamSource<FoundLogs>(context, {
      noun: 'component',
      require(actor: Actor) {
        if (!maySee(actor, place)) throw new NotFoundError('component');
        if (!allows(actor, 'readLogs', place)) throw notAllowed(actor, team, requiredRoles.readLogs);
      },
      read: (signal) => followed(context, { component, after, lines }, signal),
    });
  },
});

async function ofRun(
  context: Context,
  component: Row<'Component'>,
  ref: RunRefInput,
  tail: number,
): Promise<Following['lines']> {
  const access = await requireRuns(context, component);
  const run = await requireRun(context, ref);
  if (run.componentId !== component.id) throw new NotFoundError('run');
  return linesOfRun(context, component, { access, runId: run.id, tail });
}

async function ofInstances(
  context: Context,
  component: Row<'Component'>,
  { name, container, tail }: { name?: string | null | undefined; container: string | null; tail: number },
): Promise<Following['lines']> {
  const access = await requireAccess(context, component);
  const listed = await look(context, component, (_, signal) => access.list(component, signal));
  const [picked] = pickInstances(listed!, { instance: name ?? null, container });
  const query = { reader: readerOf(context, component), instance: name ? picked! : null, container, tail };
  return (positions, signal) => access.follow(component, { ...query, after: new Map(positions) }, signal);
}
