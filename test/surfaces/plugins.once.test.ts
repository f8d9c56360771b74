import type { AddressInfo } from 'node:net';
import type { FieldNode, ValidationContext } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type App, createApp } from '../../src/app.ts';
import type { Context } from '../../src/context.ts';
import type { Executor } from '../../src/graphql/server/pipeline.ts';
import type { GraphqlPlugin } from '../../src/graphql/server/server.ts';
import { useTrellis } from '../support/trellis.ts';

/** Servers over the same services: with plugins that run inside the pipeline, and with one that needs fetch. */
let counted: App;
let fetched: App;
let counts: Record<string, number>;
let seen: unknown[];

const count = (name: string) => {
  counts[name] = (counts[name] ?? 0) + 1;
};

const counting: GraphqlPlugin = {
  onParams: ({ params }) => {
    count('onParams');
    if (params.extensions?.persisted) params.query = '{ viewer { isAdministrator } }';
  },
  onParse: () => {
    count('onParse');
    return () => count('onParse done');
  },
  onValidate: () => {
    count('onValidate');
    return ({ valid }) => count(`onValidate done: ${valid}`);
  },
  onContextBuilding: ({ context }) => {
    count('onContextBuilding');
    const { request } = context as unknown as { request: Request };
    seen.push([request instanceof Request, request.method, request.headers.get('x-traced')]);
  },
  onExecute: () => {
    count('onExecute');
    return { onExecuteDone: ({ result }) => count(`onExecuteDone: ${'data' in result}`) };
  },
  onExecutionResult: ({ result }) => count(`onExecutionResult: ${result && 'data' in result}`),
};

const listening = async (plugins: GraphqlPlugin[], executor?: Executor) => {
  const app = createApp(trellis.services, {
    graphiql: false,
    bodyLimitBytes: 100_000,
    plugins,
    executor,
    http: { requestsPerSecond: 0 },
  });
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  return app;
};
const trellis = useTrellis();
beforeAll(async () => {
  counted = await listening([counting]);
  fetched = await listening([counting, { onResultProcess: () => count('onResultProcess') }]);
});
beforeEach(() => {
  [counts, seen] = [{}, []];
});
afterAll(async () => {
  counted?.close();
  fetched?.close();
});

const ask = async (app: App, body: object | undefined, path = '/graphql') => {
  const { port } = app.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      Authorization: `Bearer ${trellis.adminToken}`,
      'Content-Type': 'application/json',
      'X-Request-Id': 'the-request',
      'X-Traced': 'yes',
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { date: _, ...headers } = Object.fromEntries(response.headers);
  return { status: response.status, headers, text: await response.text() };
};

const query = 'query Me { viewer { isAdministrator } }';

const everyHook = (times: number) => ({
  onParams: times,
  onParse: times,
  'onParse done': times,
  onValidate: times,
  'onValidate done: true': times,
  onContextBuilding: times,
  onExecute: times,
  'onExecuteDone: true': times,
  'onExecutionResult: true': times,
});

