import { readdirSync, readFileSync } from 'node:fs';
import { type DocumentNode, Kind } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
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
