import { type ClientError, GraphQLClient, gql } from 'graphql-request';

const client = new GraphQLClient(`${process.env.TRELLIS_URL}/graphql`, {
  headers: { Authorization: `Bearer ${process.env.TRELLIS_TOKEN}` },
});

interface Page {
  team: {
    applications: { nodes: { name: string }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
  };
}
const page = gql`
  query Applications($team: TeamRef!, $after: String) {
    team(by: $team) {
      applications(first: 2, after: $after) { nodes { name } pageInfo { hasNextPage endCursor } }
    }
  }
`;

export const applications: string[] = [];
for (let after: string | null = null, more = true; more; ) {
  const { team }: Page = await client.request<Page>(page, { team: { name: 'shop' }, after });
  applications.push(...team.applications.nodes.map(({ name }) => name));
  ({ hasNextPage: more, endCursor: after } = team.applications.pageInfo);
}

interface Opened {
  openOuterService: { port?: { number: number; isOuter: boolean }; code?: string; message?: string };
}
const open = gql`
  mutation Open($port: PortRef!) {
    openOuterService(input: { port: $port }) {
      ... on OpenOuterServicePayload { port { number isOuter } }
      ... on Error { code message }
    }
  }
`;

const component = { componentId: process.env.COMPONENT_ID };
const result = await client.request<Opened>(open, { port: { at: { component, number: 8080 } } });
export const opened = result.openOuterService.port;

// Expected failures of a mutation are data. Errors of the request are thrown.
export const refused = await client
  .request(page, { team: { name: 'nowhere' } })
  .catch((error: ClientError) => error.response.errors![0]!.extensions.code);
