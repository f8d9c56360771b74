import { initGraphQLTada } from 'gql.tada';
import type { introspection } from '../generated/schema.d.ts';

/** Parses a document and types it by `schema.graphql`. `npm run check` validates every document. */
export const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { DateTime: string; JSON: unknown; URL: string };
}>();

export type { FragmentOf, ResultOf, VariablesOf } from 'gql.tada';
