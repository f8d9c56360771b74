import {
  buildSchema,
  type ExecutionResult,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLScalarType,
  type GraphQLUnionType,
  parse,
  validate,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { executeByPlan } from '../../src/graphql/execute/run.ts';
import { executeBoth, expectEqual } from '../support/execution.ts';

const schema = buildSchema(`
  interface Named { name: String }
  type Cat implements Named { name: String lives: Int! }
  type Dog implements Named { name: String barks: Boolean! friend: Pet }
  union Pet = Cat | Dog
  type Thing {
    id: ID!
    title: String
    size: Int!
    ratio: Float
    isOn: Boolean
    next: Thing
    must: Thing!
    list: [Thing!]
    all: [Thing!]!
    tags: [String!]
  }
  type Query {
    thing: Thing
    must: Thing!
    things: [Thing]
    all: [Thing!]!
    most: [Thing!]
    deep: [[[Int!]!]]
    grid: [[Int!]!]!
    ints: [Int]
    strict: [Int!]!
    int: Int
    sum(a: Int! = 1, b: [Int!], c: Range): Int
    named: Named
    names: [Named!]
    pet: Pet
    pets: [Pet]
    colour: Colour
    shade: Shade
  }
  type Mutation { step(name: String!, ms: Int! = 0): String must(fail: Boolean): String! thing: Thing }
  input Range { from: Int! = 0 to: Int }
  scalar Shade
  enum Colour { RED GREEN }
`);
// Exposed columns are taken from the row without a resolver: as the builder marks them.
for (const field of Object.values((schema.getType('Thing') as GraphQLObjectType).getFields())) {
  field.extensions = { pothosExposedField: field.name };
}
(schema.getType('Shade') as GraphQLScalarType).serialize = () => undefined;
const [cat, dog] = (schema.getType('Pet') as GraphQLUnionType).getTypes() as [
  GraphQLObjectType,
  GraphQLObjectType,
];

/** Lets the event loop turn so many times: what comes later does so in every run. */
const turns = async (count: number): Promise<void> => {
  for (let left = count; left > 0; left--) await new Promise(setImmediate);
};

const late = async <T>(value: T, count = 2): Promise<T> => {
  await turns(count);
  return value;
};
/** Fails later; that nobody waits for it yet does no harm. */
const fails = (message = 'late', count = 2): Promise<never> => {
  const failing = turns(count).then(() => throws(message));
  failing.catch(() => {});
  return failing;
};
const throws = (message = 'at once'): never => {
  throw new Error(message);
};
function* some(...items: unknown[]) {
  yield* items;
}
function* breaking(...items: unknown[]) {
  yield* items;
  throw new Error('no more');
}

const throwsText = () => {
  throw 'text';
};

const thing = (id: unknown, more: object = {}): object => ({ id, title: `t${id}`, size: 1, ...more });
const things = '{ id title size ratio isOn }';

type Case = [title: string, query: string, rootOf: () => object, variables?: Record<string, unknown>];

const cases: Case[] = [
  ['a list of promises', '{ ints }', () => ({ ints: [late(1), 2, late(3, 1), null, late(null)] })],
  ['a promise of a list of promises', '{ ints }', () => ({ ints: () => late([late(1), late(2, 0)]) })],
  [
    'lists that are no arrays',
    '{ ints strict }',
    () => ({ ints: new Set([1, 2]), strict: some(1, late(2)) }),
  ],
  [
    'an iterator that breaks',
    '{ ints most { id } }',
    () => ({ ints: breaking(1), most: breaking(thing(1), late(thing(2))) }),
  ],
  ['no list', '{ ints things { id } }', () => ({ ints: 7, things: {} })],
  ['a text for a list', '{ ints }', () => ({ ints: '12' })],
  ['a map for a list', '{ things { id } }', () => ({ things: new Map() })],
  [
    'no number',
    '{ int ints }',
    () => ({ int: Number.NaN, ints: [1, Number.NaN, '2', '', true, 1.5, 2 ** 31] }),
  ],
  ['no number, late', '{ ints strict }', () => ({ ints: [late(Number.NaN)], strict: [1, 2] })],
  [
    'values of other kinds',
    `{ thing ${things} }`,
    () => ({ thing: thing(7, { title: 5, ratio: '1.5', isOn: 1 }) }),
  ],
  [
    'values that are wrong',
    `{ thing ${things} }`,
    () => ({ thing: thing('x', { title: {}, ratio: 'x', isOn: 'x' }) }),
  ],
  ['nothing where something must be', `{ thing ${things} }`, () => ({ thing: thing(undefined) })],
  ['nothing in a list', `{ things ${things} }`, () => ({ things: [thing(1), thing(null), null, thing(2)] })],
  ['nothing in a strict list', `{ most ${things} }`, () => ({ most: [thing(1), thing(null), thing(2)] })],
  ['nothing, up to the root', `{ int all ${things} }`, () => ({ int: 1, all: [thing(1), thing(null)] })],
  [
    'promises in properties',
    `{ most ${things} }`,
    () => ({ most: [thing(late(1)), thing(2, { size: late(3) })] }),
  ],
  ['failing promises in properties', `{ most ${things} }`, () => ({ most: [thing(1, { title: fails() })] })],
  [
    'failing promises that must not',
    `{ things ${things} int }`,
    () => ({ things: [thing(1, { size: fails() })], int: 1 }),
  ],
  [
    'errors as properties',
    `{ things ${things} }`,
    () => ({ things: [thing(1, { title: new Error('odd') })] }),
  ],
  ['an error thrown', '{ int ints }', () => ({ int: throws, ints: () => [1] })],
  ['an error thrown late', '{ int ints }', () => ({ int: () => fails(), ints: () => late([1]) })],
  [
    'an error returned',
    '{ int thing { id } }',
    () => ({ int: new Error('no'), thing: () => late(new Error('none')) }),
  ],
  [
    'errors in a list',
    '{ ints most { id } }',
    () => ({ ints: [1, new Error('no'), fails()], most: [new Error('none')] }),
  ],
  [
    'what is thrown that is no error',
    '{ int ints }',
    () => ({ int: () => Promise.reject('text'), ints: () => throwsText() }),
  ],
  [
    'null at several levels',
    '{ thing { next { must { must { id size } } } } }',
    () => ({
      thing: { next: late({ must: late({ must: late({ id: 1, size: fails('deep', 5) }) }) }) },
    }),
  ],
  [
    'null at several levels, at once',
    '{ thing { id next { must { must { id size } } } } }',
    () => ({
      thing: { id: 1, next: { must: { must: { id: 1 } } } },
    }),
  ],
  [
    'null through strict lists',
    '{ thing { id next { id all { id all { id size } } } } }',
    () => ({
      thing: {
        id: 1,
        next: {
          id: 2,
          all: [late({ id: 3, all: [late({ id: 4, size: fails('late', 4) }), { id: 5, size: 1 }] })],
        },
      },
    }),
  ],
  [
    'null through strict lists up to the root',
    '{ int must { id all { size } } }',
    () => ({
      int: 1,
      must: late({ id: 1, all: [{ size: 1 }, late({ size: fails() })] }),
    }),
  ],
  [
    'lists of lists',
    '{ deep grid }',
    () => ({ deep: [[[1, 2], [3]], null, [[4, null]], late([[late(5)]])], grid: [[1], [late(2)]] }),
  ],
  [
    'lists of lists that fail late',
    '{ deep }',
    () => ({ deep: [[[1], [fails()]], [[2]], [late([fails('two', 6)])]] }),
  ],
  ['lists of lists that are null', '{ grid int }', () => ({ grid: [[1], late([late(null)])], int: 3 })],
  [
    'a late error beside a quick null',
    '{ thing { must { id size } list { id size } } int }',
    () => ({
      thing: { must: { id: 1, size: null }, list: [late({ id: 1, size: fails('slow', 8) })] },
      int: () => late(1, 12),
    }),
  ],
  [
    'a root that is null, while others are under way',
    '{ must { id } int thing { size } }',
    () => ({
      must: null,
      int: () => fails('after', 5),
      thing: { size: fails('after that', 7) },
    }),
  ],
  [
    'types told by isTypeOf',
    '{ pet { ...P } pets { ...P } } fragment P on Pet { ... on Cat { lives } ... on Dog { barks } }',
    () => ({
      pet: { lives: 9 },
      pets: [{ barks: true }, late({ lives: 7 }), null],
    }),
  ],
  [
    'types told late',
    '{ pets { __typename ... on Named { name } ... on Cat { lives } ... on Dog { friend { __typename } } } }',
    () => ({
      pets: [{ lateLives: 1, lives: 9, name: 'Tom' }, late({ lateBarks: 1, friend: { lives: 1 } })],
    }),
  ],
  [
    'types told by name',
    '{ named { name ... on Dog { barks } } names { __typename name } }',
    () => ({
      named: { __typename: 'Dog', barks: true, name: 'Rex' },
      names: [{ __typename: 'Cat', lives: 1 }, late({ __typename: 'Dog', barks: false })],
    }),
  ],
  [
    'arguments by default',
    '{ a: sum b: sum(a: 2, b: 3) c: sum(c: {}) d: sum(c: { to: 4 }, b: [1, 2]) }',
    () => ({
      sum: ({ a, b, c }: any) => a + (b?.length ?? 0) * 10 + (c ? 100 + c.from + (c.to ?? 0) : 0),
    }),
  ],
  [
    'arguments from variables',
    'query($a: Int, $b: [Int!], $t: Int) { a: sum(b: $b) b: sum(c: { from: 1, to: $t }) c: sum(a: $a, b: [5, 6]) d: int @include(if: true) }',
    () => ({ sum: (given: object) => JSON.stringify(given).length, int: 1 }),
    { b: 4 },
  ],
  [
    'an argument that is null',
    'query($a: Int = 4) { int sum(a: $a) }',
    () => ({ sum: 1, int: 2 }),
    { a: null },
  ],
  ['an enum', '{ colour }', () => ({ colour: 'RED' })],
  ['an enum that is none', '{ colour }', () => ({ colour: late('BLUE') })],
  ['nothing at all', '{ thing { id } int ints }', () => ({})],
  [
    'fields that are asked for twice',
    '{ thing { next { id } id } ...T thing { next { ...N title } } } fragment T on Query { thing { size } } fragment N on Thing { size id }',
    () => ({ thing: thing(1, { next: late(thing(2)) }) }),
  ],
];

/** Cases in which both fail, and ours says it in words that repeat no value. */
const inOtherWords: Case[] = [
  [
    'a type that nothing tells',
    '{ int named { name } names { name } }',
    () => ({ int: 1, named: {}, names: [late({})] }),
  ],
  ['a type that is none of its own', '{ named { name } }', () => ({ named: { __typename: 'Thing' } })],
  ['a type that is no object type', '{ named { name } }', () => ({ named: { __typename: 'Named' } })],
  ['a type that there is not', '{ named { name } }', () => ({ named: late({ __typename: 'Nobody' }) })],
  [
    'an object of another type',
    '{ named { name } names { name } }',
    () => ({
      named: { __typename: 'Cat' },
      names: [{ __typename: 'Dog', lateLives: 1 }],
    }),
  ],
  ['an enum without a value', '{ shade }', () => ({ shade: 'x' })],
];

cat.isTypeOf = (value: object) =>
  'lateLives' in value || 'lateBarks' in value ? late('lateLives' in value) : 'lives' in value;
dog.isTypeOf = (value: object) =>
  'lateBarks' in value || 'lateLives' in value ? late('lateBarks' in value) : 'barks' in value;

/** Executed in both ways, on values made afresh. */
async function both(query: string, rootOf: () => object, variables?: Record<string, unknown>) {
  const document = parse(query);
  expect(validate(schema, document)).toEqual([]);
  return executeBoth({ schema, document, rootOf, variables });
}

describe('our executor matches graphql-js for', () => {
  it.each(cases)('%s', async (title, query, rootOf, variables) => {
    expectEqual(await both(query, rootOf, variables), title);
  });

  it.each(inOtherWords)('%s', async (title, query, rootOf) => {
    const { ours, plain } = await both(query, rootOf);
    const told = (result: ExecutionResult) => ({
      ...result,
      errors: result.errors!.map((error) => new GraphQLError('…', { ...error, originalError: undefined })),
    });
    expectEqual({ ours: told(ours), plain: told(plain) }, title);
    expect(JSON.stringify(ours.errors)).not.toContain('lives');
  });

  it('types returned by resolveType, synchronously and asynchronously', async () => {
    const pet = schema.getType('Pet') as GraphQLUnionType;
    for (const resolveType of [
      ({ barks }: any) => (barks === undefined ? 'Cat' : 'Dog'),
      async ({ barks }: any) => (barks === undefined ? 'Cat' : 'Dog'),
      ({ barks }: any) => (barks ? throws('barks') : 'Cat'),
      async ({ barks }: any) => (barks ? throws('barks') : 'Cat'),
    ]) {
      pet.resolveType = resolveType;
      const pets = () => ({
        pets: [{ barks: true }, late({ lives: 9 }), { lives: null }],
        pet: { lives: 1 },
      });
      const query = '{ pet { __typename } pets { ... on Dog { barks } ... on Cat { lives } } }';
      expectEqual(await both(query, pets), String(resolveType));
    }
    pet.resolveType = undefined;
  });

  it('executes mutations one after the other, however long each takes', async () => {
    const query = `mutation { a: step(name: "a", ms: 20) b: step(name: "b") c: step(name: "c", ms: 5)
      d: step(name: "fails", ms: 5) thing { next { size } id } e: step(name: "e") }`;
    const logs: string[][] = [];
    const root = () => {
      const log: string[] = [];
      logs.push(log);
      return {
        step: async ({ name, ms }: { name: string; ms: number }) => {
          log.push(`${name} begins`);
          await turns(ms);
          log.push(`${name} ends`);
          if (name === 'fails') throws();
          return name;
        },
        thing: () => {
          log.push('thing');
          return thing(1, { next: late(thing(2, { size: late(3, 10).finally(() => log.push('size')) })) });
        },
      };
    };
    expectEqual(await both(query, root), query);
    expect(logs[0]).toEqual(logs[1]);
    expect(logs[0]!.slice(0, 4)).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
    expect(logs[0]!.slice(-3)).toEqual(['size', 'e begins', 'e ends']);
  });

  it('does not execute mutations after one that makes the data null', async () => {
    for (const must of [() => throws(), () => fails(), () => null, () => late(null)]) {
      const steps: string[] = [];
      const step = ({ name }: { name: string }) => void steps.push(name);
      const query = 'mutation { a: step(name: "a") must b: step(name: "b") }';
      expectEqual(await both(query, () => ({ must, step })), query);
      expect(steps).toEqual(['a', 'a']);
    }
  });

  it('ignores errors below a value that is already null', async () => {
    const half = () => thing(1, { next: fails(), size: null });
    const rootOf = () => ({ thing: half(), things: [half()], most: () => late([half()]) });
    const query = '{ thing { next { id } size } things { next { id } size } most { next { id } size } int }';
    const { ours, plain } = await both(query, rootOf);
    expectEqual({ ours, plain }, query);
    expect(ours.errors!.map(({ path }) => path!.at(-1))).toEqual(['size', 'size', 'size']);
  });

  it('handles an iterator that fails, and ignores later errors', async () => {
    const document = parse('{ most { id } }');
    const answer = await executeByPlan({ schema, document, rootValue: { most: () => breaking(fails()) } });
    await turns(20);
    expect(answer.errors!.map(({ message }) => message)).toEqual(['no more']);
  });

  it('the arguments of resolvers', async () => {
    const told: unknown[] = [];
    const sum = (args: object, context: unknown, info: GraphQLResolveInfo) => {
      const { path, fieldName, parentType, returnType, variableValues, operation, rootValue, fieldNodes } =
        info;
      const nodes = fieldNodes.map((node) => node.loc?.start);
      const types = [String(parentType), String(returnType)];
      const names = Object.keys(info.fragments);
      told.push({
        args,
        context,
        path,
        fieldName,
        types,
        variableValues,
        nodes,
        names,
        name: operation.name,
        rootValue,
      });
      return 1;
    };
    const query = 'query Q($a: Int! = 5) { x: sum(a: $a) ...F } fragment F on Query { x: sum(a: $a) sum }';
    const root = { sum };
    expectEqual(await both(query, () => root), query);
    expect(told.slice(0, 2)).toEqual(told.slice(2));
    expect(told).toHaveLength(4);
  });
});
