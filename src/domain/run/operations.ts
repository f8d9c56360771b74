import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change } from '../../db/write/change.ts';
import { locked } from '../../db/write/locked.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { timeoutDefaults } from '../component/command-model.ts';
import { requireComponentFor } from '../component/reads.ts';
import { wasDeployed } from '../component/state-model.ts';
import { type CancelRun, canBecome, maxUnfinished, type RunComponent } from './model.ts';
import { requireRunFor, requireRuns } from './reads.ts';
import { insertRun, setCancelling } from './rows.ts';

type Run = Row<'ComponentRun'>;

/** Starts a command with the configuration with which the component was deployed. */
export async function runComponent(
  context: Context,
  { component: ref, command, timeoutSeconds }: RunComponent,
): Promise<Run> {
  const target = await requireComponentFor(context, ref, 'runComponent');
  await requireRuns(context, target.component);
  return change(context, 'run.start', async (write) => {
    const component = await locked(write, 'Component', target.component.id);
    if (!wasDeployed(component)) {
      throw new ConflictError(`The component ${component.name} was never deployed. Deploy it first.`);
    }
    const count = await write.tx.componentRun.count({
      where: { componentId: component.id, dueAt: { not: null } },
    });
    if (count >= maxUnfinished) {
      throw new ConflictError(
        `The component ${component.name} already has ${maxUnfinished} runs that have not ended. Wait for one, or cancel one.`,
      );
    }
    const seconds = timeoutSeconds ?? timeoutDefaults.seconds;
    const run = await insertRun(write, component, { command, timeoutSeconds: seconds });
    write.afterCommit(() => context.runs?.wake());
    return run;
  });
}

/** Cancels a run. One that is cancelled stays as it is. */
export async function cancelRun(context: Context, { run: ref, ...expecting }: CancelRun): Promise<Run> {
  const { run: found } = await requireRunFor(context, ref, 'cancelRun');
  return change(context, 'run.cancel', async (write) => {
    const component = await locked(write, 'Component', found.componentId);
    const run = await locked(write, 'ComponentRun', found.id, expecting);
    if (run.status === 'cancelled' || run.status === 'cancelling') return run;
    if (!canBecome(run.status, 'cancelling')) {
      throw new ConflictError(`The run has already ${run.status.replace('_', ' ')}.`);
    }
    const after = await setCancelling(write, component, run);
    write.afterCommit(() => context.runs?.wake());
    return after;
  });
}
