import { buildSchema, type GraphQLObjectType, parse } from 'graphql';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { executeByPlan } from '../../src/graphql/execute/run.ts';
import { batched, createLoaders } from '../../src/kernel/batch.ts';
import { RequestBudget } from '../../src/kernel/budget.ts';
import { derived } from '../../src/kernel/derived.ts';
import { UnavailableError } from '../../src/kernel/errors.ts';
import { defaultLimits } from '../../src/kernel/limits.ts';
import { SharedMemory } from '../../src/kernel/memory.ts';
import { executeBoth, expectEqual } from '../support/execution.ts';

const schema = buildSchema(`
  type Thing { id: Int! title: String size: Int! owner: Owner next: [Thing!] }
  type Owner { name: String }
  type Query { all: [Thing!]! most: [Thing!] some: [Thing] }
`);
const thingFields = (schema.getType('Thing') as GraphQLObjectType).getFields();
for (const name of ['id', 'title', 'size']) {
  thingFields[name]!.extensions = { pothosExposedField: name };
}
thingFields.owner!.resolve = (thing, _, context, info) =>
  context?.ownerOf ? context.ownerOf(context, thing.id) : (info.rootValue as { owner: unknown }).owner;

/** So many that they take several turns. */
const count = 50_000;
const things = Array.from({ length: count }, (_, id) => ({ id, title: `thing ${id}`, size: id % 7 }));

let isCounting = false;
afterEach(() => {
  isCounting = false;
});
/** Counts the turns that others get. */
function countTurns(): () => number {
  let turns = 0;
  isCounting = true;
  const tick = () => {
    turns++;
    if (isCounting) setImmediate(tick);
  };
  setImmediate(tick);
  return () => turns;
}

const limits = { ...defaultLimits, values: 10_000_000, textBytes: 1_000_000_000 };
const budgets: RequestBudget[] = [];
const createBudget = (caller?: string) => {
  const budget = new RequestBudget(limits, new SharedMemory(Number.POSITIVE_INFINITY), caller);
  budgets.push(budget);
  return budget;
};
afterEach(() => {
  for (const budget of budgets.splice(0)) budget.end(true);
});

