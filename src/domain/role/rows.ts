import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';
import { revised } from '../../db/write/revision.ts';
import { newId } from '../../kernel/new-id.ts';

type RoleData = Pick<Row<'Role'>, 'name' | 'actions'>;

export async function insertRole(
  { tx, recordEvent }: Write,
  role: RoleData & Pick<Row<'Role'>, 'enterpriseId'>,
): Promise<Row<'Role'>> {
  const data = { id: newId(), ...role, createdAt: new Date() };
  const inserted = await tx.role.create({ data });
  recordEvent({ subject: { type: 'Role', id: inserted.id }, after: inserted });
  return inserted;
}

/** Members have the new actions from now on. */
export async function setRoleActions(
  { tx, recordEvent, announce }: Write,
  before: Row<'Role'>,
  data: RoleData,
): Promise<Row<'Role'>> {
  const after = await tx.role.update({ where: { id: before.id }, data: revised(before, data) });
  recordEvent({ subject: { type: 'Role', id: before.id }, before, after });
  announce('rights');
  return after;
}

export async function removeRole({ tx, recordEvent }: Write, role: Row<'Role'>): Promise<void> {
  await tx.role.delete({ where: { id: role.id } });
  recordEvent({ subject: { type: 'Role', id: role.id }, before: role });
}
