import type { GraphiqlOptions } from './graphiql.ts';

const tree = `# The whole tree in one request: teams, their applications, components and ports.
query Tree {
  teams {
    nodes {
      name
      alias
      applications(first: 10) {
        totalCount
        nodes {
          name
          region { name status }
          components(first: 10) {
            nodes {
              name
              state
              image
              accessUrls
              ports { nodes { number protocol alias isInner isOuter } }
            }
          }
        }
      }
    }
  }
}
`;

const viewer = `# Who the access token of this page speaks for.
query Viewer {
  viewer {
    isAdministrator
    user { email nickName }
    enterprise { name alias }
    accessTokens { nodes { name lastUsedAt expiresAt isReadOnly } }
  }
}
`;

const openPort = `# Opens a port to the outside. Expected failures are data: each has its type.
mutation OpenPort($port: PortRef!) {
  openOuterService(input: { port: $port }) {
    __typename
    ... on OpenOuterServicePayload { port { number isOuter component { name accessUrls } } }
    ... on Error { code message }
    ... on InvalidInputError { issues { path message } }
  }
}
`;

const events = `# What happened in the own teams, newest first.
query Events {
  teams {
    nodes {
      name
      events(first: 10) {
        nodes { at action objectType objectUid user { email } changes { field oldValue newValue } }
      }
    }
  }
}
`;

/** The initial tabs of the GraphiQL page. */
export const graphiqlOptions = (endpoint: string): GraphiqlOptions => ({
  endpoint,
  title: 'Trellis',
  defaultQuery: tree,
  examples: [
    { title: 'Tree', query: tree },
    { title: 'Viewer', query: viewer },
    {
      title: 'OpenPort',
      query: openPort,
      variables: JSON.stringify({ port: { at: { component: { componentId: '…' }, number: 8080 } } }, null, 2),
    },
    { title: 'Events', query: events },
  ],
});
