import type { TypedDocumentString } from './generated/codegen/graphql.ts';
import { graphql } from './generated/codegen/index.ts';

async function execute<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
) {
  const response = await fetch(`${process.env.TRELLIS_URL}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${process.env.TRELLIS_TOKEN}` },
    body: JSON.stringify({ query: document, variables }),
  });
  const { data, errors } = await response.json();
  if (errors)
    throw new Error(errors.map((each: any) => `${each.extensions.code}: ${each.message}`).join('\n'));
  return data as Data;
}

const page = graphql(`
  query Applications($team: TeamRef!, $after: String) {
    team(by: $team) {
      applications(first: 2, after: $after) { nodes { name } pageInfo { hasNextPage endCursor } }
    }
  }
`);

const pageAfter = async (after?: string | null) =>
  (await execute(page, { team: { name: 'shop' }, after })).team!.applications;

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
  return (await execute(open, { port: { at } })).openOuterService;
}
const result = await openPort(8080);
// `__typename` tells the payload from the errors.
export const opened = result.__typename === 'OpenOuterServicePayload' ? result.port : undefined;
const failure = await openPort(1);
export const refused = failure.__typename === 'OpenOuterServicePayload' ? undefined : failure.code;
