import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Client, fetchExchange } from '@urql/core';
import { EventSource } from 'eventsource';
import { createClient } from 'graphql-sse';
import { beforeAll, expect, it } from 'vitest';
import { unique, withBuilder } from '../support/fixtures.ts';
import { createMigratedDatabase, startTrellis, type Trellis, useTrellis } from '../support/trellis.ts';

const query = `subscription Events($team: TeamRef!) { events(team: $team) { action changes { field after: newValue } } }`;

const trellis = useTrellis();
let team: { teamId: string; name: string };
let variables: { team: { teamId: string } };
beforeAll(async () => {
  team = await trellis.createTeam();
  variables = { team: { teamId: team.teamId } };
});

const headers = () => ({ Authorization: `Bearer ${trellis.adminToken}` });
const url = () => `${trellis.url}/graphql`;

/** Changes the team until the client has heard of it: clients do not tell when they have subscribed. */
async function renameUntil(isTold: () => boolean): Promise<void> {
  for (let attempt = 0; !isTold() && attempt < 100; attempt++) {
    await trellis.succeed('updateTeam', { ...variables, alias: unique('alias') }, 'team { alias }');
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

it('graphql-sse', async () => {
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

function eventSource(url: string, headers: Record<string, string>, variables: object): EventSource {
  const address = new URL(url);
  address.searchParams.set('query', query);
  address.searchParams.set('variables', JSON.stringify(variables));
  return new EventSource(address, {
    fetch: (input, init) =>
      fetch(input as string, {
        ...(init as RequestInit),
        headers: { ...(init?.headers as Record<string, string>), ...headers },
      }),
  });
}

it('EventSource, with a fetch that sends the token', async () => {
  const source = eventSource(url(), headers(), variables);
  const told: { id: string; action: string }[] = [];
  source.addEventListener('next', ({ data, lastEventId }) => {
    told.push({ id: lastEventId, action: JSON.parse(data).data.events.action });
  });
  await renameUntil(() => told.length > 1);
  expect(new Set(told.map(({ action }) => action))).toEqual(new Set(['team.update']));
  expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
  source.close();
});

/** A port in front of gateways. `cut` closes its connections, and `seen` is what went through to the clients. */
async function startRelay() {
  const sockets = new Set<Socket>();
  const relay = {
    url: '',
    target: 0,
    seen: '',
    cut: () => sockets.forEach((socket) => void socket.destroy()),
  };
  const server = createServer((client) => {
    const gateway = connect(relay.target, '127.0.0.1');
    for (const [from, to] of [[client, gateway] as const, [gateway, client] as const]) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
    gateway.on('data', (data) => {
      relay.seen += data;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  relay.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
  return {
    relay,
    close() {
      relay.cut();
      server.close();
    },
  };
}

it('EventSource goes on by itself, through another gateway and after a cut, and misses nothing', async () => {
  const database = await createMigratedDatabase();
  const first = await startTrellis({ database: { url: database.url } });
  const { adminToken } = first;
  const other = await startTrellis({ database: { url: database.url } });
  const data: Trellis['data'] = (query, variables) => other.data(query, variables, adminToken);
  const second = withBuilder({ ...other, data });
  const port = ({ url }: Trellis) => Number(new URL(url).port);
  const { teamId } = await first.createTeam();
  const { relay, close } = await startRelay();
  relay.target = port(first);

  const told: string[] = [];
  const codes: string[] = [];
  const source = eventSource(relay.url, { Authorization: `Bearer ${adminToken}` }, { team: { teamId } });
  source.addEventListener('next', ({ data }) => {
    const { data: item, errors } = JSON.parse(data);
    if (errors) codes.push(errors[0].extensions.code);
    else told.push(item.events.changes.find(({ field }: { field: string }) => field === 'alias').after);
  });
  const made: string[] = [];
  const rename = async () => {
    made.push(unique('alias'));
    await second.succeed('updateTeam', { team: { teamId }, alias: made.at(-1) }, 'team { alias }');
  };
  const hasAll = () => expect.poll(() => told, { timeout: 90_000 }).toEqual(made);

  // Interrupted before its first item, it goes on from the place where it began.
  await expect.poll(() => relay.seen).toMatch(/retry: .*\n\n/s);
  relay.target = port(second);
  await first.close();
  for (let count = 0; count < 3; count++) await rename();
  await hasAll();
  expect(codes).toEqual(['UNAVAILABLE']);

  await rename();
  await hasAll();
  relay.cut();
  for (let count = 0; count < 3; count++) await rename();
  await hasAll();
  // It is told of what happens now.
  await rename();
  await hasAll();
  expect(codes).toEqual(['UNAVAILABLE']);

  source.close();
  close();
  await second.close();
  await database.drop();
});
