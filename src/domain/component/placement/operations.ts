import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { locked } from '../../../db/write/locked.ts';
import { changeWithPlan, type ObjectChange } from '../../../db/write/plan.ts';
import { invalid } from '../../../kernel/validate.ts';
import { requireComponentFor } from '../reads.ts';
import { setConfiguration } from '../rows.ts';
import { drainProblem, placementColumnOf, placementOf, type SetPlacement, storedPlacement } from './model.ts';

/** Sets the placement of a component as a whole. Nothing is written if it already is as wanted. */
export async function setPlacement(
  context: Context,
  input: SetPlacement,
): Promise<{ component: Row<'Component'>; plan: ObjectChange[] }> {
  const { component } = await requireComponentFor(context, input.component, 'setPlacement');
  const wanted = placementOf(input);
  const placement = placementColumnOf(wanted);
  const { result, plan } = await changeWithPlan(context, 'component.set_placement', input, async (write) => {
    const before = await locked(write, 'Component', component.id, input);
    const problem = drainProblem(wanted, before, storedPlacement(before));
    if (problem !== undefined) throw invalid(['input', 'minAvailable'], problem);
    const changes = placement === before.placement ? {} : { placement };
    return setConfiguration(write, 'component.set_placement', before, changes, true);
  });
  return { component: result, plan };
}
