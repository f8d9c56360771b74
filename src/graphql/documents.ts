import type { DocumentNode } from 'graphql';

/** Documents that are kept, and how many characters they have together: a parsed one takes some fifty times that. */
const most = { documents: 1_000, characters: 1_000_000 };

/** Documents that were parsed and validated, by their text; those used longest ago make room. */
export function createDocuments() {
  const known = new Map<string, DocumentNode>();
  let characters = 0;
  const forget = (text: string) => {
    if (known.delete(text)) characters -= text.length;
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
      if (text.length > most.characters / 10) return;
      forget(text);
      known.set(text, document);
      characters += text.length;
      while (known.size > most.documents || characters > most.characters) {
        forget(known.keys().next().value!);
      }
    },
  };
}
