import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeGlobalId } from '../../src/kernel/global-id.ts';
import type { All } from '../support/fixtures.ts';
import { operationNamed } from '../support/operations.ts';
import { callRest } from '../support/operations-rest.ts';
import { type Sent, send } from '../support/send.ts';
import { startTrellis, useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();
let all: All;
beforeAll(async () => {
  all = await trellis.createAll();
});

const headers = { 'Trellis-Explain': '1' };
const ask = (body: object, sent: Sent = {}) =>
  send(trellis, { body: JSON.stringify(body), headers, ...sent });

/** The use of a limit, and the limit. */
const limitIn = (explain: any, name: string) => {
  const { used, max } = explain.limits.find((each: any) => each.name === name);
  return [used, max];
};

const tree = `query Tree($name: String!) {
  team(by: { name: $name }) { name applications(first: 10) { totalCount nodes { name ...Parts } } }
}
fragment Parts on Application { components(first: 5) { nodes { name } } }`;

describe('with Trellis-Explain: 1, the answer', () => {
  it('tells what the request cost, from a document that is new and from one that is cached', async () => {
    const variables = { name: all.team.name };
    trellis.statements.length = 0;
    for (const isDocumentCached of [false, true]) {
      trellis.statements.length = 0;
      const { text, body } = await ask({ query: tree, variables });
      const statements = trellis.statements.length;
      const { explain } = body.extensions;
      expect(body.data.team.applications.nodes).toHaveLength(1);
      expect(explain).toMatchObject({
        documentId: null,
        isDocumentCached,
        // The data itself, the team, its connection, the application, its connection, and the component.
        objects: 6,
        fields: 1 + 2 + 2 + 2 + 1 + 1,
        statements,
        bytes: Buffer.byteLength(text),
      });
      expect(statements).toBeGreaterThan(2);
      expect(explain.rows).toBeGreaterThanOrEqual(3);
      expect(limitIn(explain, 'LIMIT_TOKENS')).toEqual([58, 5_000]);
      expect(limitIn(explain, 'LIMIT_BRACKETS')).toEqual([4, 200]);
      expect(limitIn(explain, 'LIMIT_DEPTH')).toEqual([6, 40]);
      expect(limitIn(explain, 'LIMIT_FIELDS')).toEqual([10, 5_000]);
      expect(limitIn(explain, 'LIMIT_OBJECTS')).toEqual([10 + 10 * 5, 5_000_000]);
      expect(limitIn(explain, 'LIMIT_KEYS')).toEqual([3, 10_000]);
      expect(limitIn(explain, 'LIMIT_VALUES')[0]).toBeGreaterThan(5);
      const { parse, validate, execute, statements: inStatements, receive, total } = explain.milliseconds;
      if (isDocumentCached) expect(parse).toBe(0);
      else expect(parse).toBeGreaterThan(0);
      for (const ms of [validate, execute, inStatements, receive]) expect(ms).toBeGreaterThan(0);
      expect(total).toBeGreaterThanOrEqual(receive + parse + validate + execute - 0.01);
    }
  });

  it('is the same by GET, and names a trusted document', async () => {
    const variables = JSON.stringify({ team: { id: all.team.id } });
    const path = `/graphql?${new URLSearchParams({ documentId: 'get-team', variables })}`;
    const { body } = await send(trellis, { path, headers });
    expect(body.extensions.explain).toMatchObject({ documentId: 'get-team', objects: expect.any(Number) });
    const posted = await ask({ documentId: 'get-team', variables: JSON.parse(variables) });
    const { milliseconds: _, limits: __, ...explain } = body.extensions.explain;
    expect(posted.body.extensions.explain).toMatchObject({
      ...explain,
      isDocumentCached: true,
      bytes: expect.any(Number),
    });
  });

  it('tells it of changes', async () => {
    const input = { team: { id: all.team.id }, alias: 'Explained' };
    const { body } = await ask({ documentId: 'update-team', variables: { input } });
    expect(body.errors).toBeUndefined();
    expect(body.extensions.explain.statements).toBeGreaterThan(3);
  });

  it.each([
    ['what is invalid', { query: '{ nothing }' }],
    ['what cannot be parsed', { query: '{' }],
    ['an unknown document', { documentId: 'nothing' }],
    ['a limit', { query: `{ ${'a: __typename '.repeat(5_000)} }` }],
  ])('tells it of %s', async (_, request) => {
    const { body } = await ask(request);
    expect(body.errors).toHaveLength(1);
    expect(body.extensions.explain).toMatchObject({ objects: 0, statements: 0, isDocumentCached: false });
  });

  it('tells it in a header below /api/v1, as the body has no place for it', async () => {
    const given = { team: { id: all.team.id } };
    const answer = await callRest(trellis, operationNamed('get_team'), given, { headers });
    const explain = JSON.parse(answer.headers['trellis-explain']!);
    expect(explain).toMatchObject({ documentId: 'get-team', bytes: Buffer.byteLength(answer.text) });
    expect(explain.statements).toBeGreaterThan(0);
  });
});

describe('to somebody who may not see an object, the answer', () => {
  it('is the same as for one that does not exist', async () => {
    const person = await trellis.createPerson();
    const { team, region, application, component, port } = all;
    const { events } = await trellis.data('{ events(first: 1) { nodes { id } } }');
    const node = 'query ($id: ID!) { node(id: $id) { id } }';
    const pairs: [string, unknown, unknown][] = [
      ...Object.entries({
        Team: team,
        Region: region,
        Application: application,
        Component: component,
        Port: port,
        Event: events.nodes[0],
      }).map(([type, { id }]): [string, unknown, unknown] => [
        node,
        { id },
        { id: encodeGlobalId(type, '999999999') },
      ]),
      [
        'query ($id: TeamRef!) { team(by: $id) { name } }',
        { id: { name: team.name } },
        { id: { name: 'none' } },
      ],
      [
        'query ($id: ApplicationRef!) { application(by: $id) { name } }',
        { id: { appId: application.appId } },
        { id: { appId: 999_999_999 } },
      ],
      [
        'query ($id: ComponentRef!) { component(by: $id) { name } }',
        { id: { componentId: component.componentId } },
        { id: { componentId: 'f'.repeat(32) } },
      ],
    ];
    for (const [query, hidden, absent] of pairs) {
      const explained = async (variables: unknown) => {
        const { body } = await ask({ query, variables }, { token: person.token });
        const { milliseconds, bytes: _, limits, isDocumentCached: __, ...explain } = body.extensions.explain;
        const uses = limits.filter(({ name }: { name: string }) => name !== 'REQUEST_TIMEOUT_MS');
        return { ...explain, statementMs: milliseconds.statements, uses, data: body.data };
      };
      expect(await explained(hidden)).toEqual(await explained(absent));
      expect(await explained(hidden)).toMatchObject({ statements: null, rows: null, statementMs: null });
    }
  });
});

it('without the header, or with another value, the answer has no extensions', async () => {
  for (const value of [undefined, '0', 'true']) {
    const { body } = await ask(
      { query: tree, variables: { name: all.team.name } },
      { headers: { 'Trellis-Explain': value } },
    );
    expect(Object.keys(body)).toEqual(['data']);
  }
  const answer = await callRest(trellis, operationNamed('get_team'), { team: { id: all.team.id } });
  expect(answer.headers['trellis-explain']).toBeUndefined();
});

describe('Query.limits', () => {
  it('tells the limits that the gateway has, in the units of their settings', async () => {
    const small = await startTrellis({
      bodyLimitBytes: 65_536,
      limits: { tokens: 100, textBytes: 64 * 1024, answersBytes: 2 ** 20 },
      http: { requestsPerSecond: 0 },
    });
    const { limits } = await small.data('{ limits { name value unit } }');
    await small.close();
    expect(limits).toEqual(
      expect.arrayContaining([
        { name: 'BODY_LIMIT_KIB', value: 64, unit: 'KIB' },
        { name: 'LIMIT_TOKENS', value: 100, unit: 'COUNT' },
        { name: 'LIMIT_TEXT_KIB', value: 64, unit: 'KIB' },
        { name: 'ANSWERS_MEMORY_MIB', value: 1, unit: 'MIB' },
        { name: 'REQUEST_TIMEOUT_MS', value: 30_000, unit: 'MILLISECONDS' },
        { name: 'RATE_LIMIT_PER_SECOND', value: null, unit: 'PER_SECOND' },
      ]),
    );
  });

  it('has every limit of the reference', async () => {
    const reference = readFileSync(new URL('../../docs/reference.md', import.meta.url), 'utf8');
    const [, section] = /^## Limits\n([\s\S]*?)^## /m.exec(reference)!;
    const documented = [...section!.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name!);
    const { limits } = await trellis.data('{ limits { name } }');
    const names: string[] = limits.map(({ name }: { name: string }) => name);
    expect(names.filter((name) => !name.startsWith('IDEMPOTENCY_')).sort()).toEqual(documented.sort());
  });
});
