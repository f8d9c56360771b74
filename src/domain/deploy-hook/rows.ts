import type { Transaction } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import { deleteByIds, findByKeys } from '../../db/write/bulk.ts';
import type { Write } from '../../db/write/change.ts';
import { revised } from '../../db/write/revision.ts';
import { newId } from '../../kernel/new-id.ts';
import type { ComponentHooks } from '../component/hooks.ts';

type DeployHook = Row<'DeployHook'>;
type Owner = Pick<Row<'Component'>, 'teamId' | 'applicationId'>;

const eventOf = ({ teamId, applicationId }: Owner, { id }: DeployHook) => ({
  subject: { type: 'DeployHook', id } as const,
  teamId,
  applicationId,
});

export async function insertDeployHook(
  { tx, recordEvent }: Write,
  component: Row<'Component'>,
  data: Pick<DeployHook, 'name' | 'tagPattern' | 'hash' | 'userId' | 'serviceAccountId'>,
): Promise<DeployHook> {
  const id = newId();
  const row = { id, componentId: component.id, ...data, createdAt: new Date() };
  const hook = await tx.deployHook.create({ data: row });
  recordEvent({ ...eventOf(component, hook), after: hook });
  return hook;
}

/** Changes a deploy hook, or nothing if it has these values already. */
export async function setDeployHook(
  { tx, recordEvent }: Write,
  component: Owner,
  before: DeployHook,
  data: Partial<Pick<DeployHook, 'name' | 'tagPattern' | 'hash'>>,
): Promise<DeployHook> {
  const after = await tx.deployHook.update({ where: { id: before.id }, data: revised(before, data) });
  recordEvent({ ...eventOf(component, before), before, after });
  return after;
}

export async function removeDeployHook(
  { tx, recordEvent }: Write,
  component: Owner,
  hook: DeployHook,
): Promise<void> {
  await tx.deployHook.deleteMany({ where: { id: hook.id } });
  recordEvent({ ...eventOf(component, hook), before: hook });
}

/** Sets the time of the last use. Not recorded, because it does not change the deploy hook. */
export async function setLastUsed(tx: Transaction, id: string, lastUsedAt: Date): Promise<void> {
  await tx.deployHook.updateMany({ where: { id }, data: { lastUsedAt } });
}

export const deployHooksOfComponents: ComponentHooks = {
  async deleting(write, components) {
    const owners = new Map(components.map((component) => [component.id, component]));
    const hooks = await findByKeys(write, 'DeployHook', 'componentId', [...owners.keys()], ['id']);
    if (hooks.length === 0) return;
    await deleteByIds(write, 'DeployHook', hooks);
    for (const hook of hooks) {
      const event = eventOf(owners.get(hook.componentId)!, hook);
      write.recordEvent({ ...event, action: 'deploy_hook.delete', before: hook });
    }
  },
};
