import { Client, fetchExchange, gql } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { possibleTypes } from './generated/possible-types.ts';

const client = new Client({
  url: `${process.env.TRELLIS_URL}/graphql`,
  preferGetMethod: false,
  fetchOptions: { headers: { Authorization: `Bearer ${process.env.TRELLIS_TOKEN}` } },
  exchanges: [
    cacheExchange({
      // Without it, the cache guesses which types `... on Error` matches.
      possibleTypes,
      // Every object with an identity has an `id`. List here the others that you read: they are part of their parent.
      keys: { GatewayRules: () => null, TeamResources: () => null },
      resolvers: { Team: { applications: relayPagination() } },
    }),
    fetchExchange,
  ],
});

const page = gql`
  query Applications($team: TeamRef!, $after: String) {
    team(by: $team) {
      id
      applications(first: 2, after: $after) { edges { node { id name } } pageInfo { hasNextPage endCursor } }
    }
  }
`;

// Each page adds to the list in the cache, so that the last result has all of them.
export let applications: string[] = [];
for (let after: string | null = null, more = true; more; ) {
  const { data, error }: any = await client.query(page, { team: { name: 'shop' }, after });
  if (error) throw error;
  applications = data.team.applications.edges.map(({ node }: any) => node.name);
  ({ hasNextPage: more, endCursor: after } = data.team.applications.pageInfo);
}

const open = gql`
  mutation Open($port: PortRef!) {
    openOuterService(input: { port: $port }) {
      ... on OpenOuterServicePayload { port { id number isOuter } }
      ... on Error { code message }
    }
  }
`;

// The port in the result changes every query in the cache that has the port.
const component = { componentId: process.env.COMPONENT_ID };
const result = await client.mutation(open, { port: { at: { component, number: 8080 } } });
export const opened = result.data.openOuterService.port;

const { error } = await client.query(page, { team: { name: 'nowhere' } });
export const refused = error!.graphQLErrors[0]!.extensions.code;
