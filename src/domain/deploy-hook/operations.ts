import { randomBytes } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change } from '../../db/write/change.ts';
import { locked } from '../../db/write/locked.ts';
import { changeWithPlan, type ObjectChange } from '../../db/write/plan.ts';
import { patched } from '../../db/write/revision.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { hashToken } from '../access-token/reads.ts';
import { requireComponentFor } from '../component/reads.ts';
import {
  type CreateDeployHook,
  type DeleteDeployHook,
  defaultName,
  maxDeployHooks,
  type RotateDeployHook,
  type UpdateDeployHook,
} from './model.ts';
import { type DeployHookRow, requireDeployHook, requireGivingDeploys, requireOpen } from './reads.ts';
import * as rows from './rows.ts';

const newSecret = () => randomBytes(32).toString('base64url');

/** A deploy hook with its new secret, which is only returned now. */
interface Issued {
  deployHook: DeployHookRow;
  secret: string;
}

const withoutHash = ({ hash: _, ...hook }: Row<'DeployHook'>): DeployHookRow => hook;

/** Creates a deploy hook. Whoever has its URL can deploy the component, so the caller must be allowed to. */
export async function createDeployHook(context: Context, input: CreateDeployHook): Promise<Issued> {
  const target = await requireComponentFor(context, input.component, 'createDeployHook');
  requireGivingDeploys(context, target);
  const secret = newSecret();
  const deployHook = await change(context, 'deploy_hook.create', async (write) => {
    const component = await locked(write, 'Component', target.component.id);
    requireOpen(component);
    const count = await write.tx.deployHook.count({ where: { componentId: component.id } });
    if (count >= maxDeployHooks) {
      throw new ConflictError(
        `The component ${component.name} already has ${maxDeployHooks} deploy hooks. Delete one first.`,
      );
    }
    const { userId, serviceAccountId } = context.actor;
    const { name, tagPattern } = input;
    const hash = hashToken(secret);
    return withoutHash(
      await rows.insertDeployHook(write, component, {
        name: name ?? defaultName,
        tagPattern: tagPattern ?? null,
        hash,
        userId,
        serviceAccountId,
      }),
    );
  });
  return { deployHook, secret };
}

/** Changes the name of a deploy hook, or the tags that registries can deploy with it. */
export async function updateDeployHook(context: Context, input: UpdateDeployHook): Promise<DeployHookRow> {
  const target = await requireDeployHook(context, input.deployHook, 'updateDeployHook');
  requireGivingDeploys(context, target);
  return change(context, 'deploy_hook.update', async (write) => {
    const component = await locked(write, 'Component', target.component.id);
    const before = await locked(write, 'DeployHook', target.hook.id, input);
    const data = patched(before, input, ['name'], ['tagPattern']);
    return withoutHash(await rows.setDeployHook(write, component, before, data));
  });
}

/** Gives a deploy hook a new secret. The one before is rejected from then on. */
export async function rotateDeployHook(context: Context, input: RotateDeployHook): Promise<Issued> {
  const target = await requireDeployHook(context, input.deployHook, 'rotateDeployHook');
  requireGivingDeploys(context, target);
  const secret = newSecret();
  const deployHook = await change(context, 'deploy_hook.rotate', async (write) => {
    const component = await locked(write, 'Component', target.component.id);
    const hook = await locked(write, 'DeployHook', target.hook.id, input);
    return withoutHash(await rows.setDeployHook(write, component, hook, { hash: hashToken(secret) }));
  });
  return { deployHook, secret };
}

export async function deleteDeployHook(
  context: Context,
  input: DeleteDeployHook,
): Promise<{ deployHook: DeployHookRow; plan: ObjectChange[] }> {
  const target = await requireDeployHook(context, input.deployHook, 'deleteDeployHook');
  const { plan } = await changeWithPlan(context, 'deploy_hook.delete', input, async (write) => {
    const component = await locked(write, 'Component', target.component.id);
    const hook = await locked(write, 'DeployHook', target.hook.id, input);
    await rows.removeDeployHook(write, component, hook);
  });
  return { deployHook: target.hook, plan };
}
