import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { findByKeys } from '../../../db/write/bulk.ts';
import { lockedForDelete } from '../../../db/write/locked.ts';
import { changeByStatements } from '../../../db/write/plan.ts';
import { applicationWithin, requireApplication } from '../../application/reads.ts';
import { setApplication } from '../../application/rows.ts';
import type { RemovalWrite } from '../../component/hooks.ts';
import { requireComponentGroup } from '../../component/reads.ts';
import type { Deletion } from '../../component/removal/operations.ts';
import {
  lockForRemoval,
  removeComponents,
  removeGroups,
  requireRemovable,
} from '../../component/removal/rows.ts';
import { changeWeights } from '../../component/size/model.ts';
import { requireEnabled } from '../../region/reads.ts';
import type { UninstallComponentGroup } from './model.ts';

/** Deletes the components that a template brought, with their group. */
export async function uninstallComponentGroup(
  context: Context,
  { group: ref, force, deleteVolumes, dryRun, ...expecting }: UninstallComponentGroup,
): Promise<Deletion & { group: Row<'ComponentGroup'>; application: Row<'Application'> }> {
  const found = await requireComponentGroup(context, ref, 'uninstallComponentGroup');
  const { application, team, region } = await requireApplication(context, { appId: found.applicationId });
  requireEnabled(region);
  const components = await context.db.component.findManyByKeys({
    by: 'groupId',
    keys: [found.id],
    fields: ['id'],
  });
  const deleted = [{ model: 'Component' as const, ids: components.map(({ id }) => id) }];
  const { result, plan } = await changeByStatements(
    context,
    'application.uninstall',
    { dryRun, deleted, weights: changeWeights },
    async (open) => {
      const write = { ...open, team, region };
      const removal = await lockForRemoval(write, { field: 'groupId', is: found.id });
      const group = await lockedForDelete(write, 'ComponentGroup', found.id, expecting);
      const before = await applicationWithin(write, application.id);
      if (!force) requireRemovable(context, removal);
      const job = await removeComponents(write, removal, application.id, deleteVolumes);
      const shown = await shownWithout(write, before, group);
      await removeGroups(write, { field: 'id', is: group.id });
      const { id, templateId, templateVersion } = group;
      const components = removal.components.map(({ alias }) => alias);
      const after = await setApplication(write, before, shown, {
        before: { groupId: id, templateId, templateVersion, components },
      });
      return { group, application: after, job };
    },
  );
  return { ...result, plan };
}

type Shown = Pick<Row<'Application'>, 'storeName' | 'storeUrl' | 'templateName' | 'version'>;

const nothing: Shown = { storeName: null, storeUrl: null, templateName: null, version: null };

/**
 * The template that an application shows without a group: the same, if it shows another group, otherwise that of the
 * group that was installed last.
 */
async function shownWithout(
  write: RemovalWrite,
  application: Row<'Application'>,
  removed: Row<'ComponentGroup'>,
): Promise<Partial<Shown>> {
  const installed = await findByKeys(write, 'ComponentGroup', 'applicationId', [application.id], ['id'], {
    fields: ['id', 'name', 'templateVersion', 'storeId'],
  });
  const storeIds = [...new Set(installed.flatMap(({ storeId }) => storeId ?? []))];
  const stores = await findByKeys(write, 'StoreConnection', 'id', storeIds, ['id'], {
    fields: ['id', 'name', 'url'],
  });
  const storeOf = new Map(stores.map((store) => [store.id, store]));
  const groups = installed
    .reverse()
    .flatMap((group) => (group.storeId === null ? [] : { ...group, store: storeOf.get(group.storeId) }));
  const isShown = ({ name, templateVersion, store }: (typeof groups)[number]) =>
    name === application.templateName &&
    templateVersion === application.version &&
    store?.url === application.storeUrl;
  const others = groups.filter(({ id }) => id !== removed.id);
  if (others.some(isShown) || !groups.some(isShown)) return {};
  const [last] = others;
  if (!last) return nothing;
  return {
    storeName: last.store!.name,
    storeUrl: last.store!.url,
    templateName: last.name,
    version: last.templateVersion,
  };
}
