import { graphql } from '../api/graphql.ts';
import { FailureParts, PlanParts } from './act-parts.ts';

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

export const CreateDeployHook = graphql(
  `
  mutation CreateDeployHook($input: CreateDeployHookInput!) {
    result: createDeployHook(input: $input) {
      __typename
      ... on CreateDeployHookPayload { url }
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const UpdateDeployHook = graphql(
  `
  mutation UpdateDeployHook($input: UpdateDeployHookInput!) {
    result: updateDeployHook(input: $input) {
      __typename
      ... on UpdateDeployHookPayload { deployHook { id name tagPattern revision } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const RotateDeployHook = graphql(
  `
  mutation RotateDeployHook($input: RotateDeployHookInput!) {
    result: rotateDeployHook(input: $input) {
      __typename
      ... on RotateDeployHookPayload { url }
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const DeleteDeployHook = graphql(
  `
  mutation DeleteDeployHook($input: DeleteDeployHookInput!) {
    result: deleteDeployHook(input: $input) {
      __typename
      ... on DeleteDeployHookPayload { plan { ...PlanParts } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
);
