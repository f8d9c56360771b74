import { buildSchema, getOperationAST, parse } from 'graphql';
import { afterEach, describe, expect, it } from 'vitest';
import { Execution } from '../../src/graphql/execute/execution.ts';
import { planOf } from '../../src/graphql/execute/plan.ts';
import { execute } from '../../src/graphql/execute/run.ts';
import { RequestBudget } from '../../src/kernel/budget.ts';
import { defaultLimits } from '../../src/kernel/limits.ts';
import { SharedMemory } from '../../src/kernel/memory.ts';

const schema = buildSchema('type Query { all: [Thing] } type Thing { id: Int }');
const document = parse('{ all { id } }');
const plan = planOf(schema, document, getOperationAST(document)!, {});

const unhandled: unknown[] = [];
const note = (error: unknown) => unhandled.push(error);
let budget: RequestBudget;
/** A request that may not have memory for another step of waiting values. */
const createContext = () => {
  budget = new RequestBudget({ ...defaultLimits, answersBytes: 300_000 }, new SharedMemory(1_000_000));
  return { budget };
};
afterEach(() => {
  budget.end(true);
  process.off('unhandledRejection', note);
  unhandled.length = 0;
});

describe('an execution that may not wait for more values', () => {
  it('does not throw when it starts to wait, and fails at the next object', () => {
    const execution = new Execution(plan, { context: createContext(), variables: {} });
    for (let values = 0; values < 1_000; values++) execution.begin();
    expect(execution.failure).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(() => execution.add(plan.root)).toThrow(execution.failure);
  });

  it('fails as a whole, and leaves no rejection unhandled', async () => {
    process.on('unhandledRejection', note);
    const all = Array.from({ length: 2_000 }, async (_, id) => {
      await null;
      if (id % 2) throw new Error('late');
      return { id };
    });
    const result = await execute(plan, { context: createContext(), rootValue: { all }, variables: {} });
    expect(result.data).toBeUndefined();
    expect(result.errors?.map(({ originalError }) => originalError)).toEqual([budget.failure]);
    // Rejections that nobody handles are reported after the microtasks of a turn.
    for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });
});
