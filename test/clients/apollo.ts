import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';
import { possibleTypes } from './generated/possible-types.ts';

const client = new ApolloClient({
  link: new HttpLink({
    uri: `${process.env.TRELLIS_URL}/graphql`,
    headers: { Authorization: `Bearer ${process.env.TRELLIS_TOKEN}` },
  }),
  cache: new InMemoryCache({
    // Without it, `... on Error` matches nothing.
    possibleTypes,
    // The arguments that make it another list.
    typePolicies: {
      Team: { fields: { applications: relayStylePagination(['region', 'search', 'state', 'orderBy']) } },
    },
  }),
});

// The pages are put together from `edges` and `pageInfo`: `nodes` would only have the last page.
const page = gql`
  query Applications($team: TeamRef!, $after: String) {
    team(by: $team) {
      id
      applications(first: 2, after: $after) { edges { node { id name } } pageInfo { hasNextPage endCursor } }
    }
  }
`;

const list = client.watchQuery<any>({ query: page, variables: { team: { name: 'shop' } } });
let { data } = await list.refetch();
while (data.team.applications.pageInfo.hasNextPage) {
  await list.fetchMore({ variables: { after: data.team.applications.pageInfo.endCursor } });
  data = list.getCurrentResult().data;
}
export const applications: string[] = data.team.applications.edges.map(({ node }: any) => node.name);

const open = gql`
  mutation Open($port: PortRef!) {
    openOuterService(input: { port: $port }) {
      ... on OpenOuterServicePayload { port { id number isOuter } }
      ... on Error { code message }
    }
  }
`;

const component = { componentId: process.env.COMPONENT_ID };
const result = await client.mutate<any>({
  mutation: open,
  variables: { port: { at: { component, number: 8080 } } },
});
export const opened = result.data.openOuterService.port;

export const refused = await client
  .query({ query: page, variables: { team: { name: 'nowhere' } } })
  .catch((error) => CombinedGraphQLErrors.is(error) && error.errors[0]!.extensions!.code);
client.stop();
