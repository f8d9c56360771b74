import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { findByKeys, updateMany } from '../../../db/write/bulk.ts';
import type { Write } from '../../../db/write/change.ts';
import { isImmediate } from '../../region/reads.ts';
import { wasDeployed } from '../state-model.ts';
import { type JobScene, recordJob, type Target } from './rows.ts';
import { isDeployedBy, leftStopped } from './scope-model.ts';

type Component = Row<'Component'>;
type TeamRegion = Pick<JobScene, 'team' | 'region'>;

/**
 * Does work on the ports or rules of a component, and has them applied at once if something changed: unlike variables
 * and volumes, they do not wait for a deploy. Immediate regions have nothing to apply.
 */
export function applyingPorts<W extends Write<Context>, T>(
  write: W,
  place: TeamRegion,
  componentId: string,
  work: (write: W) => Promise<T>,
): Promise<T> {
  return isImmediate(write.context, place.region) ? work(write) : doAndApply(write, place, componentId, work);
}

async function doAndApply<W extends Write<Context>, T>(
  write: W,
  place: TeamRegion,
  componentId: string,
  work: (write: W) => Promise<T>,
): Promise<T> {
  let isChanged = false;
  const result = await work({
    ...write,
    recordEvent: (event) => {
      const isRecorded = write.recordEvent(event);
      isChanged ||= isRecorded;
      return isRecorded;
    },
  });
  if (isChanged) await applyAgain(write, place, [componentId]);
  return result;
}

/**
 * Has components applied again, by one job, because what they use has changed. The components have to be locked. Those
 * that were never deployed are left out.
 */
export async function applyAgain(
  write: Write<Context>,
  { team, region }: TeamRegion,
  ids: readonly string[],
): Promise<void> {
  const targets = await configureAgain(write, ids);
  if (targets.length === 0) return;
  const [applicationId, ...others] = new Set(targets.map(({ component }) => component.applicationId));
  const scene: JobScene = {
    kind: 'configure',
    team,
    region,
    applicationId: others.length > 0 ? null : applicationId!,
  };
  await recordJob(write, scene, targets);
}

/** Counts a new generation of those components that were deployed before, for a job that applies them again. */
export async function configureAgain(write: Write<Context>, ids: readonly string[]): Promise<Target[]> {
  const rows = (await findByKeys(write, 'Component', 'id', ids, ['id'])).filter(wasDeployed);
  const components = rows.map((row) => ({ ...row, generation: row.generation + 1 }));
  await setCarriedOut(write, components);
  return components.map((component) => ({ component, action: 'configure' }));
}

/** Sets job and deploy columns. No event of its own: the applied change records one. */
const setCarriedOut = (write: Write<Context>, rows: readonly Component[]): Promise<void> =>
  updateMany(
    write,
    'Component',
    rows.map(({ id, generation, hasUndeployedChanges }) => ({
      id,
      data: { generation, hasUndeployedChanges },
    })),
  );

/**
 * Records the job of an upgrade that has changed, created and closed components. Those that are deployed are deployed
 * anew; those that users stopped have the changes with their next deploy.
 */
export async function recordUpgradeJob(
  write: Write<Context>,
  scene: Omit<JobScene, 'kind'>,
  ids: { upgraded: readonly string[]; dropped: readonly string[] },
): Promise<{ job: Row<'Job'> | null; leftStopped: string[] }> {
  const dropped = new Set(ids.dropped);
  const rows = await findByKeys(write, 'Component', 'id', [...ids.upgraded, ...dropped], ['id']);
  const isCarriedOut = (row: Component) => isDeployedBy('running', row) || dropped.has(row.id);
  const components = rows.filter(wasDeployed).map((row) => ({
    ...row,
    generation: row.generation + (isCarriedOut(row) ? 1 : 0),
    hasUndeployedChanges: !isCarriedOut(row),
  }));
  await setCarriedOut(write, components);
  const targets = components
    .filter(isCarriedOut)
    .map((component) => ({ component, action: dropped.has(component.id) ? 'drop' : 'deploy' }) as const);
  const left = leftStopped(
    'running',
    components.filter(({ id }) => !dropped.has(id)),
  );
  return { job: await recordJob(write, { ...scene, kind: 'upgrade' }, targets), leftStopped: left };
}
