import {
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { errorStatus } from '../../src/kernel/error-codes.ts';
import type { All } from '../support/fixtures.ts';
import { type Random, randomOf } from '../support/random.ts';
import { type Answer, send } from '../support/send.ts';
import { startTrellis, type Trellis } from '../support/trellis.ts';

let trellis: Trellis;
/** Of a token that may change nothing. */
let reader: string;
let all: All;

const texts = [
  '',
  'x',
  'null',
  '__proto__',
  'constructor',
  '\u0000',
  '\n',
  '\ud800',
  '\u202e',
  '𝒯',
  "'; DROP TABLE team; --",
  '%',
  '"""',
  '$x',
  'x'.repeat(400),
  'VGVhbTp4',
  'WyJUZWFtLm5hbWUuaWQiLCJhIiwiYiJd',
  '2026-01-01T00:00:00Z',
];
const numbers = [0, -1, 1, 100, 101, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 1.5, 1e21, 1e308, -0];
const pieces = [
  '{',
  '}',
  '(',
  ')',
  '[',
  ']',
  ':',
  '!',
  '$',
  '@',
  '...',
  '=',
  '|',
  '&',
  '#',
  '"',
  '"""',
  '\\',
  '\n',
  ',',
  ' ',
  'on',
  'query',
  'mutation',
  'subscription',
  'fragment',
  'null',
  'true',
  '__schema',
  '__typename',
  '__type(name:"Team")',
  '@skip(if:true)',
  '@include(if:$x)',
  '@defer',
  'extend',
  'type',
  '\u0000',
  '\ufeff',
  '\ud83d',
  'é',
  '-',
  '1',
  '1e999',
  '.5',
  'viewer',
  'first:',
  'nodes',
];

const documents = [
  '{ viewer { isAdministrator user { email } enterprise { teams(first: 2) { nodes { name } } } } }',
  'query T($by: TeamRef!) { team(by: $by) { name applications { nodes { components { nodes { ports { nodes { number } } } } } } } }',
  '{ teams(first: 5, orderBy: { field: NAME, direction: DESC }) { totalCount pageInfo { endCursor } } }',
  '{ events(since: "2026-01-01T00:00:00Z") { nodes { action } } }',
  'query N($ids: [ID!]!) { nodes(ids: $ids) { id ... on Team { name } } }',
  'query R($of: [TeamRegionRef!]!) { teamResources(of: $of) { __typename } }',
  'mutation P($port: PortRef!) { openOuterService(input: { port: $port }) { __typename ... on Error { code } } }',
  'mutation C($i: CreateComponentInput!) { createComponent(input: $i) { __typename ... on Error { code } } }',
  'fragment F on Team { name } query Q { teams { nodes { ...F } } }',
];

/** Any JSON value; deep ones are rare. */
function anyValue(random: Random, depth = 0): unknown {
  const kind = random.below(depth > 4 ? 4 : 7);
  if (kind === 0) return random.pick(numbers);
  if (kind === 1 || kind === 2) return random.pick(texts);
  if (kind === 3) return random.pick([null, true, false]);
  if (kind === 4) return Array.from({ length: random.below(4) }, () => anyValue(random, depth + 1));
  const names = ['id', 'name', 'teamId', 'by', 'at', 'component', 'number', 'port', 'field', ...texts];
  return Object.fromEntries(
    Array.from({ length: random.below(4) }, () => [random.pick(names), anyValue(random, depth + 1)]),
  );
}

/** A value that nearly fits the type: now and then anything. */
function nearValue(random: Random, type: GraphQLInputType, depth = 0): unknown {
  if (random.chance(0.08)) return anyValue(random);
  if (isNonNullType(type)) return nearValue(random, type.ofType, depth);
  if (random.chance(0.1)) return null;
  if (isListType(type)) {
    return Array.from({ length: random.below(4) }, () => nearValue(random, type.ofType, depth + 1));
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    const chosen = type.isOneOf ? [random.pick(fields)] : fields.filter(() => random.chance(0.8));
    return Object.fromEntries(chosen.map((field) => [field.name, nearValue(random, field.type, depth + 1)]));
  }
  if (isEnumType(type)) return random.pick(type.getValues()).name;
  if (type.name === 'Int') return random.pick([...numbers, all.application.appId, all.port.number]);
  if (type.name === 'Float') return random.pick(numbers);
  if (type.name === 'Boolean') return random.chance(0.5);
  const known = [all.team.id, all.team.teamId, all.team.name, all.region.name, all.component.componentId];
  return random.pick([...texts, ...known, all.port.id, all.component.id, all.application.id]);
}

/** A query of the schema: random fields, their arguments as variables. */
function randomQuery(random: Random): { query: string; variables: Record<string, unknown> } {
  const variables: Record<string, unknown> = {};
  const declared: string[] = [];
  const argumentsOf = (args: readonly GraphQLArgument[]) => {
    const given = args.filter(({ type }) => isNonNullType(type) || random.chance(0.3));
    if (given.length === 0) return '';
    return `(${given
      .map((arg) => {
        const name = `v${declared.length}`;
        declared.push(`$${name}: ${arg.type}`);
        variables[name] = nearValue(random, arg.type);
        return `${arg.name}: $${name}`;
      })
      .join(', ')})`;
  };
  const selectionOf = (type: GraphQLOutputType, depth: number): string => {
    const named = getNamedType(type);
    if (isAbstractType(named)) return '{ __typename }';
    if (!isObjectType(named)) return '';
    const fields = Object.values(named.getFields()).filter(
      (field) => depth < 5 || !isObjectType(getNamedType(field.type)),
    );
    const chosen = Array.from({ length: 1 + random.below(3) }, () => random.pick(fields)).filter(Boolean);
    const selections = chosen.map(
      (field, index) =>
        `f${index}: ${field.name}${argumentsOf(field.args)} ${selectionOf(field.type, depth + 1)}`,
    );
    return `{ __typename ${selections.join(' ')} }`;
  };
  const kind = random.chance(0.3) ? 'mutation' : 'query';
  const root = kind === 'query' ? schema.getQueryType()! : schema.getMutationType()!;
  const selection = selectionOf(root, 0);
  const head = declared.length ? `${kind} Q(${declared.join(', ')})` : kind;
  return { query: `${head} ${selection}`, variables };
}

/** The text with a few places cut, doubled or filled with something else. */
function spoiled(random: Random, text: string): string {
  let result = text;
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = random.below(result.length + 1);
    const end = Math.min(result.length, at + random.below(6));
    const filling = random.pick(['', random.pick(pieces), result.slice(at, end).repeat(2)]);
    result = result.slice(0, at) + filling + result.slice(end);
  }
  return result;
}

