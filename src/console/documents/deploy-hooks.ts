import { graphql } from '../api/graphql.ts';
import { mutation, planned } from './mutation.ts';

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

export const CreateDeployHook = mutation('createDeployHook', 'url');

export const UpdateDeployHook = mutation('updateDeployHook', 'deployHook { id name tagPattern revision }');

export const RotateDeployHook = mutation('rotateDeployHook', 'url');

export const DeleteDeployHook = planned('deleteDeployHook');
