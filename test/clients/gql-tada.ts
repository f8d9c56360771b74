import { Client, fetchExchange } from '@urql/core';
import { initGraphQLTada } from 'gql.tada';
import type { introspection } from './generated/graphql-env.d.ts';

const graphql = initGraphQLTada<{ introspection: introspection; scalars: { DateTime: string } }>();

const client = new Client({
  url: `${process.env.TRELLIS_URL}/graphql`,
  preferGetMethod: false,
  fetchOptions: { headers: { Authorization: `Bearer ${process.env.TRELLIS_TOKEN}` } },
  exchanges: [fetchExchange],
});

const page = graphql(`
  query Applications($team: TeamRef!, $after: String) {
    team(by: $team) {
      applications(first: 2, after: $after) { nodes { name } pageInfo { hasNextPage endCursor } }
    }
  }
`);

async function pageAfter(after?: string | null) {
  const { data, error } = await client.query(page, { team: { name: 'shop' }, after });
  if (error) throw error;
  return data!.team!.applications;
}

let list = await pageAfter();
export const applications = list.nodes.map(({ name }) => name);
while (list.pageInfo.hasNextPage) {
  list = await pageAfter(list.pageInfo.endCursor);
  applications.push(...list.nodes.map(({ name }) => name));
}

const open = graphql(`
  mutation Open($port: PortRef!) {
    openOuterService(input: { port: $port }) {
      __typename
      ... on OpenOuterServicePayload { port { number isOuter } }
      ... on Error { code message }
    }
  }
`);

async function openPort(number: number) {
  const at = { component: { componentId: process.env.COMPONENT_ID! }, number };
  const { data, error } = await client.mutation(open, { port: { at } });
  if (error) throw error;
  return data!.openOuterService;
}
const result = await openPort(8080);
// `__typename` tells the payload from the errors.
export const opened = result.__typename === 'OpenOuterServicePayload' ? result.port : undefined;
const failure = await openPort(1);
export const refused = failure.__typename === 'OpenOuterServicePayload' ? undefined : failure.code;
