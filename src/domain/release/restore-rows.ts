import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { findByKeys } from '../../db/write/bulk.ts';
import type { Reading } from '../../db/write/reading.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { mapInSlices } from '../../kernel/event-loop.ts';
import { namespaceIdOf } from '../application/model.ts';
import { applicationWithin } from '../application/reads.ts';
import { deployedImages } from '../component/deploy/image-rows.ts';
import type { DeployOrigin } from '../component/hooks.ts';
import { applyComponents, completePlan } from '../plan/apply-rows.ts';
import { requireFreeVolumes } from '../plan/claims.ts';
import { leftStoppedBy } from '../plan/deployed.ts';
import { digestOf, revisionsOf } from '../plan/digest.ts';
import type { Deploying, ManifestPlan } from '../plan/model.ts';
import { type ApplyWrite, policyOfManifests } from '../plan/parts-rows.ts';
import { type Scene, sceneWithin } from '../plan/scene.ts';
import { plainVariablesOf, type StandingComponent, standingOf } from '../plan/standing-reads.ts';
import { type ComponentWork, noRoutes } from '../plan/work.ts';
import type { Restored } from './entry-model.ts';
import { planRestored } from './plan-model.ts';
import { visibleNames } from './reads.ts';

/** A component, locked and read in the transaction, and the release that is deployed to it. */
export interface Target {
  row: Row<'Component'>;
  release: Row<'Release'>;
  origin: DeployOrigin;
}

/** Where releases are brought back, and how their plan reads. */
export type RestorePlace = Pick<ApplyWrite, 'team' | 'region'> & Reading<Context>;

/** The work that brings releases back. */
export interface RestorePlan {
  application: Row<'Application'>;
  targets: readonly Target[];
  deploying: Deploying;
  works: ComponentWork[];
  plan: ManifestPlan;
}

/**
 * Plans what sets what releases have deployed. The components are of one application, and locked in a change. The number of
 * statements does not depend on how many there are.
 */
export async function planRestore(
  write: RestorePlace,
  targets: readonly Target[],
  { restoredOf, ...deploying }: Deploying & { restoredOf: (current: StandingComponent) => Restored },
): Promise<RestorePlan> {
  const { team, region } = write;
  const application = await applicationWithin(write, targets[0]!.row.applicationId);
  const rows = targets.map(({ row }) => row);
  const standing = (await standingOf(write, [application], async (ids) => ids, rows)).get(application.id)!;
  const scene = sceneWithin(write.context, {
    team,
    region,
    namespaceId: namespaceIdOf(application),
    standing,
    plainVariables: await plainVariablesOf(write.context, standing.components),
    prune: 'owned',
  });
  const { signal } = write.context;
  const planned = await mapInSlices(
    standing.components,
    (current) => ({ current, restored: restoredOf(current) }),
    signal,
  );
  const names = await namesOf(write, planned);
  const moved = await movedSince(write, targets);
  const works = await mapInSlices(
    planned,
    ({ current, restored }) => withUndeployed(planRestored(scene, current, restored, names), moved),
    signal,
  );
  requirePossible(scene);
  await completePlan(write, { components: works, routes: noRoutes() });
  const outside = { certificates: new Map(), outside: new Map() };
  const releases = targets.map(({ row, release }) => [row.id, release.id]);
  const digest = digestOf([releases, deploying.deploy, revisionsOf(standing, outside as never)]);
  const plan = {
    digest,
    changes: scene.list.changes,
    leftOver: [],
    adopted: [],
    images: [],
    leftStopped: leftStoppedBy(works, deploying),
  };
  return { application, targets, deploying, works, plan };
}

/** Sets what releases have deployed, and deploys it. */
export async function carryOutRestore(
  write: ApplyWrite,
  { application, targets, deploying, works }: RestorePlan,
): Promise<Row<'Job'> | null> {
  await requireFreeVolumes(write, works);
  const origins = new Map(targets.map(({ row, origin }) => [row.id, origin]));
  return applyComponents(
    { ...write, application, manifestId: null, policy: policyOfManifests },
    { components: works, removed: [], routes: noRoutes() },
    { kind: 'deploy', ...deploying, origins },
  );
}

/** Changes since the last deploy that the release has are deployed as well, and the image of a tag that was moved. */
const withUndeployed = (work: ComponentWork, moved: ReadonlySet<string>): ComponentWork => ({
  ...work,
  isOutdated: work.row.hasUndeployedChanges || moved.has(work.row.id),
});

/** The components that run another image of the same tag than their release. */
async function movedSince(write: RestorePlace, targets: readonly Target[]): Promise<Set<string>> {
  const deployed = await deployedImages(
    write,
    targets.map(({ row }) => row.id),
  );
  const moved = targets.filter(
    ({ row, release: { digest } }) => digest !== null && digest !== deployed.get(row.id)?.digest,
  );
  return new Set(moved.map(({ row }) => row.id));
}

/** The names of the dependencies before and after, of components that exist and are visible. */
async function namesOf(
  write: RestorePlace,
  planned: readonly { current: StandingComponent; restored: Restored }[],
): Promise<Map<string, string>> {
  const ids = planned.flatMap(({ current, restored: { dependencies } }) =>
    dependencies ? [...dependencies, ...current.dependencies.map(({ dependencyId }) => dependencyId)] : [],
  );
  const components = await findByKeys(write, 'Component', 'id', [...new Set(ids)], ['id'], {
    fields: ['id', 'name', 'teamId', 'applicationId'],
  });
  return visibleNames(write.context, components);
}

function requirePossible({ conflicts, issues }: Scene): void {
  const problems = [
    ...conflicts.map(({ message }) => message),
    ...issues.map(({ path, message }) => `${path.join('.')}: ${message}.`),
  ];
  if (problems.length === 0) return;
  throw new ConflictError(`The release cannot be deployed unchanged. ${problems.slice(0, 100).join(' ')}`);
}
