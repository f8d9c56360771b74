import { graphql } from '../api/graphql.ts';

/** All stored releases of a component. */
export const ComponentReleasesQuery = graphql(`
  query ComponentReleases($component: ComponentRef!) {
    component(by: $component) {
      id
      uid
      name
      revision
      desiredState
      mayRollBack: viewerCan(action: ROLLBACK_COMPONENT)
      application { id uid name team { id name alias } }
      releases(first: 100) {
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
  }
`);

export const ReleaseDiffQuery = graphql(`
  query ReleaseDiff($release: ReleaseRef!, $to: Int) {
    release(by: $release) {
      id
      diff(to: $to) { action object component name fields { field before after isSecret } isDestructive }
    }
  }
`);

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
