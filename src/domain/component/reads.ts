import type { Context } from '../../context.ts';
import { batchedParent, batchedRow, type List } from '../../db/list.ts';
import { fieldsOf } from '../../db/query/decode.ts';
import type { Filter, ListSpec } from '../../db/query/statement.ts';
import type { Part, Row } from '../../db/tables.ts';
import type { Action } from '../../kernel/actions.ts';
import { batched, existing } from '../../kernel/batch.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { byNumber, namedBy } from '../../kernel/global-id.ts';
import { compareVersions } from '../../kernel/version.ts';
import { loadApplication, wholeApplication } from '../application/reads.ts';
import { isAllowedAt, loadRegion, requiredFor } from '../region/reads.ts';
import { loadTeam, type PlaceInTeam, requireAllowed, seesIn } from '../team/reads.ts';
import { inVisibleTeams } from '../team/visible-reads.ts';
import { allOf, type ComponentAction, componentActions, isPossible } from './action-model.ts';
import type { ComponentGroupRef, ComponentRef } from './model.ts';

/** The component by its id, without an access check. For objects related to one that the actor may see. */
export const componentById = batchedParent('Component');
/** Rejects with NOT_FOUND if there is none. */
export const loadComponent = existing('component', componentById);
/** The columns without the template, which is large. */
const groupFields = [
  'id',
  'applicationId',
  'name',
  'templateId',
  'templateVersion',
  'offeredVersion',
  'storeId',
  'revision',
  'createdAt',
] as const;
export type ComponentGroupRow = Part<'ComponentGroup', (typeof groupFields)[number]>;
const componentGroupById = batchedRow('ComponentGroup', 'id', groupFields);
export const loadComponentGroup = existing('component group', componentGroupById);

/**
 * Whether the store offered a version newer than the installed one when it last responded.
 * Components that were not installed from a template have no store.
 */
export function isUpgradable(
  context: Context,
  { groupId }: Pick<Row<'Component'>, 'groupId'>,
): boolean | Promise<boolean> {
  if (groupId === null) return false;
  return componentGroupById(context, groupId).then(
    (group) =>
      group !== null &&
      group.offeredVersion !== null &&
      compareVersions(group.offeredVersion, group.templateVersion ?? '') > 0,
  );
}

/** Where a component and what belongs to it is. */
export const placeOfComponent = ({
  id,
  teamId,
  applicationId,
}: Pick<Row<'Component'>, 'id' | 'teamId' | 'applicationId'>): PlaceInTeam => ({
  teamId,
  applicationId,
  componentId: id,
});

/** The component, or null if not visible to the actor. */
export async function visibleComponent(context: Context, id: string): Promise<Row<'Component'> | null> {
  const component = await componentById(context, id);
  return component && (await seesIn(context, placeOfComponent(component))) ? component : null;
}

/**
 * Reads what belongs to a component, for those who may see the component. It is looked up even if there is no such row: what is
 * hidden must not take a statement more than what does not exist.
 */
export const visibleWithComponent =
  <K, R extends { componentId: string }>(read: (context: Context, key: K) => Promise<R | null>) =>
  async (context: Context, key: K): Promise<R | null> => {
    const row = await read(context, key);
    return (await visibleComponent(context, row?.componentId ?? '')) && row;
  };

/** The component that a reference identifies. NOT_FOUND if not visible to the caller. */
export const namedComponent = namedBy('component', 'Component', 'componentId', visibleComponent);

/** Finds it with its team and region, for a caller who may do the action with it. */
export async function requireComponent(
  context: Context,
  ref: ComponentRef,
  action: Action = 'read',
): Promise<{ component: Row<'Component'>; team: Row<'Team'>; region: Row<'Region'> }> {
  const component = await namedComponent(context, ref);
  const [team, region] = await Promise.all([
    loadTeam(context, component.teamId),
    loadRegion(context, component.regionId),
  ]);
  if (action !== 'read') {
    const { id: componentId, applicationId } = component;
    requireAllowed(context, team, action, { noun: 'component', applicationId, componentId });
  }
  return { component, team, region };
}

