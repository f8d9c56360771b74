import { graphql } from '../api/graphql.ts';

/** The header of every page of a component. */
export const ComponentHead = graphql(`
  fragment ComponentHead on Component @_unmask {
    id uid name state desiredState hasUndeployedChanges isUpgradable updatedAt
    application { id uid name team { id name alias } region { id name alias driver servesAddresses } }
  }
`);
