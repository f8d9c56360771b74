import { graphql } from '../api/graphql.ts';
import { lookup } from './query.ts';

/** The newest releases of a component, with what rolls back to one of them and promotes it. */
export const ReleasesOf = graphql(`
  fragment ReleasesOf on Component @_unmask {
    id
    uid
    name
    revision
    desiredState
    hasUndeployedChanges
    mayRollBack: viewerCan(action: ROLLBACK_COMPONENT)
    application { id name }
    releases(first: $first) {
      totalCount
      nodes {
        id
        number
        createdAt
        image
        digest
        resolvedAt
        restoredNumber
        promotedFrom { id number component { id uid application { id name } } }
        actor {
          __typename
          ... on User { id nickName email }
          ... on ServiceAccount { id name }
        }
        deployHook { id name }
        job { id uid status }
      }
    }
  }
`);

export const ReleaseDiffQuery = lookup('release', 'ReleaseDiff', {
  variables: '$to: Int',
  select: `
    id
    diff(to: $to) { action object component name fields { field before after isSecret } isDestructive }
  `,
});

/** The applications that a release can be promoted to. */
export const PromotionTargetsQuery = graphql(`
  query PromotionTargets($name: String!) {
    components(search: $name, first: 100) {
      nodes {
        id
        name
        mayDeploy: viewerCan(action: DEPLOY_COMPONENT)
        application { id uid name team { id alias } region { id alias } }
      }
    }
  }
`);