describe('a large answer', () => {
  it.each([
    ['of one list', '{ all { id title size } }', { all: things }],
    ['of objects inside a list', '{ some { id owner { name } } }', { some: things, owner: { name: 'x' } }],
    [
      'of lists inside lists',
      '{ all { id next { id title } } }',
      { all: things.slice(0, 350).map((each) => ({ ...each, next: things.slice(0, 350) })) },
    ],
    [
      'of which an item fails late',
      '{ most { id size } some { id size } }',
      (() => {
        const broken = [...things];
        broken[count - 5] = { id: 1, title: 'x', size: null as never };
        return { most: broken, some: broken };
      })(),
    ],
    [
      'of promises',
      '{ all { id owner { name } } }',
      { all: things.map((each) => Promise.resolve(each)), owner: Promise.resolve({ name: 'y' }) },
    ],
  ])('%s is that of graphql-js, and others have their turn', async (_, query, root) => {
    expectEqual(await executeBoth({ schema, document: parse(query), rootOf: () => root }), query);
    const turns = countTurns();
    await executeByPlan({ schema, document: parse(query), rootValue: root });
    expect(turns()).toBeGreaterThan(0);
  });

  it('of slow fields of one object is that of graphql-js, and others have their turn', async () => {
    const aliases = Array.from({ length: 40 }, (_, index) => `a${index}: owner { name }`).join(' ');
    const slow = () => {
      for (const end = performance.now() + 2; performance.now() < end; );
      return { name: 'slow' };
    };
    // The last field of a thing that is not nullable fails after a pause.
    const broken = { id: 1, title: 'x', size: null };
    const document = parse(`{ some { title ${aliases} size } }`);
    for (const some of [[things[0]], [broken], [broken, things[1]]]) {
      const rootOf = () => ({
        some,
        get owner() {
          return slow();
        },
      });
      expectEqual(await executeBoth({ schema, document, rootOf }), 'slow fields');
      const turns = countTurns();
      await executeByPlan({ schema, document, rootValue: rootOf() });
      expect(turns()).toBeGreaterThan(0);
    }
  });

  it('of few values that are slow to compute gives others a turn after a few of them', async () => {
    const rows = things.slice(0, 15);
    const named = derived(
      (thing: object, _: { budget: RequestBudget }) => {
        for (const end = performance.now() + 2; performance.now() < end; );
        return { name: `owner ${JSON.stringify(thing)}` };
      },
      () => 1,
    );
    const budget = createBudget();
    const owners = new Map(rows.map((thing) => [thing.id, thing]));
    const turns = countTurns();
    await executeByPlan({
      schema,
      document: parse('{ all { owner { name } } }'),
      rootValue: { all: rows },
      contextValue: { budget, ownerOf: (context: never, id: number) => named(owners.get(id)!, context) },
    });
    expect(turns()).toBeGreaterThan(3);
  });

  it('reads at once what it asks for in several turns', async () => {
    const reads: number[] = [];
    const owners = batched(async (_: object, keys: number[]) => {
      reads.push(keys.length);
      return new Map(keys.map((key) => [key, { name: `owner of ${key}` }]));
    }, null);
    const context = {
      loaders: createLoaders(),
      budget: createBudget(),
      ownerOf: (scope: never, id: number) => owners(scope, id),
    };
    const turns = countTurns();
    const document = parse('{ all { id owner { name } } }');
    const result = await executeByPlan({
      schema,
      document,
      rootValue: { all: things },
      contextValue: context,
    });
    expect(turns()).toBeGreaterThan(0);
    expect(reads).toEqual([count]);
    const { data } = result as { data: { all: object[] } };
    expect(data.all).toHaveLength(count);
    expect(data.all.at(-1)).toEqual({ id: count - 1, owner: { name: `owner of ${count - 1}` } });
  });

  it('stops when the request is aborted', async () => {
    const budget = createBudget();
    const failure = new UnavailableError('Stopped.');
    setImmediate(() => budget.stop(failure));
    const seen: number[] = [];
    const context = {
      budget,
      ownerOf: (_: object, id: number) => {
        seen.push(id);
        return { name: 'x' };
      },
    };
    const document = parse('{ all { id owner { name } } }');
    const result = await executeByPlan({
      schema,
      document,
      rootValue: { all: things },
      contextValue: context,
    });
    expect(result).not.toHaveProperty('data');
    expect((result as any).errors.map((error: any) => error.originalError)).toEqual([failure]);
    expect(seen.length).toBeLessThan(count);
    const { length } = seen;
    await new Promise(setImmediate);
    expect(seen).toHaveLength(length);
  });
});

it('a promise that many fields wait for is listened to once', async () => {
  // Each slice of a response listens anew, so it must not begin in the slice of the test before.
  await new Promise((resolve) => setImmediate(resolve));
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  const owner = Promise.resolve({ name: 'x' });
  const listen = vi.spyOn(owner, 'then');
  const document = parse('{ all { first: owner { name } second: owner { name } } }');
  const rootValue = { all: things.slice(0, 100), owner };
  const result = (await executeByPlan({ schema, document, rootValue })) as any;
  clock.mockRestore();
  expect(result.data.all[99]).toEqual({ first: { name: 'x' }, second: { name: 'x' } });
  expect(listen).toHaveBeenCalledTimes(1);
});

it('callers take turns, and the large answers of one caller are made one after the other', async () => {
  const document = parse('{ all { id owner { name } } }');
  const resolved: number[] = [];
  const ended: string[] = [];
  let laterResolved = 0;
  const answer = async (caller: string, index: number) => {
    resolved[index] = 0;
    const ownerOf = () => {
      resolved[index]!++;
      return { name: 'x' };
    };
    const contextValue = { budget: createBudget(caller), ownerOf };
    await executeByPlan({ schema, document, rootValue: { all: things }, contextValue });
    if (ended.length === 0) laterResolved = resolved[2]! + resolved[3]!;
    ended.push(`${caller}${index}`);
  };
  await Promise.all([answer('a', 0), answer('a', 1), answer('a', 2), answer('a', 3), answer('b', 4)]);
  expect(ended.filter((name) => name !== 'b4')).toEqual(['a0', 'a1', 'a2', 'a3']);
  expect(ended.indexOf('b4')).toBeLessThan(2);
  expect(laterResolved).toBeLessThan(count / 2);
});
