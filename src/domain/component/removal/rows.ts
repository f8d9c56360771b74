import type { Context } from '../../../context.ts';
import { isTransaction } from '../../../db/database.ts';
import type { NewRow, Row } from '../../../db/tables.ts';
import { deleteByIds, findByKeys, reviseMany } from '../../../db/write/bulk.ts';
import { lockForDelete } from '../../../db/write/locks.ts';
import type { RemovedComponent } from '../../../drivers/region/desired.ts';
import { ConflictError } from '../../../kernel/errors.ts';
import { yieldInTransaction } from '../../../kernel/event-loop.ts';
import { groupBy } from '../../../kernel/group.ts';
import { nameList } from '../../../kernel/name-list.ts';
import { stepsOf } from '../../../kernel/steps.ts';
import { removeCrashes } from '../../job/crash-rows.ts';
import { insertJob, type JobTarget } from '../../job/rows.ts';
import { removeDependencies } from '../dependencies/many-rows.ts';
import { listOfDependents } from '../dependencies/reads.ts';
import { componentHooks, type RemovalWrite, type RemovedGroup } from '../hooks.ts';
import { lockNames } from '../names/reads.ts';
import { passNames } from '../names/rows.ts';
import { isDeployed, isInCluster, wasDeployed } from '../state-model.ts';
import { removeVariables } from '../variables/many-rows.ts';
import { removeVolumes } from '../volumes/many-rows.ts';

type Component = Row<'Component'>;
type Dependency = NewRow<'ComponentDependency'>;

/** Components that are locked for their deletion, dependents before their dependencies. */
export interface Removal {
  components: Component[];
  /** Dependents have lower steps than their dependencies. Components in a cycle share a step. */
  steps: ReadonlyMap<string, number>;
  dependencies: Dependency[];
  /** The dependencies of other components on them. */
  dependents: { component: Component; dependency: Component }[];
}

/** The components to delete: some, or all of an application or a group. */
type Which =
  | { field: 'id'; is: readonly string[] }
  | { field: 'applicationId'; is: number }
  | { field: 'groupId'; is: number };

const owners = { id: undefined, applicationId: 'Application', groupId: 'ComponentGroup' } as const;

/**
 * Locks components for their deletion, with the components that depend on them, then their names, then the
 * application or group that contains them. Until the commit, nothing can be added to any of them. CONFLICT if a component was added
 * while the locks were taken.
 */
export async function lockForRemoval(write: RemovalWrite, { field, is }: Which): Promise<Removal> {
  const keys = typeof is === 'number' ? [is] : is;
  const named = await findByKeys(write, 'Component', field, keys, ['id'], { fields: ['id'] });
  const ids = named.map(({ id }) => id);
  const isNamed = new Set(ids);
  const others = async () =>
    (
      await findByKeys(write, 'ComponentDependency', 'dependencyId', ids, ['componentId', 'dependencyId'])
    ).filter(({ componentId }) => !isNamed.has(componentId));
  const before = await others();
  await lockForDelete(write, 'Component', ...ids, ...before.map(({ componentId }) => componentId));
  await lockNames(write, write);
  const owner = owners[field];
  if (owner) await lockForDelete(write, owner, ...keys);
  const components = await findByKeys(write, 'Component', field, keys, ['name', 'id']);
  if (components.some(({ id }) => !isNamed.has(id))) {
    throw new ConflictError('Another request added a component at the same time. Try again.');
  }
  const dependencies = await findByKeys(write, 'ComponentDependency', 'componentId', ids, [
    'componentId',
    'dependencyId',
  ]);
  const pairs = await others();
  const dependentIds = [...new Set(pairs.map(({ componentId }) => componentId))];
  const dependents = await findByKeys(write, 'Component', 'id', dependentIds, ['id']);
  const byId = new Map([...components, ...dependents].map((row) => [row.id, row]));
  const steps = removalSteps(ids, dependencies);
  return {
    components: components.sort((one, other) => steps.get(one.id)! - steps.get(other.id)!),
    steps,
    dependencies,
    // A dry run locks nothing: others can have deleted them between its reads.
    dependents: pairs.flatMap(({ componentId, dependencyId }) => {
      const [component, dependency] = [byId.get(componentId), byId.get(dependencyId)];
      return component && dependency ? { component, dependency } : [];
    }),
  };
}

function removalSteps(ids: readonly string[], dependencies: readonly Dependency[]): Map<string, number> {
  const dependentsOf = groupBy(dependencies, ({ dependencyId }) => dependencyId);
  return stepsOf(ids, (id) => (dependentsOf.get(id) ?? []).map(({ componentId }) => componentId));
}

/** CONFLICT if a component is deployed, or if one that stays depends on it. */
export function requireRemovable(context: Context, { components, dependents }: Removal): void {
  const deployed = components.filter(isDeployed).map(({ name }) => name);
  if (deployed.length > 0) {
    throw new ConflictError(
      `${deployed.length === 1 ? 'A component is' : 'Components are'} deployed: ${nameList(deployed)}. Stop ${deployed.length === 1 ? 'it' : 'them'} first, or set \`force\`.`,
    );
  }
  if (dependents.length > 0) {
    const pairs = listOfDependents(context, dependents, ({ component, dependency }) => ({
      component,
      name: `${component.name} on ${dependency.name}`,
    }));
    throw new ConflictError(
      `Other components depend on the components to delete: ${pairs}. Delete these dependencies first, or set \`force\`.`,
    );
  }
}

