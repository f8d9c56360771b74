import { findByKeys } from '../../db/write/bulk.ts';
import { installedTemplateOf } from '../app-store/upgrade/plan-rows.ts';
import type { Omission } from './model.ts';
import type { Copied, CopyPlan, CopyReading, Original, Tell } from './scene-reads.ts';

/** The installed templates. An app store of another team is found by its address, because its access key stays there. */
export async function groupsOf(
  reading: CopyReading,
  original: Original,
  omit: Tell,
): Promise<CopyPlan['groups']> {
  const groups = await findByKeys(
    reading,
    'ComponentGroup',
    'applicationId',
    [original.application.id],
    ['id'],
    { fields: ['id', 'name', 'templateId', 'templateVersion', 'offeredVersion', 'storeId'] },
  );
  const storeIds = [...new Set(groups.flatMap(({ storeId }) => storeId ?? []))];
  if (storeIds.length === 0 || original.team.id === reading.team.id) return groups;
  const fields = ['id', 'url', 'domain'] as const;
  const addressOf = ({ url, domain }: { url: string; domain: string }) => `${url} ${domain}`;
  const stores = await findByKeys(reading, 'StoreConnection', 'id', storeIds, ['id'], { fields });
  const own = await findByKeys(reading, 'StoreConnection', 'teamId', [reading.team.id], ['id'], { fields });
  const ownIds = new Map(own.map((store) => [addressOf(store), store.id]));
  const idOf = new Map(stores.map((store) => [store.id, ownIds.get(addressOf(store))]));
  return groups.map((group) => {
    if (group.storeId === null) return group;
    const storeId = idOf.get(group.storeId) ?? null;
    if (storeId === null) {
      const reason = `Its access key belongs to the team ${original.team.name}: the copy cannot be upgraded.`;
      omit({ kind: 'store', component: null, name: group.name, reason });
    }
    return { ...group, storeId };
  });
}

/** Components without a secret that their template requires are not deployed. */
export async function leaveUnready(
  reading: CopyReading,
  copied: readonly Copied[],
  omitted: readonly Omission[],
  omit: Tell,
): Promise<void> {
  const secrets = new Set(omitted.flatMap(({ kind, component }) => (kind === 'secret' ? component : [])));
  const unready = copied.filter(
    ({ current, work }) => current.row.groupId !== null && secrets.has(work.name),
  );
  for (const groupId of new Set(unready.map(({ current }) => current.row.groupId!))) {
    const { base } = await installedTemplateOf(reading, groupId);
    const byKey = new Map(base.components.map((component) => [component.key, component]));
    for (const { current, work } of unready) {
      const template = current.row.groupId === groupId ? byKey.get(current.row.key) : undefined;
      const has = new Set(work.variables.create.map(({ scope, name }) => `${scope} ${name}`));
      const missing = [
        ...(template?.variables ?? []).map((each) => ({ ...each, scope: 'environment' })),
        ...(template?.connectionVariables ?? []).map((each) => ({ ...each, scope: 'connection' })),
      ].find(({ isRequired, scope, name }) => isRequired && !has.has(`${scope} ${name}`));
      if (!missing) continue;
      work.isLeftAlone = true;
      const reason = `Its template requires the variable ${missing.name}: the component is not deployed.`;
      omit({ kind: 'component', component: work.name, name: work.name, reason });
    }
  }
}
