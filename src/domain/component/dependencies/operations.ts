import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { changeWithPlan, type ObjectChange } from '../../../db/write/plan.ts';
import { requireRevision } from '../../../db/write/revision.ts';
import { ConflictError, NotFoundError } from '../../../kernel/errors.ts';
import { invalid } from '../../../kernel/validate.ts';
import { maxDependencies } from '../model.ts';
import { requireComponent, requireComponentFor } from '../reads.ts';
import { lockComponents } from '../rows.ts';
import type { DeleteDependency, OneDependency } from './model.ts';
import { setDependency } from './rows.ts';

/** Adds or deletes a dependency. Without a change, nothing is recorded. */
async function changeDependency(
  context: Context,
  input: DeleteDependency,
  isWanted: boolean,
): Promise<{ component: Row<'Component'>; dependency: Row<'Component'>; plan: ObjectChange[] }> {
  const name = isWanted ? 'addDependency' : 'deleteDependency';
  const { component } = await requireComponentFor(context, input.component, name);
  const { component: dependency } = await requireComponent(context, input.dependency);
  if (dependency.teamId !== component.teamId || dependency.regionId !== component.regionId) {
    throw new NotFoundError('component');
  }
  if (dependency.id === component.id) {
    throw invalid(['input', 'dependency'], 'A component cannot depend on itself');
  }
  const action = isWanted ? 'component.add_dependency' : 'component.delete_dependency';
  const { result, plan } = await changeWithPlan(context, action, input, async (write) => {
    const locked = await lockComponents(write, [component.id, dependency.id]);
    requireRevision(locked[0]!, input, 'component');
    const pair = { componentId: component.id, dependencyId: dependency.id };
    const where = { componentId_dependencyId: pair };
    const isThere = (await write.tx.componentDependency.findUnique({ where })) !== null;
    if (isThere !== isWanted) {
      if (isWanted) {
        const count = await write.tx.componentDependency.count({ where: { componentId: component.id } });
        if (count >= maxDependencies) {
          throw new ConflictError(
            `The component ${component.name} already depends on ${maxDependencies} components.`,
          );
        }
      }
      await setDependency(write, locked[0]!, dependency.id, isWanted);
    }
    return { component: locked[0]!, dependency: locked[1]! };
  });
  return { ...result, plan };
}

export const addDependency = (context: Context, input: OneDependency) =>
  changeDependency(context, input, true);

export const deleteDependency = (context: Context, input: DeleteDependency) =>
  changeDependency(context, input, false);
