import type { Context } from '../../context.ts';
import type { Transaction } from '../../db/open.ts';
import type { NewRow, Row } from '../../db/tables.ts';
import { type Bulk, deleteMany, insertMany, reviseMany, updateMany } from '../../db/write/bulk.ts';
import type { Write } from '../../db/write/change.ts';
import { changed } from '../../db/write/revision.ts';
import type { Seal } from '../../kernel/seal.ts';
import { mapInSlices } from '../../kernel/slices.ts';
import { openVariable, type PlainVariable, sealVariable } from './variables/reads.ts';

// Variables, volumes and dependencies are recorded in the events of their component.

export type NewVariable = Omit<PlainVariable, 'id' | 'revision'>;
export type NewVolume = NewRow<'Volume'>;
export type NewDependency = Row<'ComponentDependency'>;

/** Adds variables. The values of secrets are encrypted. */
export async function insertVariables(
  write: Write<Context>,
  variables: readonly NewVariable[],
): Promise<void> {
  const { seal, signal } = write.context;
  const sealed = await mapInSlices(variables, (variable) => sealVariable(seal, variable), signal);
  await insertMany(write, 'EnvironmentVariable', sealed);
}

export async function setVariables(
  write: Write<Context>,
  updates: readonly { id: number; variable: Omit<NewVariable, 'componentId'> }[],
): Promise<void> {
  const { seal, signal } = write.context;
  const sealed = await mapInSlices(
    updates,
    ({ id, variable }) => ({ id, data: sealVariable(seal, variable) }),
    signal,
  );
  await reviseMany(write, 'EnvironmentVariable', sealed);
}

export const removeVariables = (write: Bulk, ids: readonly number[]): Promise<void> =>
  deleteMany(
    write,
    'EnvironmentVariable',
    ['id'],
    ids.map((id) => [id]),
  );

export const insertVolumes = (write: Bulk, volumes: readonly NewVolume[]): Promise<void> =>
  insertMany(write, 'Volume', volumes);

/** Sets columns of volumes. Paths are first set to temporary values, because volumes can swap their paths. */
export async function setVolumes(
  write: Bulk,
  updates: readonly { id: number; data: Partial<Row<'Volume'>> }[],
): Promise<void> {
  const aside = updates
    .filter(({ data }) => data.path)
    .map(({ id }) => ({ id, data: { path: `moving ${id}` } }));
  await updateMany(write, 'Volume', aside);
  await reviseMany(write, 'Volume', updates);
}

export const removeVolumes = (write: Bulk, ids: readonly number[]): Promise<void> =>
  deleteMany(
    write,
    'Volume',
    ['id'],
    ids.map((id) => [id]),
  );

export const insertDependencies = (write: Bulk, pairs: readonly NewDependency[]): Promise<void> =>
  insertMany(write, 'ComponentDependency', pairs);

export const removeDependencies = (write: Bulk, pairs: readonly NewDependency[]): Promise<void> =>
  deleteMany(
    write,
    'ComponentDependency',
    ['componentId', 'dependencyId'],
    pairs.map(({ componentId, dependencyId }) => [componentId, dependencyId]),
  );

type Group = Row<'ComponentGroup'>;

/** Adds a group. Recorded in the event of the application. */
export const insertGroup = (
  { tx }: Pick<Write, 'tx'>,
  data: Omit<NewRow<'ComponentGroup'>, 'template' | 'sealedTemplate'>,
): Promise<Group> => tx.componentGroup.create({ data });

/** Keeps the template of a group that was just added. It names the components, which are added after the group. */
export async function setFirstTemplate(
  { tx }: Pick<Write, 'tx'>,
  id: number,
  sealedTemplate: string,
): Promise<void> {
  await tx.componentGroup.update({ where: { id }, data: { sealedTemplate } });
}

export async function setGroup(
  { tx }: Pick<Write, 'tx'>,
  id: number,
  data: Pick<Group, 'name' | 'templateVersion' | 'sealedTemplate'>,
): Promise<void> {
  await tx.componentGroup.update({ where: { id }, data: { ...data, ...changed } });
}

/** Sets the version that the store offers. Not recorded, because it is not a change of the platform. */
export async function setOfferedVersion(
  tx: Transaction,
  ids: readonly number[],
  offeredVersion: string | null,
): Promise<void> {
  await tx.componentGroup.updateMany({ where: { id: { in: [...ids] } }, data: { offeredVersion } });
}

/** Encrypts a secret that an earlier version stored as plain text, unless another process has done so. */
export async function sealStoredVariable(
  tx: Transaction,
  seal: Seal,
  row: Row<'EnvironmentVariable'>,
): Promise<void> {
  const { value, sealedValue } = sealVariable(seal, openVariable(seal, row));
  const where = { id: row.id, sealedValue: null };
  await tx.environmentVariable.updateMany({ where, data: { value, sealedValue } });
}

/** The same for the template of a group. */
export async function sealStoredTemplate(
  tx: Transaction,
  seal: Seal,
  { id, template }: Pick<Group, 'id' | 'template'>,
): Promise<void> {
  const data = { template: null, sealedTemplate: seal.close(template!) };
  await tx.componentGroup.updateMany({ where: { id, template: { not: null } }, data });
}
