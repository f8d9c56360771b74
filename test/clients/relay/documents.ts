import { graphql } from 'relay-runtime';

// Named after this file, as the compiler demands.
graphql`
  query documentsPageQuery($team: TeamRef!, $after: String) {
    team(by: $team) {
      applications(first: 2, after: $after) @connection(key: "Team_applications") {
        edges { node { name } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`;

graphql`
  mutation documentsOpenMutation($port: PortRef!) {
    openOuterService(input: { port: $port }) {
      ... on OpenOuterServicePayload { port { number isOuter } }
      ... on Error { code message }
    }
  }
`;
