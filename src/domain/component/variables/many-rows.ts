import type { Context } from '../../../context.ts';
import type { Transaction } from '../../../db/open.ts';
import type { Row } from '../../../db/tables.ts';
import { type Bulk, deleteByIds, insertMany, reviseMany } from '../../../db/write/bulk.ts';
import type { Write } from '../../../db/write/change.ts';
import { mapInTransaction } from '../../../kernel/event-loop.ts';
import type { Seal } from '../../../kernel/seal.ts';
import { openVariable, type PlainVariable, type SealedBefore, sealVariable } from './reads.ts';

// Variables are recorded in the events of their component.

export type NewVariable = Omit<PlainVariable, 'id' | 'revision' | 'manifestId'> &
  SealedBefore & { manifestId?: number | null };

/** Adds variables. The values of secrets are encrypted. */
export async function insertVariables(
  write: Write<Context>,
  variables: readonly NewVariable[],
): Promise<void> {
  const { seal, signal } = write.context;
  const sealed = await mapInTransaction(variables, (variable) => sealVariable(seal, variable), signal);
  await insertMany(write, 'EnvironmentVariable', sealed);
}

export async function setVariables(
  write: Write<Context>,
  updates: readonly { id: number; variable: Omit<NewVariable, 'componentId'> }[],
): Promise<void> {
  const { seal, signal } = write.context;
  const sealed = await mapInTransaction(
    updates,
    ({ id, variable }) => ({ id, data: sealVariable(seal, variable) }),
    signal,
  );
  await reviseMany(write, 'EnvironmentVariable', sealed);
}

/** Variables that a manifest adopts as they are. */
export const setManifestOfVariables = (
  write: Bulk,
  ids: readonly number[],
  manifestId: number,
): Promise<void> =>
  reviseMany(
    write,
    'EnvironmentVariable',
    ids.map((id) => ({ id, data: { manifestId } })),
  );

export const removeVariables = (write: Bulk, ids: readonly number[]): Promise<void> =>
  deleteByIds(write, 'EnvironmentVariable', ids);

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
