import { graphql } from '../api/graphql.ts';
import { FailureParts, PlanParts } from './act-parts.ts';

export const PlacementOf = graphql(`
  fragment PlacementOf on Component @_unmask {
    placement {
      nodeLabels { key value }
      tolerations { key operator value effect }
      spread
      minAvailable
    }
  }
`);

export const SetPlacement = graphql(
  `
  mutation SetPlacement($input: SetPlacementInput!) {
    result: setPlacement(input: $input) {
      __typename
      ... on SetPlacementPayload {
        plan { ...PlanParts }
        component { id revision hasUndeployedChanges ...PlacementOf }
      }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts, PlacementOf],
);
