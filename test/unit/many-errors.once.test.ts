import { GraphQLError, Kind, type OperationDefinitionNode } from 'graphql';
import { expect, it } from 'vitest';
import { answerOf } from '../../src/graphql/server/answer.ts';
import { parseText } from '../../src/graphql/server/document-text.ts';
import { serialized, withErrors } from '../../src/graphql/server/serialized.ts';
import { RequestBudget } from '../../src/kernel/budget.ts';
import { defaultLimits } from '../../src/kernel/limits.ts';
import { SharedMemory } from '../../src/kernel/memory.ts';

const count = 4_000;
const document = parseText(`{\n${Array.from({ length: count }, (_, index) => `a${index}`).join('\n')}\n}`);
const { selections } = (document.definitions[0] as OperationDefinitionNode).selectionSet;

const types = ['application/json', 'application/graphql-response+json'];

const errorsWith = (http?: object) =>
  selections.map((node, index) => {
    const path = node.kind === Kind.FIELD ? [node.name.value, index] : [];
    const extensions = { code: 'FORBIDDEN', requestId: 'r', ...(http && { http }) };
    return new GraphQLError(`Not "${index}".`, { nodes: [node], extensions, ...(!http && { path }) });
  });

it.each([
  ['of fields', errorsWith(), { a: null }],
  ['of fields, without data', errorsWith(), undefined],
  ['of the request', errorsWith({ status: 403, spec: true }), undefined],
  ['of the request, with headers', errorsWith({ status: 429, headers: { 'Retry-After': '1' } }), undefined],
])('many errors %s are written in turns as a few are', async (_, errors, data) => {
  const budget = new RequestBudget(defaultLimits, new SharedMemory(Number.POSITIVE_INFINITY));
  try {
    budget.count(100_000, 0);
    const result = withErrors(data === undefined ? {} : { data }, errors);
    const atOnce = types.map((type) => answerOf(result, type));
    let turns = 0;
    let isOver = false;
    const tick = () => {
      turns++;
      if (!isOver) setImmediate(tick);
    };
    setImmediate(tick);
    const inTurns = await serialized(result, { budget });
    isOver = true;
    expect(turns).toBeGreaterThan(1);

    expect(types.map((type) => answerOf(inTurns, type))).toEqual(atOnce);
    // Yoga would copy errors of its class.
    expect(inTurns.errors!.filter((error) => error instanceof GraphQLError)).toHaveLength(1);
  } finally {
    budget.end(true);
  }
});
