import { createHash } from 'node:crypto';

/** A document that callers can name instead of sending it. */
export interface TrustedDocument {
  /** The name by which the log and metrics call it. */
  id: string;
  text: string;
  /** Further names. */
  aliases?: readonly string[];
}

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Where trusted documents come from. Later sources have precedence: an id of theirs hides the same id of an earlier one. */
export type TrustedSource = () => readonly TrustedDocument[];

/** The trusted documents by their ids and texts. Read at the first lookup, because most servers never need them. */
export class TrustedDocuments {
  readonly #sources: readonly TrustedSource[];
  #found: { byId: Map<string, TrustedDocument>; byText: Map<string, TrustedDocument> } | undefined;

  constructor(...sources: TrustedSource[]) {
    this.#sources = sources;
  }

  /** The document with an id: its name or `sha256:` with the hash of its text. */
  find(id: string): TrustedDocument | undefined {
    const { byId } = this.#all();
    return byId.get(id) ?? byId.get(`sha256:${id}`);
  }

  /** The document with exactly this text. */
  withText(text: string): TrustedDocument | undefined {
    return this.#all().byText.get(text);
  }

  #all() {
    if (this.#found) return this.#found;
    const byId = new Map<string, TrustedDocument>();
    const byText = new Map<string, TrustedDocument>();
    for (const document of this.#sources.flatMap((read) => read())) {
      for (const id of [document.id, ...(document.aliases ?? []), `sha256:${hashOf(document.text)}`]) {
        byId.set(id, document);
      }
      byText.set(document.text, document);
    }
    this.#found = { byId, byText };
    return this.#found;
  }
}
