import { graphql } from '../api/graphql.ts';
import { FailureParts, PlanParts } from './act-parts.ts';
import { AutoscalingOf } from './autoscaling.ts';
import { mutation } from './mutation.ts';
import { PlacementOf } from './placement.ts';
import { ProbesOf } from './probes.ts';

export const ComponentActionsQuery = graphql(
  `
  query ComponentActions($by: ComponentRef!) {
    component(by: $by) {
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
    }
  }
`,
  [ProbesOf, AutoscalingOf, PlacementOf],
);

export const VariablesQuery = graphql(`
  query Variables($by: ComponentRef!, $after: String) {
    component(by: $by) {
      id
      variables(first: 100, after: $after) {
        totalCount
        pageInfo { endCursor hasNextPage }
        nodes { id name value scope isSecret isChangeable isDerived revision }
      }
    }
  }
`);

export const DeployComponent = graphql(mutation('deployComponent', 'plan { ...PlanParts } job { id uid }'), [
  PlanParts,
  FailureParts,
]);

export const StartComponent = graphql(mutation('startComponent', 'plan { ...PlanParts } job { id uid }'), [
  PlanParts,
  FailureParts,
]);

export const StopComponent = graphql(mutation('stopComponent', 'plan { ...PlanParts } job { id uid }'), [
  PlanParts,
  FailureParts,
]);

export const RestartComponent = graphql(
  mutation('restartComponent', 'plan { ...PlanParts } job { id uid }'),
  [PlanParts, FailureParts],
);

export const ScaleComponent = graphql(
  mutation('scaleComponent', 'component { id replicas cpuMillicores memoryMiB revision } job { id uid }'),
  [FailureParts],
);

export const DeleteComponent = graphql(mutation('deleteComponent', 'plan { ...PlanParts } job { id uid }'), [
  PlanParts,
  FailureParts,
]);

export const SetVariables = graphql(mutation('setVariables'), [FailureParts]);

export const AddPort = graphql(mutation('addPort'), [FailureParts]);
