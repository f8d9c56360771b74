import { type FragmentDefinitionNode, Kind, type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { requireParsable, requireWithinLimits } from '../../src/graphql/server/limits.ts';
import { defaultLimits } from '../../src/kernel/limits.ts';

/** How often the selections of fragments are read until a document is refused. */
function readsOf(text: string): number {
  const document = parse(text);
  let reads = 0;
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.FRAGMENT_DEFINITION) continue;
    const { selections } = definition.selectionSet;
    const counted = {
      kind: Kind.SELECTION_SET,
      get selections() {
        reads++;
        return selections;
      },
    };
    Object.assign(definition as { selectionSet: FragmentDefinitionNode['selectionSet'] }, {
      selectionSet: counted,
    });
  }
  const [operation] = document.definitions as [OperationDefinitionNode];
  expect(() => requireWithinLimits(document, operation, {}, defaultLimits)).toThrow('limit of 5000 fields');
  return reads;
}

const fragments = (count: number, uses: (index: number) => number[]) =>
  Array.from({ length: count }, (_, index) => {
    const used = uses(index).map((other) => `...F${other}`);
    return `fragment F${index} on Viewer { ${used.join(' ')} __typename }`;
  }).join('\n');

it.each([
  ['another one twice', (index: number) => [index + 1, index + 1]],
  ['all that follow', (index: number) => Array.from({ length: 19 - index }, (_, other) => index + 1 + other)],
])('fragments of which each uses %s are not read at each use', (_, uses) => {
  const most = defaultLimits.fields;
  expect(readsOf(`{ viewer { ...F0 } }\n${fragments(20, uses)}`)).toBeLessThan(2 * most);
});

describe('a document', () => {
  const lines = (count: number, separator: string) => `${separator.repeat(count - 1)}{ __typename }`;
  const most = 2 * defaultLimits.tokens;

  it.each(['\n', '\r', '\r\n', '#\n', ',\n'])(
    'has a limited number of lines that end with %j',
    (separator) => {
      expect(() => requireParsable(lines(most, separator), defaultLimits)).not.toThrow();
      expect(() => requireParsable(lines(most + 1, separator), defaultLimits)).toThrow(
        'limit of 10000 lines',
      );
    },
  );

  it('has a limited number of lines in its texts and at its end', () => {
    const inText = `{ team(by: { name: """${'\n'.repeat(most)}""" }) { uid } }`;
    expect(() => requireParsable(inText, defaultLimits)).toThrow('limit of 10000 lines');
    expect(() => requireParsable(`{ __typename }${'\n'.repeat(most)}`, defaultLimits)).toThrow(
      'limit of 10000 lines',
    );
  });
});
