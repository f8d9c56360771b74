import type { Transaction } from '../../db/open.ts';
import { type Bulk, deleteByIds } from '../../db/write/bulk.ts';
import { recordOwn } from '../../db/write/own-events.ts';
import { type JobWrite, lockJobs } from './settle-rows.ts';

/** A component that a region driver has seen crash. */
export interface Crash {
  componentId: string;
  reason: string | null;
  /** The request that led to it, if one did. */
  requestId: string;
}

/**
 * Records that a component crashes, once for each generation of it: however often the driver sees it, and whichever process does.
 * Takes the lock of the jobs of the region. Does nothing for a component that is not deployed.
 */
export async function recordCrash(write: JobWrite, { componentId, reason, requestId }: Crash): Promise<void> {
  const { tx } = write;
  const component = await findDeployed(tx, componentId);
  if (!component) return;
  await lockJobs(write, component.regionId);
  const { id, generation, name, teamId, applicationId, team } = component;
  const recorded = await tx.componentCrash.findUnique({ where: { id } });
  if (recorded && recorded.generation >= generation) return;
  const recordedAt = new Date();
  if (recorded) await tx.componentCrash.update({ where: { id }, data: { generation, recordedAt } });
  else await tx.componentCrash.create({ data: { id, generation, recordedAt } });
  await recordOwn(write, {
    action: 'component.crashed',
    enterpriseId: team.enterpriseId,
    requestId,
    subject: { type: 'Component', id },
    teamId,
    applicationId,
    after: { name, reason },
  });
}

/** Forgets the crashes of deleted components. */
export const removeCrashes = (write: Bulk, ids: readonly string[]): Promise<void> =>
  deleteByIds(write, 'ComponentCrash', ids);

async function findDeployed(tx: Transaction, id: string) {
  const component = await tx.component.findUnique({
    where: { id },
    select: {
      id: true,
      name: true,
      teamId: true,
      regionId: true,
      applicationId: true,
      generation: true,
      deployState: true,
      team: { select: { enterpriseId: true } },
    },
  });
  return component?.deployState === 'running' ? component : null;
}
