import { Client, fetchExchange } from '@urql/core';
import { EventSource } from 'eventsource';
import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTeam, succeed, unique } from '../support/fixtures.ts';
import { startTrellis, type Trellis } from '../support/trellis.ts';

const query = `subscription Events($team: TeamRef!) { events(team: $team) { action changes { field after } } }`;

let trellis: Trellis;
let team: { teamId: string; name: string };
let variables: { team: { teamId: string } };
beforeAll(async () => {
  trellis = await startTrellis();
  team = await createTeam(trellis);
  variables = { team: { teamId: team.teamId } };
});
afterAll(() => trellis?.close());

const headers = () => ({ Authorization: `Bearer ${trellis.adminToken}` });
const url = () => `${trellis.url}/graphql`;

/** Changes the team until the client has heard of it: clients do not tell when they have subscribed. */
async function renameUntil(isTold: () => boolean): Promise<void> {
  for (let attempt = 0; !isTold() && attempt < 100; attempt++) {
    await succeed(trellis, 'updateTeam', { ...variables, alias: unique('alias') }, 'team { alias }');
  }
  await expect.poll(isTold).toBe(true);
}

it('urql', async () => {
  const client = new Client({
    url: url(),
    exchanges: [fetchExchange],
    preferGetMethod: false,
    fetchSubscriptions: true,
    fetchOptions: () => ({ headers: headers() }),
  });
  const actions: string[] = [];
  const { unsubscribe } = client.subscription(query, variables).subscribe(({ data, error }) => {
    actions.push(error ? error.message : data.events.action);
  });
  await renameUntil(() => actions.length > 1);
  expect(new Set(actions)).toEqual(new Set(['team.update']));
  unsubscribe();
});

it('graphql-sse, which the link of Apollo uses', async () => {
  const client = createClient({ url: url(), headers, retryAttempts: 0 });
  const actions: unknown[] = [];
  const unsubscribe = client.subscribe<{ events: { action: string } }>(
    { query, variables },
    {
      next: ({ data }) => actions.push(data?.events.action),
      error: (error) => actions.push(error),
      complete: () => {},
    },
  );
  await renameUntil(() => actions.length > 1);
  expect(new Set(actions)).toEqual(new Set(['team.update']));
  unsubscribe();
});

it('EventSource, with a fetch that sends the token', async () => {
  const address = new URL(url());
  address.searchParams.set('query', query);
  address.searchParams.set('variables', JSON.stringify(variables));
  const source = new EventSource(address, {
    fetch: (input, init) =>
      fetch(input as string, {
        ...(init as RequestInit),
        headers: { ...(init?.headers as Record<string, string>), ...headers() },
      }),
  });
  const told: { id: string; action: string }[] = [];
  source.addEventListener('next', ({ data, lastEventId }) => {
    told.push({ id: lastEventId, action: JSON.parse(data).data.events.action });
  });
  await renameUntil(() => told.length > 1);
  expect(new Set(told.map(({ action }) => action))).toEqual(new Set(['team.update']));
  expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
  source.close();
});
