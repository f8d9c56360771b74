import { graphql } from '../api/graphql.ts';

export const DeployHooksOf = graphql(`
  fragment DeployHooksOf on Component @_unmask {
    opensWebhooks
    mayUpdate: viewerCan(action: UPDATE_COMPONENT)
    mayManageHooks: viewerCan(action: CREATE_DEPLOY_HOOK)
    deployHooks(first: 10) {
      totalCount
      nodes { id uid name tagPattern createdAt lastUsedAt revision }
    }
  }
`);
