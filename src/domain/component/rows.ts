import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { type Bulk, findByKeys, insertMany, reviseMany, updateMany } from '../../db/write/bulk.ts';
import type { Write } from '../../db/write/change.ts';
import type { EventAction } from '../../db/write/events.ts';
import { lockRows } from '../../db/write/locks.ts';
import { isDifferent } from '../../db/write/record.ts';
import { changed } from '../../db/write/revision.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { yieldInTransaction } from '../../kernel/event-loop.ts';
import { fold } from '../../kernel/validate.ts';
import { addDependencies, type NewDependency } from './dependencies/many-rows.ts';
import { requireComponentRoom, requireConfigurationFits, requireObjectRoom } from './size/rows.ts';
import { wasDeployed } from './state-model.ts';
import { insertVariables, type NewVariable } from './variables/many-rows.ts';
import { insertVolumes, type NewVolume } from './volumes/many-rows.ts';

type Component = Row<'Component'>;
type Required =
  | 'id'
  | 'applicationId'
  | 'teamId'
  | 'regionId'
  | 'key'
  | 'alias'
  | 'name'
  | 'clusterName'
  | 'deployState'
  | 'updateVersion'
  | 'version'
  | 'image'
  | 'createdAt'
  | 'updatedAt'
  | 'folded';
type NewComponent = Pick<Component, Required> & Partial<Omit<Component, 'ownedClusterName'>>;

/** A new component owns its name in the cluster: the database refuses a second one. */
const owning = <C extends NewComponent>(data: C) => ({ ...data, ownedClusterName: data.clusterName });

/** Adds a component with its parts, which are included in its event. */
export async function insertComponent(
  write: Write<Context>,
  data: NewComponent,
  parts: { variables: NewVariable[]; volumes: NewVolume[]; dependencies: NewDependency[] },
): Promise<Component> {
  const more = 1 + parts.variables.length + parts.volumes.length + parts.dependencies.length;
  await requireComponentRoom(write, data, 1);
  await requireObjectRoom(write, data.applicationId, more);
  const component = await write.tx.component.create({ data: owning(data) });
  await insertVariables(write, parts.variables);
  await insertVolumes(write, parts.volumes);
  await requireConfigurationFits(write, [component]);
  await addDependencies(write, parts.dependencies);
  write.recordEvent({
    subject: { type: 'Component', id: component.id },
    teamId: component.teamId,
    after: {
      ...component,
      variables: parts.variables.map(({ name }) => name),
      volumes: parts.volumes.map(({ path }) => path),
      dependencies: parts.dependencies.map(({ dependencyId }) => dependencyId),
    },
  });
  return component;
}

/** Adds components with the same fields, in few statements. Returns them in the same order. */
export async function insertComponents(write: Write, rows: readonly NewComponent[]): Promise<Component[]> {
  if (rows[0]) await requireComponentRoom(write, rows[0], rows.length);
  await insertMany(write, 'Component', rows.map(owning));
  const ids = rows.map(({ id }) => id);
  const found = new Map(
    (await findByKeys(write, 'Component', 'id', ids, ['id'])).map((row) => [row.id, row]),
  );
  const inserted = ids.map((id) => found.get(id)!);
  for (const row of inserted) {
    const subject = { type: 'Component', id: row.id } as const;
    write.recordEvent({ action: 'component.create', subject, teamId: row.teamId, after: row });
    await yieldInTransaction(write.context.signal);
  }
  return inserted;
}

/**
 * Sets columns of many components, and returns them after the change, in the same order. Nothing is written for those that
 * already have the values. `recorded` has further values for their events.
 */
export async function setComponents(
  write: Write,
  action: EventAction<'Component'>,
  updates: readonly { row: Component; data: Partial<Component>; recorded?: Component }[],
): Promise<Component[]> {
  await reviseMany(
    write,
    'Component',
    updates.flatMap(({ row, data }) => (isDifferent(row, data) ? { id: row.id, data } : [])),
  );
  const after: Component[] = [];
  for (const { row, data, recorded = { ...row, ...data } } of updates) {
    const subject = { type: 'Component', id: row.id } as const;
    write.recordEvent({ action, subject, teamId: row.teamId, before: row, after: recorded });
    after.push(isDifferent(row, data) ? { ...row, ...data, revision: row.revision + 1 } : row);
    await yieldInTransaction(write.context.signal);
  }
  return after;
}

/** Changes columns that users configure. With `needsDeploy`, those of a deployed component take effect with its next deploy. */
export async function setConfiguration(
  write: Write,
  action: EventAction<'Component'>,
  row: Component,
  changes: Partial<Component>,
  needsDeploy: boolean,
): Promise<Component> {
  if (Object.keys(changes).length === 0) return row;
  const data = {
    ...changes,
    hasUndeployedChanges: row.hasUndeployedChanges || (wasDeployed(row) && needsDeploy),
    updatedAt: new Date(),
    folded: fold(changes.name ?? row.name, row.alias),
  };
  const [after] = await setComponents(write, action, [{ row, data }]);
  return after!;
}

/** Locks components until the commit, and reads them. NOT_FOUND if one was deleted. */
export async function lockComponents(write: Bulk, ids: readonly string[]): Promise<Component[]> {
  await lockRows(write, 'Component', ...ids);
  const rows = await findByKeys(write, 'Component', 'id', ids, ['id']);
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = found.get(id);
    if (!row) throw new NotFoundError('component');
    return row;
  });
}

/**
 * Marks a component whose parts have changed. If it is deployed, they take effect with its next deploy. Recorded in the
 * event of the parts. Variables and dependencies count as the component's own, volumes do not.
 */
export async function markChanged(
  { tx }: Pick<Write, 'tx'>,
  component: Component,
  { isOwn }: { isOwn: boolean },
): Promise<void> {
  const data = { updatedAt: new Date(), hasUndeployedChanges: wasDeployed(component) };
  await tx.component.update({ where: { id: component.id }, data: { ...data, ...(isOwn && changed) } });
}

/** Sets the inner domain. Recorded in the event of the port that adds or removes it. */
export async function setServiceName(
  { tx }: Pick<Write, 'tx'>,
  id: string,
  serviceName: string | null,
): Promise<void> {
  await tx.component.update({ where: { id }, data: { serviceName, ...changed } });
}

/** Sets the inner domain of a component if it has none. Returns whether it was set. */
export async function setFirstServiceName(
  { tx }: Pick<Write, 'tx'>,
  id: string,
  serviceName: string,
): Promise<boolean> {
  const { count } = await tx.component.updateMany({
    where: { id, serviceName: null },
    data: { serviceName, ...changed },
  });
  return count > 0;
}

/** Sets the inner domains of components. All are first cleared, because components can take those of each other. */
export async function moveServiceNames(
  write: Write,
  moves: readonly { id: string; serviceName: string | null }[],
): Promise<void> {
  const set = (nameOf: (serviceName: string | null) => string | null) =>
    updateMany(
      write,
      'Component',
      moves.map(({ id, serviceName }) => ({ id, data: { serviceName: nameOf(serviceName) } })),
    );
  if (moves.length > 1) await set(() => null);
  await set((serviceName) => serviceName);
}
