import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../../context.ts';
import type { FollowQuery, InstanceAccess, Logs } from '../../../drivers/region/instances.ts';
import { builder } from '../../../graphql/schema/builder.ts';
import { notAnId, streamSource, subscription, unsent } from '../../../graphql/schema/subscription.ts';
import { validatedBy } from '../../../graphql/schema/validation.ts';
import { type Actor, allows, maySee, placeOf } from '../../../kernel/access.ts';
import { requiredRoles } from '../../../kernel/actions.ts';
import { ApiError, NotFoundError, UnavailableError } from '../../../kernel/errors.ts';
import { notAllowed } from '../../team/reads.ts';
import { ComponentRef } from '../graphql.ts';
import { componentRef } from '../model.ts';
import { placeOfComponent, requireComponent } from '../reads.ts';
import { ComponentLogs } from './graphql.ts';
import * as model from './model.ts';
import { type Inspected, look, lookFailure, pickInstances, readerOf, requireAccess } from './reads.ts';

/** The least time between two items, so that one has many lines if many are written, in ms. */
const pauseMs = 100;
/** The longest time that logs are followed without a new subscription, in ms. */
const maxFollowMs = 3_600_000;

/** Lines as they are written, each time those since the last item. */
async function* followed(
  context: Context,
  component: Inspected,
  access: InstanceAccess,
  query: FollowQuery,
  signal: AbortSignal,
): AsyncGenerator<{ row: Logs; id: string }> {
  const positions = new Map(query.after);
  const late = AbortSignal.timeout(maxFollowMs);
  try {
    for await (const lines of access.follow(component, query, AbortSignal.any([signal, late]))) {
      for (const { instance, at } of lines) if (at !== null) positions.set(instance, at);
      yield { row: { lines, isTruncated: false }, id: model.positionsText(positions) || unsent };
      await sleep(pauseMs, undefined, { signal });
    }
  } catch (error) {
    if (signal.aborted) return;
    throw error instanceof ApiError ? error : lookFailure(context, component, error);
  }
  if (late.aborted) throw new UnavailableError('Logs are followed for an hour at most. Subscribe again.');
}

const args = builder.args((t) => ({
  instance: t.string({
    description: 'The name of an instance. Defaults to all, also those that start later.',
    validate: validatedBy(model.instanceName),
  }),
  container: t.string({
    description: 'The name of a container. Defaults to the first one of each instance.',
    validate: validatedBy(model.containerName),
  }),
  tail: t.int({
    description: `How many of the lines that are already there come first, of each instance. Defaults to ${model.defaultTail}.`,
    validate: validatedBy(model.logTail),
  }),
}));

subscription('componentLogs', {
  type: ComponentLogs,
  description:
    'The lines that the instances of a component write, as they are written. An item has the lines since the one before. Ends when the instance is gone or the component is no longer in the cluster. With `Last-Event-ID`, it goes on after the last line that the client has received of each instance. A client that reads slowly slows the reading down, and gets all lines that the cluster has kept. Fails with CONFLICT if the region has no cluster, and with LIMIT_EXCEEDED if the user follows more than 50 instances in the region, or the team more than 100. Requires the `developer` role in the team.',
  argument: { name: 'component', type: ComponentRef, schema: componentRef, description: 'The component.' },
  options: { args, schema: model.logOptions },
  async subscribe(context, ref, { instance: name, container = null, tail }) {
    const { component, team } = await requireComponent(context, ref, 'readLogs');
    const access = await requireAccess(context, component);
    const listed = await look(context, component, (_, signal) => access.list(component, signal));
    const [picked] = pickInstances(listed!, { instance: name, container });
    const { lastEventId } = context.stream!;
    const after =
      lastEventId === undefined || lastEventId === unsent ? new Map() : model.positionsOf(lastEventId);
    if (!after) throw notAnId();
    const instance = name ? picked! : null;
    const place = { ...placeOf(team), ...placeOfComponent(component) };
    const reader = readerOf(context, component);
    const query = { reader, instance, container, tail: tail ?? model.defaultTail, after };
    return streamSource<Logs>(context, {
      noun: 'component',
      require(actor: Actor) {
        if (!maySee(actor, place)) throw new NotFoundError('component');
        if (!allows(actor, 'readLogs', place)) throw notAllowed(actor, team, requiredRoles.readLogs);
      },
      read: (signal) => followed(context, component, access, query, signal),
    });
  },
});
