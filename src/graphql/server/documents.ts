import { type DocumentNode, type GraphQLSchema, visit } from 'graphql';
import { forgetPlans, keepPlans } from '../execute/plan.ts';

/** Documents that are kept, and how many characters they have together: a parsed one takes some fifty times that. */
const most = { documents: 1_000, characters: 1_000_000 };

/**
 * Documents that were parsed and validated, by their text, and the plans of their execution; those used longest
 * ago make room.
 */
export function createDocuments(schema: GraphQLSchema) {
  const known = new Map<string, DocumentNode>();
  let characters = 0;
  const forget = (text: string, document: DocumentNode) => {
    known.delete(text);
    characters -= text.length;
    forgetPlans(schema, document);
  };
  return {
    find(text: string): DocumentNode | undefined {
      const document = known.get(text);
      if (document) {
        known.delete(text);
        known.set(text, document);
      }
      return document;
    },
    keep(text: string, document: DocumentNode): void {
      // Of two that came at once the first is in use.
      if (text.length > most.characters / 10 || known.has(text)) return;
      dropTokens(document);
      keepPlans(schema, document);
      known.set(text, document);
      characters += text.length;
      for (const [oldest, itsDocument] of known) {
        if (known.size <= most.documents && characters <= most.characters) break;
        forget(oldest, itsDocument);
      }
    },
  };
}

/** Tokens take as much room as all else of a document, and no error asks for more than where a node stands. */
function dropTokens(document: DocumentNode): void {
  visit(document, {
    enter({ loc }) {
      if (loc) Object.assign(loc, { startToken: undefined, endToken: undefined });
    },
  });
}
