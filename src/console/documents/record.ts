import { graphql } from '../api/graphql.ts';
import { ApplicationHead } from './application.ts';

/** The head of an application alone. */
export const ApplicationHeadQuery = graphql(
  `
  query ApplicationHead($by: ApplicationRef!) { application(by: $by) { ...ApplicationHead } }
`,
  [ApplicationHead],
);

/** The record of a team, newest first, and the people by whom it can be filtered. */
export const RecordQuery = graphql(`
  query Record($by: TeamRef!, $filter: EventFilter, $after: String) {
    team(by: $by) {
      id
      uid
      name
      alias
      members(first: 100) { nodes { id user { id nickName } } }
      events(first: 50, after: $after, filter: $filter) {
        pageInfo { endCursor hasNextPage }
        nodes {
          id
          at
          action
          objectType
          objectUid
          requestId
          user { id nickName }
          changes { field before after }
          object {
            __typename
            id
            ... on Application { appId name }
            ... on Component { uid name }
            ... on Port { number component { id uid name } }
            ... on HttpRule { domain path }
            ... on TcpRule { endpoint }
            ... on Volume { name }
            ... on Certificate { name }
            ... on RegistryCredential { host }
            ... on Job { jobUid: uid }
            ... on Region { name alias }
            ... on Team { name alias }
          }
        }
      }
    }
  }
`);