describe('a plugin', () => {
  it('sees every one of 60 equal requests', async () => {
    for (let times = 0; times < 60; times++) expect((await ask(counted, { query })).status).toBe(200);
    expect(counts).toEqual(everyHook(60));
    expect(seen).toEqual(Array.from({ length: 60 }, () => [true, 'POST', 'yes']));
  });

  it('sees every GET', async () => {
    const path = `/graphql?query=${encodeURIComponent(query)}`;
    for (let times = 0; times < 3; times++) expect((await ask(counted, undefined, path)).status).toBe(200);
    expect(counts).toEqual(everyHook(3));
  });

  it('sees what is invalid', async () => {
    const { status } = await ask(counted, { query: '{ nothing }' });
    expect(status).toBe(200);
    expect(counts).toMatchObject({ onParse: 1, 'onValidate done: false': 1, 'onExecutionResult: false': 1 });
    expect(counts.onExecute).toBeUndefined();
  });

  it('may give a request another document', async () => {
    const { text } = await ask(counted, { query: '{ __typename }', extensions: { persisted: true } });
    expect(JSON.parse(text)).toEqual({ data: { viewer: { isAdministrator: true } } });
  });

  it('may add a validation rule, also for a document that is cached', async () => {
    const refusing = await listening([
      {
        onValidate: ({ addValidationRule }) => {
          if (counts.refuse) {
            addValidationRule((context: ValidationContext) => ({
              Field: (node: FieldNode) =>
                context.reportError(Object.assign(new Error('No.'), { nodes: [node] }) as never),
            }));
          }
        },
      },
    ]);
    const answers = [];
    for (const refuse of [0, 0, 1, 0]) {
      counts.refuse = refuse;
      answers.push('errors' in JSON.parse((await ask(refusing, { query })).text));
    }
    refusing.close();
    expect(answers).toEqual([false, false, true, false]);
  });

  it('that needs the fetch layer gets it, and the answers are the same', async () => {
    const requests = [
      { query },
      { query },
      { query: '{ nothing }' },
      { query: '{' },
      { query: '{ team(by: { name: "nobody" }) { name } viewer { isAdministrator } }' },
      { query: 'query($n: Int!) { teams(first: $n) { totalCount } }', variables: { n: 'x' } },
      { query: `{ ${'a: __typename '.repeat(5_000)} }` },
      { query: '{ teams(first: 101) { totalCount } }' },
      { query: 'query A { __typename } query B { __typename }' },
      { query: 'subscription { __typename }' },
      { query: 1 },
      { unknown: true },
      [],
    ];
    for (const request of requests) {
      const direct = await ask(counted, request);
      const before = counts.onResultProcess ?? 0;
      expect(await ask(fetched, request), JSON.stringify(request).slice(0, 100)).toEqual(direct);
      // A subscription, also one that is not valid, is answered without the fetch layer.
      const isSubscription = JSON.stringify(request).includes('subscription');
      expect(counts.onResultProcess ?? 0).toBe(before + (isSubscription ? 0 : 1));
    }
  });
});

it('graphql-js executes every operation when that is asked for', async () => {
  const ran: unknown[] = [];
  const app = await listening(
    [{ onExecute: ({ args }) => void ran.push(args.operationName ?? null) }],
    'graphql-js',
  );
  const list = '{ teams(first: 2) { totalCount nodes { name applications { nodes { name } } } } }';
  const lost = '{ team(by: { name: "nobody" }) { name } viewer { isAdministrator } }';
  for (const text of [list, list, lost, query]) {
    expect(await ask(app, { query: text })).toEqual(await ask(counted, { query: text }));
  }
  app.close();
  expect(ran).toHaveLength(4);
});

it('the request log names the operation and tells whether its document was cached', async () => {
  const log = async (body: object) => {
    trellis.logged.length = 0;
    await trellis.graphql((body as { query: string }).query);
    const line = () => trellis.logged.find(({ msg }) => msg === 'request');
    await expect.poll(line).toBeDefined();
    return [line()?.operationName, line()?.isDocumentCached];
  };
  expect(await log({ query: 'query Named { __typename }' })).toEqual(['Named', false]);
  expect(await log({ query: 'query Named { __typename }' })).toEqual(['Named', true]);
  expect(await log({ query: '{ __typename }' })).toEqual([undefined, false]);
  expect(await log({ query: '{ nothing }' })).toEqual([undefined, false]);
  expect(await log({ query: '{ nothing }' })).toEqual([undefined, false]);
  expect(await log({ query: '{' })).toEqual([undefined, false]);
});

it('gives resolvers the whole context of the request, whichever way it goes through Yoga', async () => {
  const contexts: Context[] = [];
  const looking: GraphqlPlugin = {
    onExecute: ({ args }) => void contexts.push(args.contextValue as unknown as Context),
  };
  const direct = await listening([looking]);
  const throughFetch = await listening([looking, { onResultProcess: () => {} }]);
  const query = 'mutation { createAccessToken(input: { name: "from a plugin test" }) { __typename } }';
  for (const app of [direct, throughFetch]) {
    expect(JSON.parse((await ask(app, { query })).text)).toEqual({
      data: { createAccessToken: { __typename: 'CreateAccessTokenPayload' } },
    });
    const path = `/graphql?query=${encodeURIComponent('{ viewer { isAdministrator } }')}`;
    expect((await ask(app, undefined, path)).status).toBe(200);
    app.close();
  }
  expect(contexts).toHaveLength(4);
  for (const context of contexts) {
    expect(context.signal).toBeInstanceOf(AbortSignal);
    expect((await context.actorNow!())?.isAdministrator).toBe(true);
    const actor = await trellis.services.db.transaction((tx) => context.actorIn!(tx));
    expect(actor?.isAdministrator).toBe(true);
  }
});
