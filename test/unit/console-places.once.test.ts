import { readdirSync, readFileSync } from 'node:fs';
import { type DocumentNode, Kind, print } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { mutation, planned } from '../../src/console/documents/mutation.ts';
import { lookup, page } from '../../src/console/documents/query.ts';
import { places } from '../../src/console/places.ts';

const source = (path: string) => readFileSync(new URL(`../../src/console/${path}`, import.meta.url), 'utf8');
const folder = new URL('../../src/console/documents/', import.meta.url);

/** The mutations that the documents of the console call. */
async function mutationsOfDocuments(): Promise<string[]> {
  const names: string[] = [];
  for (const file of readdirSync(folder)) {
    for (const exported of Object.values(await import(new URL(file, folder).href))) {
      for (const definition of (exported as DocumentNode).definitions ?? []) {
        if (definition.kind !== Kind.OPERATION_DEFINITION || definition.operation !== 'mutation') continue;
        for (const field of definition.selectionSet.selections)
          if (field.kind === Kind.FIELD) names.push(field.name.value);
      }
    }
  }
  return names;
}

describe('the documents of the console', () => {
  const textOf = (document: DocumentNode) => print(document).split('\n\n')[0];

  it('have the frame of a mutation, with its plan', () => {
    expect(textOf(mutation('updateTeam'))).toBe(`mutation UpdateTeam($input: UpdateTeamInput!) {
  result: updateTeam(input: $input) {
    __typename
    ... on Error {
      ...FailureParts
    }
  }
}`);
    expect(
      textOf(planned('stopApplication', 'job { id uid }')),
    ).toBe(`mutation StopApplication($input: StopApplicationInput!) {
  result: stopApplication(input: $input) {
    __typename
    ... on StopApplicationPayload {
      plan {
        ...PlanParts
      }
      job {
        id
        uid
      }
    }
    ... on Error {
      ...FailureParts
    }
  }
}`);
  });

  it('have the frame of one object, and of a page', () => {
    const select = `id webhooks(first: 20, after: $after) { ${page('id url')} }` as const;
    expect(
      textOf(lookup('team', 'Webhooks', { variables: '$after: String', select })),
    ).toBe(`query Webhooks($by: TeamRef!, $after: String) {
  team(by: $by) {
    id
    webhooks(first: 20, after: $after) {
      totalCount
      pageInfo {
        endCursor
        hasNextPage
      }
      nodes {
        id
        url
      }
    }
  }
}`);
  });
});

describe('the places of mutations in the console', () => {
  it('are known for every mutation, and for nothing else', () => {
    const mutations = Object.keys(schema.getMutationType()!.getFields());
    expect(Object.keys(places).sort()).toEqual(mutations.sort());
  });

  it('are pages of the console, whose documents call the mutation', async () => {
    const called = new Set(await mutationsOfDocuments());
    const routes = [...source('routes.tsx').matchAll(/<Route path="([^"]+)"/g)].map(([, path]) => path);
    expect(routes.length).toBeGreaterThan(10);
    const wrong = Object.entries(places).flatMap(([mutation, place]) => {
      if ('reason' in place) return called.has(mutation) ? [`${mutation} is called`] : [];
      return [
        ...(routes.includes(place.page) ? [] : [`${place.page} is no page`]),
        ...(called.has(mutation) ? [] : [`${mutation} is not called`]),
      ];
    });
    expect(wrong).toEqual([]);
  });
});
