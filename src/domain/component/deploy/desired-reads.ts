import { withDigest } from '../../../drivers/registry/image.ts';
import type { DesiredProviders } from '../../job/desired-reads.ts';
import { pullCredentialOf } from '../../registry-credential/reads.ts';
import { autoscalingOf } from '../autoscaling/model.ts';
import { healthDefaults, storedProbes } from '../health/model.ts';
import { limitsOf } from '../limits-model.ts';
import { storedPlacement } from '../placement/model.ts';
import { componentById } from '../reads.ts';
import { needsRootBefore } from '../root-model.ts';
import { wasDeployed } from '../state-model.ts';
import { sourceOf } from '../volumes/model.ts';
import { deployedConfiguration } from './deployed-reads.ts';
import type { DeployedSpec } from './deployment-model.ts';

/** A component as it was deployed, or will be by a pending deploy, and its connection variables as they are. */
export const desiredOfComponent: DesiredProviders['component'] = async (context, componentId, isPending) => {
  const component = await componentById(context, componentId);
  if (!component || !wasDeployed(component)) return null;
  const configuration = await deployedConfiguration(context, component, isPending);
  const { spec, variables, digest, pullsAlways = false } = configuration;
  const { id, teamId, applicationId, namespaceId, name, alias, clusterName, serviceName, generation } =
    component;
  return {
    id,
    teamId,
    applicationId,
    namespaceId,
    name,
    alias,
    clusterName,
    serviceName,
    generation,
    state: component.deployState === 'running' ? 'running' : 'closed',
    image: digest ? withDigest(spec.image, digest) : spec.image,
    pullsAlways,
    entrypoint: spec.entrypoint ?? null,
    command: spec.command,
    extendMethod: spec.extendMethod,
    replicas: spec.replicas,
    autoscaling: autoscalingOf(spec),
    cpuMillicores: spec.cpuMillicores,
    memoryMiB: spec.memoryMiB,
    ...limitsOf(spec),
    gpuMemoryMiB: spec.gpuMemoryMiB,
    ...healthOf(spec),
    needsRoot: spec.needsRoot ?? needsRootBefore,
    placement: storedPlacement({ placement: spec.placement ?? null }),
    pullCredential: await pullCredentialOf(context, teamId, spec.image),
    variables,
    volumes: spec.volumes.map(({ source, ...volume }) => ({
      ...volume,
      ...(source && { source: sourceOf(source) }),
    })),
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
    deployDeadlineSeconds: spec.deployDeadlineSeconds ?? healthDefaults.deployDeadlineSeconds,
  };
}
