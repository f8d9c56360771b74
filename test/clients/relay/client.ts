import type { Variables } from 'relay-runtime';
import relay from 'relay-runtime';
import openMutation, { type documentsOpenMutation } from './generated/documentsOpenMutation.graphql.ts';
import pageQuery, { type documentsPageQuery } from './generated/documentsPageQuery.graphql.ts';

async function send(text: string, variables: Variables) {
  const response = await fetch(`${process.env.TRELLIS_URL}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${process.env.TRELLIS_TOKEN}` },
    body: JSON.stringify({ query: text, variables }),
  });
  return response.json();
}

const { commitMutation, Environment, fetchQuery, Network, RecordSource, Store } = relay;
const environment = new Environment({
  store: new Store(new RecordSource()),
  network: Network.create(({ text }, variables) => send(text!, variables)),
});

const readPage = async (name: string, after: string | null) => {
  const data = await fetchQuery<documentsPageQuery>(environment, pageQuery, {
    team: { name },
    after,
  }).toPromise();
  return data!.team!.applications;
};

// Each page adds to the connection in the store, so that the last result has all of them.
let page = await readPage('shop', null);
while (page.pageInfo.hasNextPage) page = await readPage('shop', page.pageInfo.endCursor!);
export const applications = page.edges.map(({ node }) => node.name);

const component = { componentId: process.env.COMPONENT_ID! };
const open = (number: number) =>
  new Promise<documentsOpenMutation['response']['openOuterService']>((resolve, reject) => {
    commitMutation<documentsOpenMutation>(environment, {
      mutation: openMutation,
      variables: { port: { at: { component, number } } },
      onCompleted: ({ openOuterService }) => resolve(openOuterService),
      onError: reject,
    });
  });
export const opened = (await open(8080)).port;
export const refused = (await open(1)).code;
