import { graphql } from '../api/graphql.ts';

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
        }
      }
    }
  }
`);
