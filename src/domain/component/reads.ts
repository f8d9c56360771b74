import type { Context } from '../../context.ts';
import { batchedParent, batchedRow, type List } from '../../db/list.ts';
import { fieldsOf } from '../../db/query/decode.ts';
import type { Filter } from '../../db/query/statement.ts';
import type { Part, Row } from '../../db/tables.ts';
import type { Role, RoleRequirement } from '../../kernel/access.ts';
import { batched, existing } from '../../kernel/batch.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { idOfType, numericId } from '../../kernel/global-id.ts';
import { compareVersions } from '../../kernel/version.ts';
import { loadApplication, visibleApplication } from '../application/reads.ts';
import { isAllowedAt, loadRegion, requireEnabled } from '../region/reads.ts';
import { loadTeam, requireRole, seesTeam } from '../team/reads.ts';
import { type ComponentAction, componentActions, isPossible } from './action-model.ts';
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
export const componentGroupById = batchedRow('ComponentGroup', 'id', groupFields);
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

/** The component, or null if its team is not visible to the actor. */
export async function visibleComponent(context: Context, id: string): Promise<Row<'Component'> | null> {
  const component = await componentById(context, id);
  return component && (await seesTeam(context, component.teamId)) ? component : null;
}

/** The component that a reference identifies. NOT_FOUND if not visible to the caller. */
export async function namedComponent(context: Context, ref: ComponentRef): Promise<Row<'Component'>> {
  const id = ref.componentId ?? idOfType('Component', ref.id ?? '') ?? '';
  const component = await visibleComponent(context, id);
  if (!component) throw new NotFoundError('component');
  return component;
}

/** Finds it with its team and region, for a caller with `role` in the team. */
export async function requireComponent(
  context: Context,
  ref: ComponentRef,
  role: Role = 'viewer',
): Promise<{ component: Row<'Component'>; team: Row<'Team'>; region: Row<'Region'> }> {
  const component = await namedComponent(context, ref);
  const [team, region] = await Promise.all([
    loadTeam(context, component.teamId),
    loadRegion(context, component.regionId),
  ]);
  requireRole(context, team, role, 'component');
  return { component, team, region };
}

/** Finds it for a caller who may do the action, in a region that allows it. */
export async function requireComponentFor(
  context: Context,
  ref: ComponentRef,
  action: ComponentAction,
): ReturnType<typeof requireComponent> {
  const requirement: RoleRequirement = componentActions[action];
  const found = await requireComponent(context, ref, requirement.role);
  if (requirement.needsEnabledRegion) requireEnabled(found.region);
  return found;
}

/** Whether the caller may do the action with the component, as it is now. */
export const mayActOnComponent = async (
  context: Context,
  component: Pick<Row<'Component'>, 'teamId' | 'regionId' | 'deployState'>,
  action: ComponentAction,
): Promise<boolean> =>
  (await isAllowedAt(context, component, componentActions[action])) && isPossible(component, action);

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
  if (component?.applicationId !== id) throw new NotFoundError('component');
  return component;
}

/** The dependencies or dependents of a component, sorted by name. */
export const dependenciesOf = (
  componentId: string,
  way: 'dependencies' | 'dependents',
): List<'Component'> => ({
  key: componentId,
  spec: {
    model: 'Component',
    parent: {
      through: 'ComponentDependency',
      parent: way === 'dependencies' ? 'componentId' : 'dependencyId',
      target: way === 'dependencies' ? 'dependencyId' : 'componentId',
      field: 'id',
    },
    order: ['name', 'id'],
  },
});

export const volumesOf = (componentId: string): List<'Volume'> => ({
  key: componentId,
  spec: { model: 'Volume', parent: { field: 'componentId' }, order: ['name', 'id'] },
});

/** A row that is visible to actors who may see its parent. */
const visibleBy =
  <R>(
    byId: (context: Context, id: number) => Promise<R | null>,
    isVisible: (context: Context, row: R) => Promise<unknown>,
  ) =>
  async (context: Context, id: string): Promise<R | null> => {
    const number = numericId(id);
    const row = number === undefined ? null : await byId(context, number);
    return row && (await isVisible(context, row)) ? row : null;
  };

const ofComponent = (context: Context, row: { componentId: string }) =>
  visibleComponent(context, row.componentId);
/** The columns without the content, which can be large. */
export const volumeFields = fieldsOf('Volume').filter((field) => field !== 'fileContent');
export const visibleVolume = visibleBy(batchedRow('Volume', 'id', volumeFields), ofComponent);
export const visibleComponentGroup = visibleBy(componentGroupById, (context, row) =>
  visibleApplication(context, row.applicationId),
);

/** The group that a reference identifies, for a caller with `role` in the team. NOT_FOUND if not visible to the caller. */
export async function requireComponentGroup(
  context: Context,
  ref: ComponentGroupRef,
  role: Role = 'viewer',
): Promise<ComponentGroupRow> {
  const id = ref.groupId ?? idOfType('ComponentGroup', ref.id ?? '') ?? '';
  const group = await visibleComponentGroup(context, String(id));
  if (!group) throw new NotFoundError('component group');
  const { teamId } = await loadApplication(context, group.applicationId);
  requireRole(context, await loadTeam(context, teamId), role, 'component group');
  return group;
}
