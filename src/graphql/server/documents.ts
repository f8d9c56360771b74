import { getHeapStatistics } from 'node:v8';
import { type DocumentNode, type GraphQLSchema, visit } from 'graphql';
import { createBoundedCache } from '../../kernel/memo.ts';
import { forgetPlans, keepPlans, keepsPlans } from '../execute/plan.ts';

/** Sizes are characters of the text: a parsed document and its plan take up to 200 times that in memory, here a tenth of the heap. */
const bounds = {
  entries: 1_000,
  size: Math.min(1_000_000, Math.floor(getHeapStatistics().heap_size_limit / 2_000)),
  entrySize: 100_000,
};

export type Documents = ReturnType<typeof createDocuments>;

/** The cache of parsed and validated documents by text, with their execution plans. */
export function createDocuments(schema: GraphQLSchema) {
  const cache = createBoundedCache<string, DocumentNode>(bounds, (_, document) =>
    forgetPlans(schema, document),
  );
  return {
    find: (text: string): DocumentNode | undefined => cache.get(text),
    /** Whether the document is cached, and so was validated. */
    has: (document: DocumentNode): boolean => keepsPlans(schema, document),
    keep(text: string, document: DocumentNode): void {
      // Of two concurrent equal requests, the document of the first is cached.
      if (text.length > bounds.entrySize || cache.has(text)) return;
      dropTokens(document);
      keepPlans(schema, document);
      cache.set(text, document, text.length);
    },
  };
}

/** Tokens take as much memory as the rest of a document, and errors need only the positions of nodes. */
function dropTokens(document: DocumentNode): void {
  visit(document, {
    enter({ loc }) {
      if (loc) Object.assign(loc, { startToken: undefined, endToken: undefined });
    },
  });
}
