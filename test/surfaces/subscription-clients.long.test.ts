import { expect, it } from 'vitest';
import { clientModule } from '../support/client-examples.ts';
import { unique } from '../support/fixtures.ts';
import { startTrellis } from '../support/trellis.ts';

const query = `subscription Events($team: TeamRef!) { events(team: $team) { action changes { field after: newValue } } }`;

it('Apollo Client, with a link over graphql-sse', async () => {
  const { subscribeWithApollo } = await clientModule('tools/apollo-subscription.ts');
  const trellis = await startTrellis();
  const { teamId } = await trellis.createTeam();
  const variables = { team: { teamId } };
  const headers = () => ({ Authorization: `Bearer ${trellis.adminToken}` });
  const actions: string[] = [];
  const unsubscribe = subscribeWithApollo(
    { url: `${trellis.url}/graphql`, headers, query, variables },
    (action: string) => actions.push(action),
  );
  // The client does not report when it has subscribed.
  for (let attempt = 0; actions.length < 2 && attempt < 100; attempt++) {
    await trellis.succeed('updateTeam', { ...variables, alias: unique('alias') }, 'team { alias }');
  }
  await expect.poll(() => actions.length).toBeGreaterThan(1);
  expect(new Set(actions)).toEqual(new Set(['team.update']));
  unsubscribe();
  await trellis.close();
});
