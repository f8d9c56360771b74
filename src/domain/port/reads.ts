import type { Context } from '../../context.ts';
import { batchedRow, type List } from '../../db/list.ts';
import type { ListSpec } from '../../db/query/statement.ts';
import type { Row } from '../../db/tables.ts';
import type { Action } from '../../kernel/actions.ts';
import { batched, existing } from '../../kernel/batch.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { byNumber, idOfType } from '../../kernel/global-id.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { applicationById } from '../application/reads.ts';
import {
  componentById,
  loadComponent,
  placeOfComponent,
  requireComponent,
  visibleComponent,
} from '../component/reads.ts';
import { isAllowedAt, regionById, requiredFor } from '../region/reads.ts';
import { teamById } from '../team/reads.ts';
import { isPossible, type PortAction, portActions } from './action-model.ts';
import { type PortRef, portOrders } from './model.ts';

/** The port by its id, without an access check. For objects related to one that the actor may see. */
const portById = batchedRow('Port', 'id');
/** Rejects with NOT_FOUND if there is none. */
export const loadPort = existing('port', portById);

const portByNumber = batched(async (context: Context, numbers: number[], componentId: string) => {
  const where = [{ field: 'componentId' as const, is: componentId }];
  const rows = await context.db.port.findManyByKeys({ by: 'number', keys: numbers, where });
  return new Map(rows.map((row) => [row.number, row]));
}, null);

const portAndComponent = {
  model: 'Port',
  parents: [{ parent: 'Component', of: 'Port', on: 'componentId' }],
} as const;

const portAndAbove = {
  model: 'Port',
  parents: [
    ...portAndComponent.parents,
    { parent: 'Team', of: 'Component', on: 'teamId' },
    { parent: 'Region', of: 'Component', on: 'regionId' },
    { parent: 'Application', of: 'Component', on: 'applicationId' },
  ],
} as const;

/** Loads a port and its component in one statement. */
const portWithComponent = batched(async (context: Context, ids: number[]) => {
  const rows = await context.db.port.findManyWithParents({ ids, ancestry: portAndComponent });
  for (const { Component } of rows) componentById.prime(context, Component.id, Component);
  return new Map(rows.map(({ Port }) => [Port.id, Port]));
}, null);

/** Loads a port, its component, and the application, team and region of the component. */
const portWithAbove = batched(async (context: Context, ids: number[]) => {
  const rows = await context.db.port.findManyWithParents({ ids, ancestry: portAndAbove });
  for (const { Component, Application, Team, Region } of rows) {
    componentById.prime(context, Component.id, Component);
    applicationById.prime(context, Application.id, Application);
    teamById.prime(context, Team.id, Team);
    regionById.prime(context, Region.id, Region);
  }
  return new Map(rows.map(({ Port }) => [Port.id, Port]));
}, null);

/** The port, or null if the team of its component is not visible to the actor. */
export async function visiblePort(
  context: Context,
  id: string,
  read: typeof portWithComponent = portWithComponent,
): Promise<Row<'Port'> | null> {
  const port = await byNumber(read)(context, id);
  return port && (await visibleComponent(context, port.componentId)) ? port : null;
}

/** The port that a reference identifies. NOT_FOUND if not visible to the caller. `withAbove` also loads all above it. */
export async function namedPort(context: Context, ref: PortRef, withAbove = false): Promise<Row<'Port'>> {
  if (ref.at != null) return (await requirePort(context, ref)).port;
  const load = withAbove ? portWithAbove : portWithComponent;
  const port = await visiblePort(context, idOfType('Port', ref.id ?? '') ?? '', load);
  if (!port) throw new NotFoundError('port');
  return port;
}

/** The port that a reference identifies, for a caller who may do the action with it. */
export async function requirePort(context: Context, ref: PortRef, action: Action = 'read') {
  if (ref.at != null) {
    const owner = await requireComponent(context, ref.at.component, action);
    const port = await portByNumber(context, ref.at.number, owner.component.id);
    if (!port) throw new NotFoundError('port');
    return { port, ...owner };
  }
  const port = await namedPort(context, ref, true);
  return { port, ...(await requireComponent(context, { componentId: port.componentId }, action)) };
}

/** Finds it for a caller who may do the action, in a region that allows it. */
export const requirePortFor = requiredFor(portActions, requirePort);

/** Whether the caller may do the action with the port, as it is now. */
export async function mayActOnPort(
  context: Context,
  port: Pick<Row<'Port'>, 'componentId' | 'protocol'>,
  action: PortAction,
): Promise<boolean> {
  const component = await loadComponent(context, port.componentId);
  return (
    (await isAllowedAt(context, component, portActions[action], placeOfComponent(component))) &&
    isPossible(port, action)
  );
}

/** The internal domain name of a port, which is its component's. A deleted port has the last one. */
export async function serviceNameOf(
  context: Context,
  port: Pick<Row<'Port'>, 'componentId'> & { serviceName?: string },
): Promise<string> {
  if (port.serviceName !== undefined) return port.serviceName;
  const component = await componentById(context, port.componentId);
  return component?.serviceName ?? component?.alias ?? '';
}

interface PortFilter {
  protocol?: string | null;
  isInner?: boolean | null;
  isOuter?: boolean | null;
  orderBy?: { field: keyof typeof portOrders; direction?: string | null } | null;
}

export const portsOf = (componentId: string, filter: PortFilter): List<'Port'> => ({
  key: componentId,
  spec: matching(filter),
});

const matching = memoizeByIdentity(
  (filter: PortFilter): ListSpec<'Port'> => ({
    model: 'Port',
    parent: { field: 'componentId' },
    order: portOrders[filter.orderBy?.field ?? 'NUMBER'],
    descending: filter.orderBy?.direction === 'desc',
    where: (['protocol', 'isInner', 'isOuter'] as const).flatMap((field) => {
      const value = filter[field];
      return value == null ? [] : [{ field, is: value }];
    }),
  }),
);
