import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { locked } from '../../../db/write/locked.ts';
import { changeWithPlan, type ObjectChange } from '../../../db/write/plan.ts';
import { probeKinds, probesOf } from '../../../drivers/region/probe-model.ts';
import { requireComponentFor } from '../reads.ts';
import { setConfiguration } from '../rows.ts';
import { probeColumn, probeColumnsOf } from './model.ts';
import type { SetProbes } from './probe-model.ts';

/** Sets and removes probes. Nothing is written if they already are as wanted. */
export async function setProbes(
  context: Context,
  input: SetProbes,
): Promise<{ component: Row<'Component'>; plan: ObjectChange[] }> {
  const { component } = await requireComponentFor(context, input.component, 'setProbes');
  const wanted = probeColumnsOf(probesOf(input));
  const { result, plan } = await changeWithPlan(context, 'component.set_probes', input, async (write) => {
    const before = await locked(write, 'Component', component.id, input);
    const columns = probeKinds
      .filter((kind) => input[kind] !== undefined)
      .map((kind) => probeColumn[kind])
      .filter((column) => wanted[column] !== before[column]);
    const changes = Object.fromEntries(columns.map((column) => [column, wanted[column]]));
    return setConfiguration(write, 'component.set_probes', before, changes, true);
  });
  return { component: result, plan };
}