const codes = Object.keys(errorStatus).filter((code) => code !== 'INTERNAL');

function expectSane(answer: Answer, what: string) {
  expect(answer.status, what).toBeLessThan(500);
  expect(answer.headers['x-request-id'], what).toBeDefined();
  expect(answer.body, what).toBeTypeOf('object');
  for (const { extensions } of answer.body.errors ?? []) expect(codes, what).toContain(extensions?.code);
}

/** Sends what is made from many seeds, a few at a time; nothing of it may change anything. */
async function bombard(times: number, make: (random: Random) => { body?: string; path?: string }) {
  const before = await trellis.counts();
  trellis.logged.length = 0;
  let answered = 0;
  for (let seed = 1; seed <= times; seed += 8) {
    await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const sent = make(randomOf(seed + index));
        const answer = await send(trellis, { ...sent, token: reader });
        expectSane(answer, `seed ${seed + index}: ${sent.body ?? sent.path} → ${answer.text.slice(0, 300)}`);
        if (answer.body.data) answered++;
      }),
    );
  }
  expect(trellis.logged.filter(({ level }) => level >= 50)).toEqual([]);
  expect(await trellis.counts()).toEqual(before);
  return answered;
}

/** Documents, bodies and variables that are nearly or not at all valid, from a share of all seeds. */
export function garbage(share: number): void {
  beforeAll(async () => {
    trellis = await startTrellis();
    all = await trellis.createAll();
    const made = await trellis.succeed('createAccessToken', { name: 'reader', isReadOnly: true }, 'secret');
    reader = made.secret;
  });
  afterAll(() => trellis?.close());

  const timeout = 120_000;

  it('handles corrupted documents', { timeout }, async () => {
    await bombard(400 * share, (random) => ({
      body: JSON.stringify({ query: spoiled(random, random.pick(documents)), variables: anyValue(random) }),
    }));
  });

  it('handles corrupted documents in the URL', { timeout }, async () => {
    await bombard(160 * share, (random) => {
      const query = Buffer.from(spoiled(random, random.pick(documents))).toString();
      const address = new URLSearchParams({ query, variables: JSON.stringify(anyValue(random)) });
      return {
        path: `/graphql?${random.chance(0.5) ? address : spoiled(random, String(address)).replace(/[^!-~]/g, '')}`,
      };
    });
  });

  it('handles corrupted JSON', { timeout }, async () => {
    await bombard(240 * share, (random) => ({
      body: spoiled(
        random,
        JSON.stringify({ query: random.pick(documents), variables: { by: { name: 'x' } } }),
      ),
    }));
  });

  it('handles any JSON as a body', { timeout }, async () => {
    await bombard(160 * share, (random) => ({ body: JSON.stringify(anyValue(random)) }));
  });

  it('handles any variables', { timeout }, async () => {
    await bombard(240 * share, (random) => ({
      body: JSON.stringify({
        query: random.pick(documents),
        variables: {
          by: anyValue(random),
          ids: anyValue(random),
          of: anyValue(random),
          port: anyValue(random),
          i: anyValue(random),
        },
      }),
    }));
  });

  it('handles queries with almost valid arguments', { timeout }, async () => {
    const answered = await bombard(600 * share, (random) => ({ body: JSON.stringify(randomQuery(random)) }));
    // Most of them must get past the front door, or they would test nothing behind it.
    expect(answered).toBeGreaterThan(60 * share);
  });
}
