import type { DocumentNode } from 'graphql';
import { textOf } from './document-text.ts';

/** The memory of a parsed document and its plan: for each character, and at most, as its tokens are limited. */
const bytes = { ofCharacter: 200, most: 4 * 2 ** 20 };

/** The documents of the streams that are open. Those with the same document share it. */
export class StreamedDocuments {
  readonly #open = new Map<DocumentNode, { streams: number; release(): void }>();

  /** Reserves the memory of the document for the first of its streams. Returns what the end of each stream calls. */
  open(document: DocumentNode, reserve: (size: number) => () => void): () => void {
    let entry = this.#open.get(document);
    if (!entry) {
      const length = textOf(document).length;
      entry = { streams: 0, release: reserve(Math.min(length * bytes.ofCharacter, bytes.most)) };
      this.#open.set(document, entry);
    }
    entry.streams++;
    return () => {
      if (--entry.streams > 0) return;
      this.#open.delete(document);
      entry.release();
    };
  }
}