/** Finds it for a caller who may do the action, in a region that allows it. */
export const requireComponentFor = requiredFor(componentActions, requireComponent);

/** Whether the caller may do the action with the component, as it is now. */
export function mayActOnComponent(
  context: Context,
  component: Pick<Row<'Component'>, 'id' | 'applicationId' | 'teamId' | 'regionId' | 'deployState'>,
  action: ComponentAction,
): boolean | Promise<boolean> {
  if (!isPossible(component, action)) return false;
  const place = placeOfComponent(component);
  const allowed = allOf(action).map((each) => isAllowedAt(context, component, componentActions[each], place));
  return !allowed.includes(false) && Promise.all(allowed).then((each) => each.every(Boolean));
}

const componentByAlias = batched(
  async (context: Context, aliases: string[], { teamId, regionId }: { teamId: string; regionId: string }) => {
    const where: Filter<'Component'>[] = [
      { field: 'teamId', is: teamId },
      { field: 'regionId', is: regionId },
    ];
    const rows = await context.db.component.findManyByKeys({ by: 'alias', keys: aliases, where });
    return new Map(rows.map((row) => [row.alias, row]));
  },
  null,
);

/** The component of an application with this id or, if there is none, this alias. */
export async function requireComponentOf(
  context: Context,
  { id, teamId, regionId }: Row<'Application'>,
  idOrAlias: string,
): Promise<Row<'Component'>> {
  const component =
    (await visibleComponent(context, idOrAlias)) ??
    (await componentByAlias(context, idOrAlias, { teamId, regionId }));
  if (component?.applicationId !== id || !(await seesIn(context, placeOfComponent(component)))) {
    throw new NotFoundError('component');
  }
  return component;
}

/** The dependencies or dependents of components, sorted by name. */
export const dependencyList = (way: 'dependencies' | 'dependents'): ListSpec<'Component'> => ({
  model: 'Component',
  parent: {
    through: 'ComponentDependency',
    parent: way === 'dependencies' ? 'componentId' : 'dependencyId',
    target: way === 'dependencies' ? 'dependencyId' : 'componentId',
    field: 'id',
  },
  order: ['name', 'id'],
});

/** Those that the actor may see. */
export const dependenciesOf = (
  { actor }: Pick<Context, 'actor'>,
  componentId: string,
  way: 'dependencies' | 'dependents',
): List<'Component'> => ({
  key: componentId,
  spec: { ...dependencyList(way), where: inVisibleTeams.components(actor) },
});

export const volumesOf = (componentId: string): List<'Volume'> => ({
  key: componentId,
  spec: { model: 'Volume', parent: { field: 'componentId' }, order: ['name', 'id'] },
});

/** The columns without the content, which can be large. */
export const volumeFields = fieldsOf('Volume').filter((field) => field !== 'fileContent');
export const visibleVolume = visibleWithComponent(byNumber(batchedRow('Volume', 'id', volumeFields)));

export async function visibleComponentGroup(context: Context, id: string): Promise<ComponentGroupRow | null> {
  const group = await byNumber(componentGroupById)(context, id);
  return (await wholeApplication(context, group?.applicationId ?? 0)) && group;
}

const namedComponentGroup = namedBy('component group', 'ComponentGroup', 'groupId', visibleComponentGroup);

/** The group that a reference identifies, for a caller who may do the action with it. NOT_FOUND if not visible to the caller. */
export async function requireComponentGroup(
  context: Context,
  ref: ComponentGroupRef,
  action: Action,
): Promise<ComponentGroupRow> {
  const group = await namedComponentGroup(context, ref);
  const { applicationId } = group;
  const { teamId } = await loadApplication(context, applicationId);
  requireAllowed(context, await loadTeam(context, teamId), action, {
    noun: 'component group',
    applicationId,
  });
  return group;
}
