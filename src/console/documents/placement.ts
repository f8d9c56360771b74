import { graphql } from '../api/graphql.ts';
import { FailureParts, PlanParts } from './act-parts.ts';
import { mutation } from './mutation.ts';

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
  mutation(
    'setPlacement',
    `
    plan { ...PlanParts }
    component { id revision hasUndeployedChanges ...PlacementOf }
  `,
  ),
  [PlanParts, PlacementOf, FailureParts],
);
