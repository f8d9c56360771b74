import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/api.ts';
import { rest } from '../support/openapi.ts';
import {
  atOf,
  type Example,
  examplesOf,
  fieldsOf,
  kindsOf,
  routeOf,
  type Title,
  titles,
  withValue,
} from '../support/rest-examples.ts';
import { createScene } from '../support/rest-scene.ts';
import type { Answer } from '../support/send.ts';
import { useTrellis } from '../support/trellis.ts';
import { expectUnchanged } from '../support/unchanged.ts';
import { badBodies, badEscapes, badPaths, badQueries, type Field } from './rest-bad-values.ts';

const trellis = useTrellis();
let examples: Record<Title, Example>;
/** Of a token that may change nothing: only the last door stops it. */
let reader: string;

beforeAll(async () => {
  const scene = await createScene(trellis);
  reader = scene.reader;
  examples = examplesOf(scene);
});
expectUnchanged(() => trellis);

const timeout = 120_000;

/** Sends an example with something else in it. That every refusal is a documented problem, `rest` sees to. */
const tryWith = (
  example: Example,
  changed: Partial<Example>,
  options: { token?: string; isEncoded?: true },
) => {
  const sent = { ...example, ...changed };
  return rest(trellis, atOf(sent, options.isEncoded), { body: sent.body, token: options.token });
};

const shown = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 60);

/** Fails unless the answer is INVALID_INPUT because of this field: every issue is at it, or inside of it. */
function expectRefused(answer: Answer, field: string, value: unknown): void {
  const what = `${field} = ${shown(value)} → ${answer.text.slice(0, 300)}`;
  expect([answer.status, answer.body?.code], what).toEqual([400, 'INVALID_INPUT']);
  const named: string[] = answer.body.issues.map(({ path }: { path: unknown[] }) => path.join('.'));
  expect(named.length, what).toBeGreaterThan(0);
  expect(
    named.filter((each) => each !== field && !each.startsWith(`${field}.`)),
    what,
  ).toEqual([]);
}

const bodies = titles.filter((title) => routeOf(title).body);
const below = titles.filter((title) => Object.keys(routeOf(title).params.shape).length > 0);
const leaves = (title: Title) => Object.entries(badBodies[title] ?? {}) as [string, Field][];

describe('the tables', () => {
  it('has an example for every route and every variant of its body', () => {
    const expected = routes.flatMap(({ operationId, body }) => {
      const kinds = kindsOf(body)?.map((kind) => `${operationId}: ${kind}`);
      return kinds ?? [operationId];
    });
    expect([...titles].sort()).toEqual(expected.sort());
  });

  it.each(titles)('have every field and parameter of %s', (title) => {
    const { route, params, query, body } = examples[title];
    const fields = route.body ? fieldsOf(route.body, body) : [];
    expect(Object.keys(badBodies[title] ?? {}).sort()).toEqual(fields.sort());
    expect(Object.keys(query)).toEqual(Object.keys(route.query.shape));
    expect(Object.keys(badQueries)).toEqual(expect.arrayContaining(Object.keys(query)));
    expect(Object.keys(badPaths)).toEqual(expect.arrayContaining(Object.keys(params)));
  });

  it.each(titles)('have a good example of %s, but for the faults that are put into it', async (title) => {
    const answer = await tryWith(examples[title], {}, { token: reader });
    const { method } = examples[title].route;
    const isRead = method === 'get' || title === 'listTeamResources';
    expect([answer.status, answer.body.detail], answer.text).toEqual(
      isRead ? [200, undefined] : [403, 'This access token is read-only.'],
    );
  });
});

