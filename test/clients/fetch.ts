async function trellis(query: string, variables: object) {
  const response = await fetch(`${process.env.TRELLIS_URL}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${process.env.TRELLIS_TOKEN}` },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  if (errors)
    throw new Error(errors.map((each: any) => `${each.extensions.code}: ${each.message}`).join('\n'));
  return data;
}

const page = `query Applications($team: TeamRef!, $after: String) {
  team(by: $team) {
    applications(first: 2, after: $after) { nodes { name } pageInfo { hasNextPage endCursor } }
  }
}`;

export const applications: string[] = [];
for (let after = null, more = true; more; ) {
  const { team } = await trellis(page, { team: { name: 'shop' }, after });
  applications.push(...team.applications.nodes.map(({ name }: any) => name));
  ({ hasNextPage: more, endCursor: after } = team.applications.pageInfo);
}

const open = `mutation Open($port: PortRef!) {
  openOuterService(input: { port: $port }) {
    ... on OpenOuterServicePayload { port { number isOuter } }
    ... on Error { code message }
    ... on InvalidInputError { issues { path message } }
  }
}`;

const component = { componentId: process.env.COMPONENT_ID };
export const opened = (await trellis(open, { port: { at: { component, number: 8080 } } })).openOuterService
  .port;
export const refused = (await trellis(open, { port: { at: { component, number: 1 } } })).openOuterService
  .code;
