import { graphql } from '../api/graphql.ts';
import { FailureParts, PlanParts } from './act-parts.ts';

export const AutoscalingOf = graphql(`
  fragment AutoscalingOf on Component @_unmask {
    autoscaling { minReplicas maxReplicas cpuPercent memoryPercent }
  }
`);

export const SetAutoscaling = graphql(
  `
  mutation SetAutoscaling($input: SetAutoscalingInput!) {
    result: setAutoscaling(input: $input) {
      __typename
      ... on SetAutoscalingPayload {
        plan { ...PlanParts }
        component { id replicas revision ...AutoscalingOf }
        job { id uid }
      }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts, AutoscalingOf],
);

export const RemoveAutoscaling = graphql(
  `
  mutation RemoveAutoscaling($input: RemoveAutoscalingInput!) {
    result: removeAutoscaling(input: $input) {
      __typename
      ... on RemoveAutoscalingPayload {
        plan { ...PlanParts }
        component { id replicas revision ...AutoscalingOf }
        job { id uid }
      }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts, AutoscalingOf],
);