/**
 * Removes locked components with everything that belongs to them, and the dependencies of other components on them. Returns the
 * job that removes them from the cluster; null if none was ever deployed, and for a dry run. The number of statements does not
 * depend on the number of components.
 */
export async function removeComponents(
  write: RemovalWrite,
  removal: Removal,
  applicationId: number,
  deletesVolumes: boolean | null = false,
): Promise<Row<'Job'> | null> {
  const targets = await removeComponentRows(write, removal, deletesVolumes ?? false);
  const { tx, team, region } = write;
  if (targets.length === 0 || !isTransaction(tx)) return null;
  return insertJob({ ...write, tx }, { kind: 'delete', team, region, applicationId, targets });
}

/** Removes the rows alone. Returns what a job has to remove from the cluster. */
export async function removeComponentRows(
  write: RemovalWrite,
  removal: Removal,
  deletesVolumes: boolean,
): Promise<JobTarget[]> {
  const { components, dependencies } = removal;
  const ids = components.map(({ id }) => id);
  const variables = await findByKeys(write, 'EnvironmentVariable', 'componentId', ids, ['name', 'id'], {
    fields: ['id', 'componentId', 'name'],
  });
  const volumes = await findByKeys(write, 'Volume', 'componentId', ids, ['path'], {
    fields: ['id', 'componentId', 'path', 'name', 'isShared'],
  });
  await removeDependents(write, removal);
  for (const hooks of componentHooks) await hooks.deleting?.(write, components);
  await removeVariables(
    write,
    variables.map(({ id }) => id),
  );
  await removeVolumes(
    write,
    volumes.map(({ id }) => id),
  );
  await removeDependencies(write, dependencies);
  await removeCrashes(write, ids);
  await deleteByIds(write, 'Component', ids);
  await passNames(write, write, components);
  const componentOf = ({ componentId }: { componentId: string }) => componentId;
  const [variablesOf, volumesOf] = [groupBy(variables, componentOf), groupBy(volumes, componentOf)];
  const dependenciesOf = groupBy(dependencies, componentOf);
  for (const component of components) {
    const { id, teamId } = component;
    write.recordEvent({
      action: 'component.delete',
      subject: { type: 'Component', id },
      teamId,
      before: {
        ...component,
        variables: (variablesOf.get(id) ?? []).map(({ name }) => name),
        volumes: (volumesOf.get(id) ?? []).map(({ path }) => path),
        dependencies: (dependenciesOf.get(id) ?? []).map(({ dependencyId }) => dependencyId),
      },
    });
    await yieldInTransaction(write.context.signal);
  }
  const shared = groupBy(
    volumes.filter(({ isShared }) => isShared),
    componentOf,
  );
  return removalTargets(removal, deletesVolumes, shared);
}

/** Removes the dependencies of components that stay. They take effect with the next deploy of these. */
async function removeDependents(write: RemovalWrite, { dependents }: Removal): Promise<void> {
  await removeDependencies(
    write,
    dependents.map(({ component, dependency }) => ({
      componentId: component.id,
      dependencyId: dependency.id,
    })),
  );
  const updatedAt = new Date();
  const changed = new Map(dependents.map(({ component }) => [component.id, component]));
  await reviseMany(
    write,
    'Component',
    [...changed.values()].map(({ id, ...component }) => {
      const hasUndeployedChanges = component.hasUndeployedChanges || wasDeployed(component);
      return { id, data: { updatedAt, hasUndeployedChanges } };
    }),
  );
  for (const { component, dependency } of dependents) {
    const { id, teamId, applicationId } = component;
    write.recordEvent({
      action: 'component.delete_dependency',
      subject: { type: 'Component', id },
      teamId,
      applicationId,
      before: { dependencyId: dependency.id },
    });
    await yieldInTransaction(write.context.signal);
  }
}

const removalTargets = (
  { components, steps }: Removal,
  deletesVolumes: boolean,
  shared: ReadonlyMap<string, readonly { name: string }[]>,
): JobTarget[] =>
  components
    .filter(isInCluster)
    .map(({ id, teamId, applicationId, namespaceId, name, generation, alias, clusterName }) => ({
      component: { id, name, generation: generation + 1 },
      action: 'remove' as const,
      step: steps.get(id)!,
      removed: {
        ...{ id, teamId, applicationId, namespaceId, alias, clusterName, deletesVolumes },
        ...(shared.has(id) && { sharedVolumes: shared.get(id)!.map(({ name }) => name) }),
      } satisfies RemovedComponent,
    }));

/** Removes groups whose components were removed. Their upgrade records go with them. */
export async function removeGroups(
  write: RemovalWrite,
  where: { field: 'id' | 'applicationId'; is: number },
): Promise<RemovedGroup[]> {
  const groups = await findByKeys(write, 'ComponentGroup', where.field, [where.is], ['id'], {
    fields: ['id', 'applicationId', 'name', 'templateId', 'templateVersion', 'storeId'],
  });
  await deleteByIds(write, 'ComponentGroup', groups);
  for (const hooks of componentHooks) await hooks.groupsDeleted?.(write, groups);
  return groups;
}
