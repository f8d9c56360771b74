import { AutoscalingOf } from './autoscaling.ts';
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
    maySetVariables: viewerCan(action: SET_VARIABLES)
    mayScale: viewerCan(action: SCALE_COMPONENT)
    mayDelete: viewerCan(action: DELETE_COMPONENT)
    application { id name team { id } }
    ...AutoscalingOf
  `,
  fragments: [AutoscalingOf],
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
