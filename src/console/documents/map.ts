import { ApplicationHead } from './application.ts';
import { lookup, page } from './query.ts';

/** An application with all that its map shows, in one request. */
export const MapQuery = lookup('application', 'ApplicationMap', {
  variables: '$after: String',
  select: `
    ...ApplicationHead
    components(first: 100, after: $after) {
      ${page(`
        id
        uid
        name
        state
        replicas
        version
        image
        hasUndeployedChanges
        isUpgradable
        mayConnect: viewerCan(action: ADD_DEPENDENCY)
        dependencies(first: 50) { nodes { id uid name } }
        ports(first: 30) { nodes { id number protocol isInner isOuter } }
      `)}
    }
    gatewayRules {
      http(first: 100) { pageInfo { hasNextPage } nodes { id accessUrl isPublished port { id } component { id } } }
      tcp(first: 100) { pageInfo { hasNextPage } nodes { id accessUrl mappedAddress isPublished port { id } component { id } } }
    }
  `,
  fragments: [ApplicationHead],
});
