import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLFormattedError,
  type GraphQLSchema,
  execute as plainly,
} from 'graphql';
import { expect } from 'vitest';
import { keepPlans } from '../../src/graphql/execute/plan.ts';
import { executeByPlan } from '../../src/graphql/execute/run.ts';

export interface Executed {
  schema: GraphQLSchema;
  document: DocumentNode;
  variables?: Record<string, unknown>;
  operationName?: string;
  /** Made for each execution anew, as what it asks for may be used up. */
  rootOf?: () => unknown;
  contextOf?: () => unknown;
}

export interface Both {
  ours: ExecutionResult;
  plain: ExecutionResult;
}

/** The answers of our executor and of that of graphql-js, one after the other; our plan is kept for the next time. */
export async function executeBoth({ variables, contextOf, rootOf, ...same }: Executed): Promise<Both> {
  const args = (): ExecutionArgs => ({
    ...same,
    variableValues: structuredClone(variables),
    rootValue: rootOf?.(),
    contextValue: contextOf?.(),
  });
  keepPlans(same.schema, same.document);
  return { ours: await executeByPlan(args()), plain: await plainly(args()) };
}

type Shown = Pick<GraphQLFormattedError, 'message' | 'path' | 'locations'>;

const shownOf = ({ errors = [] }: ExecutionResult): string[] =>
  errors.map(({ message, path, locations }) => JSON.stringify({ message, path, locations })).sort();

/** The place above the error's own that became null, as far as there is one: `["team", "components"]`. */
function nulledAbove({ data }: ExecutionResult, { path = [] }: Shown): string | undefined {
  let at: unknown = data;
  for (let step = 0; step < path.length; step++) {
    if (at === null || at === undefined) return JSON.stringify(path.slice(0, step));
    at = (at as Record<string | number, unknown>)[path[step]!];
  }
  return undefined;
}

/**
 * Fails unless the answers are equal: the data to the byte, the errors as a set of message, path and locations.
 *
 * One difference is permitted, since the specification leaves it open: of several errors below a place that became
 * null each executor tells of at least one, but not of the same ones. "If all fields from the root of the request to
 * the source of the field error return Non-Null types…": which of them came first is a matter of time.
 *
 * @see https://spec.graphql.org/October2021/#sec-Handling-Field-Errors
 * @returns whether the errors are equal as well, without that permission.
 */
export function expectEqual({ ours, plain }: Both, what: string): boolean {
  expect('data' in ours, what).toBe('data' in plain);
  expect(JSON.stringify(ours.data), what).toBe(JSON.stringify(plain.data));
  const [here, there] = [shownOf(ours), shownOf(plain)];
  if (JSON.stringify(here) === JSON.stringify(there)) return true;
  const split = (texts: string[]) => {
    const below = new Set<string>();
    const own = texts.filter((text) => {
      const nulled = nulledAbove(plain, JSON.parse(text));
      if (nulled !== undefined) below.add(nulled);
      return nulled === undefined;
    });
    return { own, below: [...below].sort() };
  };
  expect(split(here), `${what}\n${here.join('\n')}\n${there.join('\n')}`).toEqual(split(there));
  return false;
}
