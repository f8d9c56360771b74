import type { Context } from '../../context.ts';
import { batchedRow, type List } from '../../db/list.ts';
import { type OpenField, openFields, type Part, type Row } from '../../db/tables.ts';
import type { Action } from '../../kernel/actions.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { namedBy } from '../../kernel/global-id.ts';
import { componentActions } from '../component/action-model.ts';
import { requireComponent, visibleWithComponent } from '../component/reads.ts';
import { requireAllowed } from '../team/reads.ts';
import type { DeployHookRef } from './model.ts';

/** The columns of a deploy hook without the hash of its secret. */
const visibleFields = openFields('DeployHook');
export type DeployHookRow = Part<'DeployHook', OpenField<'DeployHook'>>;

const deployHookById = batchedRow('DeployHook', 'id', visibleFields);

export const visibleDeployHook = visibleWithComponent(deployHookById);

/**
 * FORBIDDEN for callers who may not do themselves what whoever has the URL of a deploy hook may: change the image of the
 * component, and deploy it.
 */
export function requireGivingDeploys(
  context: Context,
  { component, team }: { component: Row<'Component'>; team: Row<'Team'> },
): void {
  const { id: componentId, applicationId } = component;
  for (const action of componentActions.createDeployHook.gives)
    requireAllowed(context, team, action, { noun: 'component', applicationId, componentId });
}

/** CONFLICT if deploy hooks of the component do not work. */
export function requireOpen({ name, openWebhooks }: { name: string; openWebhooks: boolean }): void {
  if (openWebhooks) return;
  throw new ConflictError(
    `Deploy hooks are switched off for the component ${name}: its field \`opensWebhooks\` is false. Set it to true with updateComponent.`,
  );
}

const namedDeployHook = namedBy('deploy hook', 'DeployHook', 'deployHookId', visibleDeployHook);

/** Finds the deploy hook with its component, for a caller who may do the action with it. */
export async function requireDeployHook(
  context: Context,
  ref: DeployHookRef,
  action: Action,
): Promise<{ hook: DeployHookRow; component: Row<'Component'>; team: Row<'Team'> }> {
  const hook = await namedDeployHook(context, ref);
  return { hook, ...(await requireComponent(context, { componentId: hook.componentId }, action)) };
}

export const deployHooksOf = (componentId: string): List<'DeployHook'> => ({
  key: componentId,
  spec: {
    model: 'DeployHook',
    parent: { field: 'componentId' },
    order: ['createdAt', 'id'],
    fields: visibleFields,
  },
});
