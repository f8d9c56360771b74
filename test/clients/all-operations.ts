import createClient from 'openapi-fetch';
import type { paths } from './generated/operations.ts';

const client = createClient<paths>({
  baseUrl: `${process.env.TRELLIS_URL}/api/v1`,
  headers: { Authorization: `Bearer ${process.env.TRELLIS_TOKEN}` },
});

const pageAfter = async (after?: string | null) => {
  // Objects in the query are JSON.
  const query = { team: JSON.stringify({ name: 'shop' }), first: 2, ...(after && { after }) };
  const { data, error } = await client.GET('/find-applications', { params: { query } });
  if (error) throw new Error(error.detail);
  return data;
};

let list = await pageAfter();
export const applications = list.nodes.map(({ name }) => name);
while (list.pageInfo.hasNextPage) {
  list = await pageAfter(list.pageInfo.endCursor);
  applications.push(...list.nodes.map(({ name }) => name));
}

const openPort = (number: number) =>
  client.POST('/open-outer-service', {
    // A retry with the same key changes nothing, and has the same response.
    params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
    body: { port: { at: { component: { componentId: process.env.COMPONENT_ID! }, number } } },
  });

const { data } = await openPort(8080);
export const opened = { number: data?.port.number, isOuter: data?.port.isOuter };
// Errors are problem documents, with the codes of GraphQL.
export const refused = (await openPort(1)).error?.code;
