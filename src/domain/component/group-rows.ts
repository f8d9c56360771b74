import type { Transaction } from '../../db/open.ts';
import type { NewRow, Row } from '../../db/tables.ts';
import { type Bulk, copyColumns, insertRows } from '../../db/write/bulk.ts';
import type { Write } from '../../db/write/change.ts';
import { changed } from '../../db/write/revision.ts';
import type { Seal } from '../../kernel/seal.ts';

type Group = Row<'ComponentGroup'>;

/** Adds a group. Recorded in the event of the application. */
export const insertGroup = (
  { tx }: Pick<Write, 'tx'>,
  data: Omit<NewRow<'ComponentGroup'>, 'template' | 'sealedTemplate'>,
): Promise<Group> => tx.componentGroup.create({ data });

type CopiedGroup = Omit<NewRow<'ComponentGroup'>, 'template' | 'sealedTemplate'> & { copyOfId: number };

/** Adds copies of groups, and returns their ids by those of the originals. Recorded in the event of the application. */
export async function copyGroups(write: Bulk, groups: readonly CopiedGroup[]): Promise<Map<number, number>> {
  const rows = groups.map(({ copyOfId: _, ...row }) => ({ ...row, template: null, sealedTemplate: null }));
  const pairs = (await insertRows(write, 'ComponentGroup', rows)).map(({ id }, index) => ({
    from: groups[index]!.copyOfId,
    to: id,
  }));
  await copyColumns(write, 'ComponentGroup', ['template', 'sealedTemplate'], pairs);
  return new Map(pairs.map(({ from, to }) => [from, to]));
}

/**
 * Keeps the template of a group that was just added. It names the components, which are added after the group. It can have
 * megabytes, and is not read back.
 */
export async function setFirstTemplate(
  { tx }: Pick<Write, 'tx'>,
  id: number,
  sealedTemplate: string,
): Promise<void> {
  await tx.componentGroup.update({ where: { id }, data: { sealedTemplate }, select: { id: true } });
}

export async function setGroup(
  { tx }: Pick<Write, 'tx'>,
  id: number,
  data: Pick<Group, 'name' | 'templateVersion' | 'sealedTemplate'>,
): Promise<void> {
  await tx.componentGroup.update({ where: { id }, data: { ...data, ...changed }, select: { id: true } });
}

/** Sets the version that the store offers. Not recorded, because it is not a change of the platform. */
export async function setOfferedVersion(
  tx: Transaction,
  ids: readonly number[],
  offeredVersion: string | null,
): Promise<void> {
  await tx.componentGroup.updateMany({ where: { id: { in: [...ids] } }, data: { offeredVersion } });
}

/** Encrypts a template that an earlier version stored as plain text, unless another process has done so. */
export async function sealStoredTemplate(
  tx: Transaction,
  seal: Seal,
  { id, template }: Pick<Group, 'id' | 'template'>,
): Promise<void> {
  const data = { template: null, sealedTemplate: seal.close(template!) };
  await tx.componentGroup.updateMany({ where: { id, template: { not: null } }, data });
}
