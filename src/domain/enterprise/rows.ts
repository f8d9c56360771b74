import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';

/** Adds the enterprise. Its event includes the first administrator. */
export async function insertEnterprise(
  { tx, recordEvent }: Write,
  data: Pick<Row<'Enterprise'>, 'id' | 'name' | 'alias' | 'createdAt'> & { sealedKeyCheck?: string },
  insertAdministrator: () => Promise<Row<'User'>>,
): Promise<void> {
  const { sealedKeyCheck: _, ...enterprise } = await tx.enterprise.create({ data });
  const { id: userId } = await insertAdministrator();
  recordEvent({ subject: { type: 'Enterprise', id: enterprise.id }, after: { ...enterprise, userId } });
}
