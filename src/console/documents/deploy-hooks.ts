import { graphql } from '../api/graphql.ts';
import { FailureParts, PlanParts } from './act-parts.ts';
import { mutation } from './mutation.ts';

/** The deploy hooks of a component. */
export const DeployHooksOf = graphql(`
  fragment DeployHooksOf on Component @_unmask {
    opensWebhooks
    mayManageHooks: viewerCan(action: CREATE_DEPLOY_HOOK)
    deployHooks(first: 10) {
      totalCount
      nodes { id uid name tagPattern createdAt lastUsedAt revision }
    }
  }
`);

export const CreateDeployHook = graphql(mutation('createDeployHook', 'url'), [FailureParts]);

export const UpdateDeployHook = graphql(
  mutation('updateDeployHook', 'deployHook { id name tagPattern revision }'),
  [FailureParts],
);

export const RotateDeployHook = graphql(mutation('rotateDeployHook', 'url'), [FailureParts]);

export const DeleteDeployHook = graphql(mutation('deleteDeployHook', 'plan { ...PlanParts }'), [
  PlanParts,
  FailureParts,
]);
