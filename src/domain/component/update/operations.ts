import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import type { Write } from '../../../db/write/change.ts';
import { locked } from '../../../db/write/locked.ts';
import { changeWithPlan, type ObjectChange } from '../../../db/write/plan.ts';
import { patched } from '../../../db/write/revision.ts';
import { ConflictError } from '../../../kernel/errors.ts';
import { invalid } from '../../../kernel/validate.ts';
import { changesRequests, withinQuota } from '../../region/quota-reads.ts';
import { requireFixedReplicas, requireScalable } from '../autoscaling/model.ts';
import { commandColumn } from '../command-model.ts';
import { beforeDeploy } from '../deploy/prepared-reads.ts';
import { carryOut } from '../deploy/rows.ts';
import { requireGracePeriod } from '../health/model.ts';
import { givenLimits, limitsWith, requireLimits } from '../limits-model.ts';
import { imageTag } from '../model.ts';
import { requireFreeClaims } from '../names/reads.ts';
import { requireComponentFor } from '../reads.ts';
import { rootProblem } from '../root-model.ts';
import { setConfiguration } from '../rows.ts';
import { wasDeployed } from '../state-model.ts';
import type { UpdateComponent } from './model.ts';

type Component = Row<'Component'>;

/** The columns that people read and no cluster needs to know: they need no deploy. */
const namingColumns = ['name', 'description'] satisfies (keyof Component)[];

/** The columns that an update sets, and those that null clears. */
const updatedColumns = [
  'name',
  'image',
  'version',
  'category',
  'replicas',
  'cpuMillicores',
  'memoryMiB',
  'gpuMemoryMiB',
  'extendMethod',
  'isInner',
  'openWebhooks',
  'buildUpgrade',
  'checksPorts',
  'preStopSeconds',
  'terminationGracePeriodSeconds',
  'deployDeadlineSeconds',
  'preDeployTimeoutSeconds',
  'needsRoot',
] as const;
const clearedColumns = ['description', 'entrypoint', 'command', 'componentType', 'preDeployCommand'] as const;

const sourceColumns = ['sourceKind', 'gitProjectId', 'serverType'] as const;
const clearedSourceColumns = [
  'codeFrom',
  'gitUrl',
  'codeVersion',
  'language',
  'oauthServiceId',
  'containerCommand',
] as const;

function columnsOf(before: Component, input: UpdateComponent): Partial<Component> {
  const { kind: componentType, opensWebhooks: openWebhooks, isUpgradedAfterBuild: buildUpgrade } = input;
  const isNewImage = input.image != null && input.image !== before.image;
  const version = input.version ?? (isNewImage ? (imageTag(input.image!) ?? 'latest') : null);
  const preDeployCommand = commandColumn(input.preDeployCommand);
  const values = { ...input, componentType, openWebhooks, buildUpgrade, version, preDeployCommand };
  const source = { ...input.source, sourceKind: input.source?.kind };
  const own = patched(before, values, updatedColumns, clearedColumns);
  return {
    ...own,
    ...limitsWith({ ...before, ...own, ...givenLimits(input) }),
    ...patched(before, source, sourceColumns, clearedSourceColumns),
  };
}

function changesOf(before: Component, input: UpdateComponent): Partial<Component> {
  const wanted = Object.entries(columnsOf(before, input)) as [keyof Component, never][];
  return Object.fromEntries(wanted.filter(([field, value]) => value !== before[field]));
}

function requireAllowed(before: Component, { extendMethod, sourceKind }: Partial<Component>): void {
  if (sourceKind && [sourceKind, before.sourceKind].includes('market')) {
    throw invalid(['input', 'source', 'kind'], 'MARKET is reserved for components of templates');
  }
  if (extendMethod && wasDeployed(before)) {
    throw new ConflictError(
      `The extend method of the component ${before.name} cannot change after the first deploy.`,
    );
  }
}

/**
 * Changes a component. If it is deployed, the changes take effect with its next deploy, except that its resources count
 * toward the quota at once. With `deploy`, it is deployed in the same transaction.
 */
export async function updateComponent(
  context: Context,
  input: UpdateComponent,
): Promise<{ component: Component; job: Row<'Job'> | null; plan: ObjectChange[] }> {
  const { component, team, region } = await requireComponentFor(context, input.component, 'updateComponent');
  const isDryRun = input.dryRun ?? false;
  const deployedNow = () => {
    const after = { ...component, image: input.image ?? component.image };
    return { deployed: input.deploy ? [after] : [], restarted: [] };
  };
  const prepare = beforeDeploy(context, { team, region }, deployedNow, isDryRun);
  const options = { dryRun: isDryRun, prepare };
  const { result, plan } = await changeWithPlan(context, 'component.update', options, async (write) => {
    const before = await locked(write, 'Component', component.id, input);
    const changes = changesOf(before, input);
    if (input.replicas != null) requireFixedReplicas(before);
    requireAllowed(before, changes);
    requireScalable({ ...before, ...changes });
    requireGracePeriod({ ...before, ...changes }, input);
    requireLimits({ ...before, ...changes }, input);
    if (changes.extendMethod !== undefined) {
      const where = { componentId: before.id };
      const volumes = await write.tx.volume.findMany({ where, select: { name: true, type: true } });
      const after = { ...before, extendMethod: changes.extendMethod };
      await requireFreeClaims(write, { team, region }, [{ component: after, volumes }]);
    }
    const problem = rootProblem(changes.needsRoot, region);
    if (problem) throw invalid(['input', 'needsRoot'], problem);
    const set = () => setColumns(write, before, changes);
    const row = await (changesRequests(changes) ? withinQuota({ ...write, team, region }, set) : set());
    if (!input.deploy) return { component: row, job: null };
    const scene = { kind: 'deploy', team, region, applicationId: row.applicationId } as const;
    const { components, job } = await carryOut(write, scene, [{ row, action: 'deploy' }]);
    return { component: components[0]!, job };
  });
  return { component: result.component, job: isDryRun ? null : result.job, plan };
}

function setColumns(write: Write, row: Component, changes: Partial<Component>): Promise<Component> {
  const needsDeploy = Object.keys(changes).some((field) => !(namingColumns as string[]).includes(field));
  return setConfiguration(write, 'component.update', row, changes, needsDeploy);
}
