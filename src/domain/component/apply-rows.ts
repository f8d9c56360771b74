import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { findByKeys, updateMany } from '../../db/write/bulk.ts';
import { leavesEvent, type Write } from '../../db/write/change.ts';
import { isImmediate } from '../region/reads.ts';
import { type JobScene, recordJob } from './deploy-rows.ts';
import { isDeployed, wasDeployed } from './model.ts';

type Component = Row<'Component'>;
type Place = Pick<JobScene, 'team' | 'region'>;

/**
 * Does work on the ports or rules of a component, and has them applied at once if something changed: unlike variables
 * and volumes, they do not wait for a deploy. Immediate regions have nothing to apply.
 */
export function applyingPorts<W extends Write<Context>, T>(
  write: W,
  place: Place,
  componentId: string,
  work: (write: W) => Promise<T>,
): Promise<T> {
  return isImmediate(write.context, place.region) ? work(write) : doAndApply(write, place, componentId, work);
}

async function doAndApply<W extends Write<Context>, T>(
  write: W,
  { team, region }: Place,
  componentId: string,
  work: (write: W) => Promise<T>,
): Promise<T> {
  let isChanged = false;
  const result = await work({
    ...write,
    recordEvent: (event) => {
      isChanged ||= leavesEvent(event);
      write.recordEvent(event);
    },
  });
  if (!isChanged) return result;
  const [row] = (await findByKeys(write, 'Component', 'id', [componentId], ['id'])).filter(wasDeployed);
  if (!row) return result;
  const [component] = await setGenerations(write, [row]);
  const scene = { kind: 'configure', team, region, applicationId: row.applicationId } as const;
  await recordJob(write, scene, [{ component: component!, action: 'configure' }]);
  return result;
}

/** The events of what is applied tell of it. */
async function setGenerations(
  write: Write<Context>,
  rows: readonly Component[],
  dataOf: (row: Component) => Pick<Component, 'hasUndeployedChanges'> = (row) => row,
): Promise<Component[]> {
  const updates = rows.map((row) => ({
    id: row.id,
    data: {
      generation: row.generation + 1,
      hasUndeployedChanges: dataOf(row).hasUndeployedChanges,
    },
  }));
  await updateMany(write, 'Component', updates);
  return rows.map((row, index) => ({ ...row, ...updates[index]!.data }));
}

/**
 * Records the job of an upgrade that has changed, created and closed components. Those that are deployed are deployed
 * anew; those that users stopped have the changes with their next deploy.
 */
export async function recordUpgradeJob(
  write: Write<Context>,
  scene: Omit<JobScene, 'kind'>,
  ids: { upgraded: readonly string[]; dropped: readonly string[] },
): Promise<Row<'Job'> | null> {
  const dropped = new Set(ids.dropped);
  const rows = await findByKeys(write, 'Component', 'id', [...ids.upgraded, ...dropped], ['id']);
  const components = await setGenerations(write, rows.filter(wasDeployed), (row) => ({
    hasUndeployedChanges: !isDeployed(row) && (row.hasUndeployedChanges || !dropped.has(row.id)),
  }));
  const targets = components
    .filter((component) => isDeployed(component) || dropped.has(component.id))
    .map((component) => ({ component, action: dropped.has(component.id) ? 'drop' : 'deploy' }) as const);
  return recordJob(write, { ...scene, kind: 'upgrade' }, targets);
}
