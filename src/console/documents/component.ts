import { RulePort, SwitchParts } from './act-port.ts';
import { AutoscalingOf } from './autoscaling.ts';
import { ComponentHead } from './component-head.ts';
import { DeployHooksOf } from './deploy-hooks.ts';
import { JobRow } from './jobs.ts';
import { PlacementOf } from './placement.ts';
import { ProbesOf } from './probes.ts';
import { lookup, page } from './query.ts';
import { ReleasesOf } from './releases.ts';
import { RuleLists } from './rules.ts';
import { RunsOf } from './runs.ts';
import { SchedulesOf } from './schedules.ts';
import { PortRow } from './tree.ts';

// One query for each page of a component.

/** The overview, with the last releases. */
export const ComponentQuery = lookup('component', 'Component', {
  variables: '$first: Int!',
  select: `
    ...ComponentHead
    image description replicas cpuMillicores memoryMiB serviceName accessUrls
    deployedImage { reference digest resolvedAt }
    group { id name templateVersion }
    ports(first: 3) { totalCount nodes { ...PortRow ...SwitchParts } }
    problem { message job { id uid kind } }
    ...AutoscalingOf
    ...ReleasesOf
  `,
  fragments: [AutoscalingOf, ComponentHead, PortRow, ReleasesOf, SwitchParts],
});

/** The head of a component alone: logs have queries of their own. */
export const ComponentHeadQuery = lookup('component', 'ComponentHead', {
  select: '...ComponentHead',
  fragments: [ComponentHead],
});

export const ComponentNetworkQuery = lookup('component', 'ComponentNetwork', {
  select: `
    ...ComponentHead
    alias serviceName revision
    mayAddPort: viewerCan(action: ADD_PORT)
    mayAddDependency: viewerCan(action: ADD_DEPENDENCY)
    mayDeleteDependency: viewerCan(action: DELETE_DEPENDENCY)
    ports(first: 50) { ${page('...PortRow ...RulePort')} }
    gatewayRules { ...RuleLists }
    dependencies(first: 50) { totalCount nodes { id uid name desiredState } }
    dependents(first: 50) { totalCount nodes { id uid name } }
  `,
  fragments: [ComponentHead, PortRow, RuleLists, RulePort],
});

export const ComponentConfigurationQuery = lookup('component', 'ComponentConfiguration', {
  select: `
    ...ComponentHead
    entrypoint command preDeployCommand replicas revision
    cpuMillicores memoryMiB cpuLimitMillicores memoryLimitMiB
    mayUpdate: viewerCan(action: UPDATE_COMPONENT)
    maySetProbes: viewerCan(action: SET_PROBES)
    maySetAutoscaling: viewerCan(action: SET_AUTOSCALING)
    mayRemoveAutoscaling: viewerCan(action: REMOVE_AUTOSCALING)
    maySetPlacement: viewerCan(action: SET_PLACEMENT)
    mayAddVolume: viewerCan(action: ADD_VOLUME)
    ports(first: 1) { nodes { id number } }
    variables(first: 100) {
      totalCount
      nodes { id name label scope value isSecret isDerived isChangeable }
    }
    volumes(first: 50) { totalCount nodes { id name path type capacityGiB isShared fileContent revision } }
    ...ProbesOf
    ...AutoscalingOf
    ...PlacementOf
    ...DeployHooksOf
  `,
  fragments: [AutoscalingOf, ComponentHead, DeployHooksOf, PlacementOf, ProbesOf],
});

export const ComponentRunsQuery = lookup('component', 'ComponentRuns', {
  select: `
    ...ComponentHead
    ...RunsOf
    ...SchedulesOf
  `,
  fragments: [ComponentHead, RunsOf, SchedulesOf],
});

export const ComponentHistoryQuery = lookup('component', 'ComponentHistory', {
  variables: '$first: Int!',
  select: `
    ...ComponentHead
    application { id mayCancel: viewerCan(action: UPDATE_APPLICATION) }
    jobs(first: 5) { totalCount nodes { ...JobRow } }
    ...ReleasesOf
  `,
  fragments: [ComponentHead, JobRow, ReleasesOf],
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
