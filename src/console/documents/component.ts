import { SwitchParts } from './act-port.ts';
import { AutoscalingOf } from './autoscaling.ts';
import { DeployHooksOf } from './deploy-hooks.ts';
import { JobRow } from './jobs.ts';
import { PlacementOf } from './placement.ts';
import { ProbesOf } from './probes.ts';
import { lookup, page } from './query.ts';
import { RuleLists } from './rules.ts';
import { RunsOf } from './runs.ts';
import { SchedulesOf } from './schedules.ts';
import { PortRow } from './tree.ts';

export const ComponentQuery = lookup('component', 'Component', {
  select: `
    id uid name alias image version kind description entrypoint command preDeployCommand state desiredState replicas cpuMillicores memoryMiB cpuLimitMillicores memoryLimitMiB
    deployedImage { reference digest resolvedAt }
    hasUndeployedChanges isUpgradable accessUrls serviceName extendMethod releaseCount createdAt updatedAt
    revision
    mayAddVolume: viewerCan(action: ADD_VOLUME)
    mayAddDependency: viewerCan(action: ADD_DEPENDENCY)
    mayDeleteDependency: viewerCan(action: DELETE_DEPENDENCY)
    application {
      id uid name
      mayCancel: viewerCan(action: UPDATE_APPLICATION)
      team { id name alias }
      region { id name alias driver servesAddresses }
    }
    group { id name templateVersion }
    ports(first: 50) { ${page('...PortRow ...SwitchParts')} }
    variables(first: 100) {
      totalCount
      nodes { id name label scope value isSecret isDerived isChangeable }
    }
    volumes(first: 50) { totalCount nodes { id name path type capacityGiB isShared fileContent revision } }
    dependencies(first: 50) { totalCount nodes { id uid name desiredState } }
    dependents(first: 50) { totalCount nodes { id uid name desiredState } }
    gatewayRules { ...RuleLists }
    problem { message job { id uid kind } }
    jobs(first: 5) { totalCount nodes { ...JobRow } }
    ...ProbesOf
    ...AutoscalingOf
    ...PlacementOf
    ...DeployHooksOf
    ...RunsOf
    ...SchedulesOf
  `,
  fragments: [
    AutoscalingOf,
    DeployHooksOf,
    JobRow,
    PlacementOf,
    PortRow,
    ProbesOf,
    RuleLists,
    RunsOf,
    SchedulesOf,
    SwitchParts,
  ],
});

/** Whether the tag of the image that a component runs has moved. A separate query, because it waits for the registry. */
export const MovedImageQuery = lookup('component', 'MovedImage', {
  select: `
    id
    mayDeploy: viewerCan(action: DEPLOY_COMPONENT)
    deployedImage { hasMoved }
  `,
});

export const PortQuery = lookup('port', 'Port', {
  select: `
    ...PortRow
    additionalName createdAt
    component { id uid name application { id uid name team { id name alias } } }
    gatewayRules { ...RuleLists }
  `,
  fragments: [PortRow, RuleLists],
});
