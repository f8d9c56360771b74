import type { Context } from '../../context.ts';
import { batchedRow, type List } from '../../db/list.ts';
import type { Row } from '../../db/tables.ts';
import type { InspectedRun, RunAccess } from '../../drivers/region/runs.ts';
import type { Action } from '../../kernel/actions.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { namedBy } from '../../kernel/global-id.ts';
import { requireComponent, visibleWithComponent } from '../component/reads.ts';
import { loadRegion } from '../region/reads.ts';
import type { RunFilter, RunRef } from './model.ts';

type Run = Row<'ComponentRun'>;

const runById = batchedRow('ComponentRun', 'id');

export const visibleRun = visibleWithComponent(runById);

/** The run that a reference names, for a caller who may see it. */
export const requireRun = namedBy('run', 'ComponentRun', 'runId', visibleRun);

/** Finds the run with its component, for a caller who may do the action with it. */
export async function requireRunFor(
  context: Context,
  ref: RunRef,
  action: Action,
): Promise<{ run: Run; component: Row<'Component'>; team: Row<'Team'>; region: Row<'Region'> }> {
  const run = await requireRun(context, ref);
  return { run, ...(await requireComponent(context, { componentId: run.componentId }, action)) };
}

export const runsOf = (componentId: string, { status }: RunFilter = {}): List<'ComponentRun'> => ({
  key: componentId,
  spec: {
    model: 'ComponentRun',
    parent: { field: 'componentId' },
    order: ['createdAt', 'id'],
    descending: true,
    ...(status && { where: [{ field: 'status', is: status }] }),
    growing: { indexed: [], time: 'createdAt' },
  },
});

export const commandOf = ({ command }: Pick<Run, 'command'>): string[] => JSON.parse(command);

/** The columns that reading the log of a run needs. */
export const loggedFields = [
  'id',
  'componentId',
  'regionId',
  'command',
  'timeoutSeconds',
  'createdAt',
  'startedAt',
  'endedAt',
  'exitCode',
] as const satisfies (keyof Run)[];
export type LoggedRun = Pick<Run, (typeof loggedFields)[number]>;

/** A run as drivers read its log. */
export const inspectedRun = (run: LoggedRun, component: Row<'Component'>): InspectedRun => ({
  ...run,
  command: commandOf(run),
  component,
});

/** The access of a driver to runs. CONFLICT if the region has no cluster. */
export async function requireRuns(
  context: Context,
  { name, regionId }: Pick<Row<'Component'>, 'name' | 'regionId'>,
): Promise<RunAccess> {
  const region = await loadRegion(context, regionId);
  const access = context.drivers.region.get(region.driver)?.runs;
  if (access) return access;
  throw new ConflictError(
    `The component ${name} cannot run commands: the driver of its region ${region.name} is ${region.driver.toUpperCase()}, which has no cluster.`,
  );
}
