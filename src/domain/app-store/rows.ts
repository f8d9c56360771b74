import type { Transaction } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';

type Store = Row<'StoreConnection'>;

/** Keeps the access key of a team for a store. The event of the application tells of the store. */
export function setStore(
  { tx }: Pick<Write, 'tx'>,
  { teamId, url, domain }: Pick<Store, 'teamId' | 'url' | 'domain'>,
  { name, sealedAccessKey }: Pick<Store, 'name' | 'sealedAccessKey'>,
): Promise<Store> {
  const now = new Date();
  const key = { teamId, url, domain };
  return tx.storeConnection.upsert({
    where: { teamId_url_domain: key },
    create: { ...key, name, sealedAccessKey, createdAt: now, updatedAt: now },
    update: { sealedAccessKey, updatedAt: now },
  });
}

/** The event of the application tells of the upgrade. */
export async function insertUpgradeRecord(
  { tx }: Pick<Write, 'tx'>,
  data: Omit<Row<'UpgradeRecord'>, 'id'>,
): Promise<void> {
  await tx.upgradeRecord.create({ data });
}

/** Replaces the changes of a record in which an earlier version left secrets. */
export async function redactUpgradeRecord(tx: Transaction, id: number, changes: string): Promise<void> {
  await tx.upgradeRecord.update({ where: { id }, data: { changes } });
}
