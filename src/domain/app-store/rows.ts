import type { Context } from '../../context.ts';
import type { Transaction } from '../../db/open.ts';
import { Params } from '../../db/query/statement.ts';
import type { Row } from '../../db/tables.ts';
import { type Bulk, deleteByIds, findByKeys } from '../../db/write/bulk.ts';
import type { StatementWrite, Write } from '../../db/write/change.ts';
import { lockForDelete } from '../../db/write/locks.ts';
import { allows, allowsThroughout, placeOf } from '../../kernel/access.ts';
import type { ComponentHooks } from '../component/hooks.ts';
import type { WritePolicy } from '../plan/parts-rows.ts';
import type { TeamHooks } from '../team/hooks.ts';
import { maxUpgradeRecords } from './model.ts';

type Store = Row<'StoreConnection'>;

/** The changes of an upgrade are stored with its record, and its components have one event each. */
export const policyOfTemplates: WritePolicy = {
  actions: { component: 'component.upgrade', port: 'port.upgrade' },
  recordsParts: false,
  hasDefaultRules: true,
};

/**
 * Stores the access key of a team for an app store. Recorded in the event of the application. Upgrades of all applications use
 * it, so that a key which applications need that the caller may not change stays.
 */
export async function setStore(
  write: Pick<Write<Context>, 'context' | 'tx'>,
  team: Row<'Team'>,
  { url, domain, name, sealedAccessKey }: Pick<Store, 'url' | 'domain' | 'name' | 'sealedAccessKey'>,
): Promise<Store> {
  const now = new Date();
  const key = { teamId: team.id, url, domain };
  const keyStays = await isNeededByOthers(write, team, key);
  return write.tx.storeConnection.upsert({
    where: { teamId_url_domain: key },
    create: { ...key, name, sealedAccessKey, createdAt: now, updatedAt: now },
    update: keyStays ? {} : { sealedAccessKey, updatedAt: now },
  });
}

/** Whether applications have installed from a store that the caller may not install into. */
async function isNeededByOthers(
  { context: { actor }, tx }: Pick<Write<Context>, 'context' | 'tx'>,
  team: Row<'Team'>,
  store: Pick<Store, 'teamId' | 'url' | 'domain'>,
): Promise<boolean> {
  const place = placeOf(team);
  if (allowsThroughout(actor, 'installApplication', place)) return false;
  const groups = await tx.componentGroup.findMany({
    where: { store },
    select: { applicationId: true },
    distinct: ['applicationId'],
  });
  return groups.some(
    ({ applicationId }) => !allows(actor, 'installApplication', { ...place, applicationId }),
  );
}

/**
 * Adds the record of an upgrade, with up to megabytes of changes and template, which are not read back. Recorded in the
 * event of the application. The oldest record of the group makes room for it.
 */
export async function insertUpgradeRecord(
  { tx }: Pick<Write, 'tx'>,
  data: Omit<Row<'UpgradeRecord'>, 'id'>,
): Promise<{ id: number }> {
  const { groupId } = data;
  const [tooOld] = await tx.upgradeRecord.findMany({
    where: { groupId },
    orderBy: { id: 'desc' },
    skip: maxUpgradeRecords - 1,
    take: 1,
    select: { id: true },
  });
  if (tooOld) await tx.upgradeRecord.deleteMany({ where: { groupId, id: { lte: tooOld.id } } });
  return tx.upgradeRecord.create({ data, select: { id: true } });
}

/** Marks an upgrade as taken back. The template before it is installed again, so that it is not stored twice. */
export async function setRolledBack(
  { tx }: Pick<Write, 'tx'>,
  id: number,
  rollbackId: number,
): Promise<void> {
  await tx.upgradeRecord.update({
    where: { id },
    data: { rollbackId, sealedFromTemplate: null },
    select: { id: true },
  });
}

/** Replaces the changes of a record in which an earlier version stored secrets. */
export async function redactUpgradeRecord(tx: Transaction, id: number, changes: string): Promise<void> {
  await tx.upgradeRecord.update({ where: { id }, data: { changes }, select: { id: true } });
}

/** Removes the app store connections of a deleted team, with their access keys. */
export const storesOfTeam: TeamHooks = {
  async deleting(write, { id: teamId }) {
    await removeStores(write, await findByKeys(write, 'StoreConnection', 'teamId', [teamId], ['id']));
  },
};

/**
 * Nothing needs the access key of a store any more when the last group that was installed from it is deleted. The lock
 * waits for an install that is about to use it.
 */
export const storesOfGroups: ComponentHooks = {
  async groupsDeleted(write, groups) {
    const ids = [...new Set(groups.flatMap(({ storeId }) => storeId ?? []))];
    await lockForDelete(write, 'StoreConnection', ...ids);
    const used = await usedStores(
      write,
      ids,
      groups.map(({ id }) => id),
    );
    const unused = ids.filter((id) => !used.has(id));
    // The events belong to the application that was the last with the store: others may not see them.
    const lastOf = new Map(groups.map(({ storeId, applicationId }) => [storeId, applicationId]));
    await removeStores(write, await findByKeys(write, 'StoreConnection', 'id', unused, ['id']), lastOf);
  },
};

/** The stores that groups have been installed from, except for those that are removed. */
async function usedStores(
  { context, tx }: Bulk,
  ids: readonly number[],
  removed: readonly number[],
): Promise<Set<number>> {
  const params = new Params(context.db.dialect);
  const rows = await tx.$read(
    `SELECT DISTINCT store_id FROM component_group
     WHERE store_id IN (SELECT key FROM ${params.keys(ids, 'ComponentGroup', 'storeId')})
       AND id NOT IN (SELECT key FROM ${params.keys(removed, 'ComponentGroup', 'id')})`,
    params.values,
  );
  return new Set(rows.map(([id]) => Number(id)));
}

async function removeStores(
  write: StatementWrite,
  stores: readonly Store[],
  applicationOf: ReadonlyMap<number | null, number> = new Map(),
): Promise<void> {
  await deleteByIds(write, 'StoreConnection', stores);
  for (const store of stores) {
    const { id, teamId } = store;
    const applicationId = applicationOf.get(id);
    write.recordEvent({
      action: 'store_connection.delete',
      subject: { type: 'StoreConnection', id },
      teamId,
      ...(applicationId !== undefined && { applicationId }),
      before: store,
    });
  }
}
