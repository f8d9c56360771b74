import { AutoscalingOf } from './autoscaling.ts';
import { PlacementOf } from './placement.ts';
import { ProbesOf } from './probes.ts';
import { lookup, page } from './query.ts';

export const ComponentActionsQuery = lookup('component', 'ComponentActions', {
  select: `
    id
    uid
    name
    revision
    replicas
    cpuMillicores
    memoryMiB
    mayUpdate: viewerCan(action: UPDATE_COMPONENT)
    mayDeploy: viewerCan(action: DEPLOY_COMPONENT)
    mayStart: viewerCan(action: START_COMPONENT)
    mayStop: viewerCan(action: STOP_COMPONENT)
    mayRestart: viewerCan(action: RESTART_COMPONENT)
    mayScale: viewerCan(action: SCALE_COMPONENT)
    maySetVariables: viewerCan(action: SET_VARIABLES)
    maySetProbes: viewerCan(action: SET_PROBES)
    maySetAutoscaling: viewerCan(action: SET_AUTOSCALING)
    mayRemoveAutoscaling: viewerCan(action: REMOVE_AUTOSCALING)
    maySetPlacement: viewerCan(action: SET_PLACEMENT)
    mayAddPort: viewerCan(action: ADD_PORT)
    mayDelete: viewerCan(action: DELETE_COMPONENT)
    application { id name team { id } }
    ports(first: 1) { nodes { id number } }
    ...ProbesOf
    ...AutoscalingOf
    ...PlacementOf
  `,
  fragments: [ProbesOf, AutoscalingOf, PlacementOf],
});

export const VariablesQuery = lookup('component', 'Variables', {
  variables: '$after: String',
  select: `
    id
    variables(first: 100, after: $after) {
      ${page('id name value scope isSecret isChangeable isDerived revision')}
    }
  `,
});
