import { graphql } from '../api/graphql.ts';

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
