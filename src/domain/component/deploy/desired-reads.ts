import { batchedRow } from '../../../db/list.ts';
import type { Row } from '../../../db/tables.ts';
import type { DesiredVariable } from '../../../drivers/region/desired.ts';
import type { DesiredContext, DesiredProviders } from '../../job/desired-reads.ts';
import { pullCredentialOf } from '../../registry-credential/reads.ts';
import { autoscalingOf } from '../autoscaling/model.ts';
import { healthDefaults, storedProbes } from '../health/model.ts';
import { storedPlacement } from '../placement/model.ts';
import { componentById, dependencyList, volumesOf } from '../reads.ts';
import { needsRootBefore } from '../root-model.ts';
import { openVariable, variablesOf } from '../variables/reads.ts';
import type { DeployedSpec } from './deployment-model.ts';

const deploymentById = batchedRow('Deployment', 'id', ['id', 'sealedSpec']);

/** More than a component can have. */
const all = { limit: 10_000, fromEnd: false };

/** A component as it was deployed, and its connection variables as they are. */
export const desiredOfComponent: DesiredProviders['component'] = async (context, componentId) => {
  const [component, deployment] = await Promise.all([
    componentById(context, componentId),
    deploymentById(context, componentId),
  ]);
  if (!component) return null;
  const spec = deployment
    ? (JSON.parse(context.seal.open(deployment.sealedSpec)) as DeployedSpec)
    : await currentSpec(context, component);
  const { id, teamId, applicationId, name, alias, clusterName, serviceName, generation } = component;
  return {
    id,
    teamId,
    applicationId,
    name,
    alias,
    clusterName,
    serviceName,
    generation,
    state: component.deployState === 'running' ? 'running' : 'closed',
    image: spec.image,
    command: spec.command,
    extendMethod: spec.extendMethod,
    replicas: spec.replicas,
    autoscaling: autoscalingOf(spec),
    cpuMillicores: spec.cpuMillicores,
    memoryMiB: spec.memoryMiB,
    gpuMemoryMiB: spec.gpuMemoryMiB,
    ...healthOf(spec),
    needsRoot: spec.needsRoot ?? needsRootBefore,
    placement: storedPlacement({ placement: spec.placement ?? null }),
    pullCredential: await pullCredentialOf(context, teamId, spec.image),
    variables: await variablesFor(context, spec),
    volumes: spec.volumes,
    dependencies: spec.dependencies,
  };
};

/** A component that was deployed before there were probes has the defaults. */
function healthOf(spec: DeployedSpec) {
  const { startupProbe = null, readinessProbe = null, livenessProbe = null } = spec;
  return {
    probes: storedProbes({ startupProbe, readinessProbe, livenessProbe }),
    checksPorts: spec.checksPorts ?? healthDefaults.checksPorts,
    preStopSeconds: spec.preStopSeconds ?? healthDefaults.preStopSeconds,
    terminationGracePeriodSeconds:
      spec.terminationGracePeriodSeconds ?? healthDefaults.terminationGracePeriodSeconds,
  };
}

/** Of a component that was deployed before its region had something to carry out. */
async function currentSpec(context: DesiredContext, component: Row<'Component'>): Promise<DeployedSpec> {
  const { db, seal } = context;
  const [keys, window] = [[component.id], all];
  const [variables, volumes, dependencies] = await Promise.all([
    db.environmentVariable.findManyByKeys({ by: 'componentId', keys }),
    db.volume.findPagesByKeys({ keys, spec: volumesOf(component.id).spec, window }),
    db.component.findPagesByKeys({ keys, spec: dependencyList('dependencies'), window }),
  ]);
  return {
    ...component,
    variables: variables.map((row) => openVariable(seal, row)),
    volumes: volumes.get(component.id)?.rows ?? [],
    dependencies: (dependencies.get(component.id)?.rows ?? []).map(({ id }) => id),
  };
}

/** Later variables override earlier ones of the same name. */
async function variablesFor(
  { db, seal }: DesiredContext,
  { dependencies, variables }: DeployedSpec,
): Promise<DesiredVariable[]> {
  const pages = await db.environmentVariable.findPagesByKeys({
    keys: dependencies,
    spec: variablesOf('', 'connection').spec,
    window: all,
  });
  const provided = dependencies
    .flatMap((id) => pages.get(id)?.rows ?? [])
    .map((row) => openVariable(seal, row));
  const own = (scope: string) => variables.filter((variable) => variable.scope === scope);
  const byName = new Map<string, DesiredVariable>();
  for (const { name, value, isSecret } of [...provided, ...own('connection'), ...own('environment')]) {
    byName.set(name, { name, value, isSecret });
  }
  return [...byName.values()];
}
