import { graphql } from '../api/graphql.ts';
import { planned } from './mutation.ts';

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

export const SetPlacement = planned(
  'setPlacement',
  'component { id revision hasUndeployedChanges ...PlacementOf }',
  [PlacementOf],
);
