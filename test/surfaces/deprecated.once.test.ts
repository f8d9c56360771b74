import { describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { graphiqlOptions } from '../../src/graphql/graphiql/examples.ts';
import { deprecate, deprecatedIn } from '../support/deprecations.ts';
import { operations } from '../support/operations.ts';

// `npm run check` validates the documents of the console, and the tests of the command line count what it uses.
describe('what is deprecated', () => {
  it('is in no operation', () => {
    const found = operations.flatMap(({ path, query }) =>
      deprecatedIn(schema, query).map((message) => `${path}: ${message}`),
    );
    expect(found).toEqual([]);
    expect(operations.length).toBeGreaterThan(100);
  });

  it('is in no example of GraphiQL', () => {
    const { names, named, unnamed } = graphiqlOptions('/graphql');
    const examples = [names, named.replaceAll(/<\w+>/g, '1'), unnamed];
    expect(examples.flatMap((query) => deprecatedIn(schema, query))).toEqual([]);
  });

  // The last test, because it changes the schema.
  it('would be found', () => {
    deprecate(schema, 'Team.isActive', 'Query.applications(state:)');
    expect(deprecatedIn(schema, '{ teams { nodes { ...T } } } fragment T on Team { isActive }')).toEqual([
      expect.stringContaining('Team.isActive is deprecated'),
    ]);
    expect(deprecatedIn(schema, '{ applications(state: null) { totalCount } }')).toHaveLength(1);
  });
});
