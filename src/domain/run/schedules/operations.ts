import type { Context } from '../../../context.ts';
import type { Transaction } from '../../../db/open.ts';
import type { Row } from '../../../db/tables.ts';
import { change } from '../../../db/write/change.ts';
import { databaseNow } from '../../../db/write/database-now.ts';
import { locked } from '../../../db/write/locked.ts';
import { changeWithPlan, type ObjectChange } from '../../../db/write/plan.ts';
import { patched } from '../../../db/write/revision.ts';
import { ConflictError } from '../../../kernel/errors.ts';
import { timeoutDefaults } from '../../component/command-model.ts';
import { requireComponentFor } from '../../component/reads.ts';
import { tidyCron } from '../../component/timing/cron-model.ts';
import { nextTime, timeAfterChange } from '../../component/timing/times-model.ts';
import { requireRuns } from '../reads.ts';
import {
  type CreateSchedule,
  type DeleteSchedule,
  defaults,
  freeName,
  maxSchedules,
  type UpdateSchedule,
} from './model.ts';
import { requireScheduleFor } from './reads.ts';
import * as rows from './rows.ts';

type Schedule = Row<'Schedule'>;

/** Starts runs of a component at the times of a cron expression, from the next one. */
export async function createSchedule(context: Context, input: CreateSchedule): Promise<Schedule> {
  const target = await requireComponentFor(context, input.component, 'createSchedule');
  await requireRuns(context, target.component);
  return change(context, 'schedule.create', async (write) => {
    const component = await locked(write, 'Component', target.component.id);
    const taken = await namesOf(write.tx, component.id);
    if (taken.size >= maxSchedules) {
      throw new ConflictError(
        `The component ${component.name} already has ${maxSchedules} schedules. Delete one first.`,
      );
    }
    requireFreeName(component, input.name, taken);
    const timing = { cron: tidyCron(input.cron), timeZone: input.timeZone ?? defaults.timeZone };
    return rows.insertSchedule(write, component, {
      name: input.name ?? freeName(input.command, taken),
      ...timing,
      command: JSON.stringify(input.command),
      concurrency: input.concurrency ?? defaults.concurrency,
      timeoutSeconds: input.timeoutSeconds ?? timeoutDefaults.seconds,
      nextRunAt: nextTime(timing, await databaseNow(write)),
    });
  });
}

/** Changes a schedule. Its runs go on. A time that has passed meanwhile is not made up for. */
export async function updateSchedule(context: Context, input: UpdateSchedule): Promise<Schedule> {
  const { schedule: found } = await requireScheduleFor(context, input.schedule, 'updateSchedule');
  return change(context, 'schedule.update', async (write) => {
    const component = await locked(write, 'Component', found.componentId);
    const before = await locked(write, 'Schedule', found.id, input);
    if (input.name !== before.name) {
      requireFreeName(component, input.name, await namesOf(write.tx, component.id));
    }
    return rows.changeSchedule(write, component, before, columnsOf(before, input, await databaseNow(write)));
  });
}

const namesOf = async (tx: Transaction, componentId: string): Promise<Set<string>> =>
  new Set(
    (await tx.schedule.findMany({ where: { componentId }, select: { name: true } })).map(({ name }) => name),
  );

function requireFreeName(
  component: Pick<Row<'Component'>, 'name'>,
  name: string | null | undefined,
  taken: ReadonlySet<string>,
): void {
  if (name != null && taken.has(name)) {
    throw new ConflictError(`The component ${component.name} already has a schedule named ${name}.`);
  }
}

/** The columns that an update sets. A change of other columns leaves the next time, which can be due at present. */
function columnsOf(before: Schedule, input: UpdateSchedule, now: Date): Partial<Schedule> {
  const { cron, command } = input;
  const values = {
    ...input,
    cron: cron == null ? null : tidyCron(cron),
    command: command == null ? null : JSON.stringify(command),
  };
  const data = patched(before, values, [
    'name',
    'cron',
    'timeZone',
    'command',
    'concurrency',
    'timeoutSeconds',
    'isPaused',
  ]);
  return { ...data, ...timeAfterChange(before, data, now) };
}

/** Deletes a schedule. Its runs continue, and stay in the list of the component. */
export async function deleteSchedule(
  context: Context,
  input: DeleteSchedule,
): Promise<{ schedule: Schedule; plan: ObjectChange[] }> {
  const { schedule: found } = await requireScheduleFor(context, input.schedule, 'deleteSchedule');
  const { plan } = await changeWithPlan(context, 'schedule.delete', input, async (write) => {
    const component = await locked(write, 'Component', found.componentId);
    await rows.removeSchedule(write, component, await locked(write, 'Schedule', found.id, input));
  });
  return { schedule: found, plan };
}