describe('every field of every body', () => {
  it.each(bodies)('%s refuses what is wrong, and names the field', { timeout }, async (title) => {
    const example = examples[title];
    for (const [field, { isRequired, mayBeNull, bad }] of leaves(title)) {
      for (const value of [...(isRequired ? [undefined, ...(mayBeNull ? [] : [null])] : []), ...bad]) {
        const answer = await tryWith(example, { body: withValue(example.body, field, value) }, {});
        expectRefused(answer, field, value);
      }
    }
  });

  it.each(bodies)(
    '%s takes null as left out where it may be, and ignores what it does not use',
    async (title) => {
      const example = examples[title];
      for (const [field, { isRequired, isIgnored, bad }] of leaves(title)) {
        if (isRequired || field.endsWith('0')) continue;
        const values = isIgnored ? [undefined, null, 'nope', 1, [], { a: [] }] : [undefined, null];
        expect(bad.length === 0, field).toBe(isIgnored ?? false);
        for (const value of values) {
          const body = withValue(example.body, field, value);
          const { status, text } = await tryWith(example, { body }, { token: reader });
          expect(status, `${field} = ${shown(value)} → ${text}`).toBe(403);
        }
      }
    },
  );

  const strange = [
    'bogus',
    '',
    'constructor',
    '__proto__',
    'toString',
    'a.b',
    ' port',
    'PORT',
    '\u0000',
    '0',
  ];
  it.each(bodies)('%s refuses unknown fields by name, wherever they stand', async (title) => {
    const example = examples[title];
    const places = Array.isArray(example.body) ? [] : [''];
    const inside = Object.keys(badBodies[title]!).flatMap((field) => {
      const dot = field.lastIndexOf('.');
      return dot < 0 ? [] : [field.slice(0, dot + 1)];
    });
    for (const at of new Set([...places, ...inside])) {
      // A number beside the fields of a list is an element of it.
      if (!isObjectAt(example.body, at)) continue;
      for (const name of strange) {
        const body = textWith(example.body, at, name);
        const answer = await rest(trellis, atOf(example), { body });
        const what = `${at}${name} → ${answer.text}`;
        expect(answer.status, what).toBe(400);
        const steps = at
          .split('.')
          .filter(Boolean)
          .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
        expect(answer.body.issues, what).toEqual([{ path: [...steps, name], message: 'Unknown field' }]);
      }
    }
  });

  it('limits the pairs of listTeamResources as documented', async () => {
    const example = examples.listTeamResources;
    const pairs = (count: number) => ({ body: Array(count).fill(example.body[0]) });
    expect((await tryWith(example, pairs(100), {})).status).toBe(200);
    const answer = await tryWith(example, pairs(101), {});
    expect([answer.status, answer.body.issues[0].path]).toEqual([400, []]);
  });

  it('reports all errors of path, query and body at once', async () => {
    const example = examples.installApplication;
    const answer = await tryWith(
      example,
      {
        params: { ...example.params, app_id: 'x', team_id: ' ' },
        query: { is_deploy: 'maybe', bogus: '1' },
        body: { ...example.body, market_url: 1, app_model_id: undefined, more: 1 },
      },
      {},
    );
    const paths = answer.body.issues.map(({ path }: { path: string[] }) => path.join('.'));
    expect(paths.sort()).toEqual(
      ['app_id', 'team_id', 'is_deploy', 'bogus', 'market_url', 'app_model_id', 'more'].sort(),
    );
  });
});

/** Whether an object, and no list, stands at a place like `http.configuration.`. */
function isObjectAt(body: any, at: string): boolean {
  const found = at
    .split('.')
    .filter(Boolean)
    .reduce((value, step) => value[step], body);
  return !Array.isArray(found);
}

/** The text of a body with one more field; as a text it may be one that JavaScript keeps for itself. */
function textWith(body: any, at: string, name: string): string {
  const marked = withValue(body, `${at}marker-of-the-test`, 1);
  return JSON.stringify(marked).replace('"marker-of-the-test"', () => JSON.stringify(name));
}

describe('every parameter of every query', () => {
  it.each(titles)('%s refuses what is wrong, unknown or there twice', { timeout }, async (title) => {
    const example = examples[title];
    for (const name of Object.keys(example.query)) {
      for (const value of badQueries[name]!) {
        const answer = await tryWith(example, { query: { ...example.query, [name]: value } }, {});
        expectRefused(answer, name, value);
      }
      const good = example.query[name]!;
      for (const again of [good, '', 'other']) {
        const at = `${atOf(example)}&${name}=${encodeURIComponent(again)}`;
        expectRefused(await rest(trellis, at, { body: example.body }), name, [good, again]);
      }
    }
    for (const name of [
      'bogus',
      'constructor',
      '__proto__',
      'Page',
      'page[]',
      'toString',
      'a b',
      '\u0000',
      '0',
      '',
    ]) {
      const answer = await tryWith(example, { query: { ...example.query, [name]: '1' } }, {});
      expect(answer.body.issues, name).toEqual([{ path: [name], message: 'Unknown field' }]);
    }
  });

  it.each(titles)('%s needs no query parameter', async (title) => {
    const { status, text } = await tryWith(examples[title], { query: {} }, { token: reader });
    expect(status, text).toBe(
      examples[title].route.method === 'get' || title === 'listTeamResources' ? 200 : 403,
    );
  });
});

describe('every parameter of every path', () => {
  it.each(below)('%s refuses what is wrong', { timeout }, async (title) => {
    const example = examples[title];
    for (const name of Object.keys(example.params)) {
      for (const value of badPaths[name]!) {
        const params = { ...example.params, [name]: value };
        expectRefused(await tryWith(example, { params }, { isEncoded: true }), name, value);
      }
    }
  });

  it.each(below)('%s refuses a malformed escape', { timeout }, async (title) => {
    const example = examples[title];
    for (const name of Object.keys(example.params)) {
      for (const value of badEscapes) {
        const params = { ...example.params, [name]: value };
        const { status, body, text } = await tryWith(example, { params }, { isEncoded: true });
        expect([400, 404], `${name} = ${value} → ${text}`).toContain(status);
        if (status === 400) expect(body.issues[0].path, value).toEqual([name]);
      }
    }
  });
});
