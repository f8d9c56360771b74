import type { LimitName } from './errors.ts';
import type { Limits } from './limits.ts';

/** What texts contain after their aliases were expanded. */
export interface Expansion {
  characters: number;
  values: number;
}

/** How many times its length a text may always be expanded to. */
const factor = 4;

/** Counts what the texts of one request are expanded to. */
export class ExpansionCount {
  readonly #limits: Pick<Limits, 'expandedCharacters' | 'expandedValues'>;
  #bodyBytes = 0;
  #characters = 0;
  #values = 0;

  constructor(limits: Pick<Limits, 'expandedCharacters' | 'expandedValues'>) {
    this.#limits = limits;
  }

  get counted(): Expansion {
    return { characters: this.#characters, values: this.#values };
  }

  /** Counts the body of the request: what all texts may be expanded to depends on its length. */
  countBody(size: number): void {
    this.#bodyBytes += size;
  }

  /** What a text of so many bytes may be expanded to: what the text may, within what is left of the request. */
  left(size: number): Expansion {
    const ofRequest = this.#mostCharacters(Math.max(size, this.#bodyBytes)) - this.#characters;
    return {
      characters: Math.min(this.#mostCharacters(size), ofRequest),
      values: this.#limits.expandedValues - this.#values,
    };
  }

  /** Counts what a text of so many bytes was expanded to. Returns the limit if that is more than what was left. */
  add({ characters, values }: Expansion, size: number): { limit: string; name: LimitName } | undefined {
    const left = this.left(size);
    this.#characters += characters;
    this.#values += values;
    if (characters > left.characters) {
      const limit = `${this.#mostCharacters(size)} characters after the expansion of aliases`;
      return { limit, name: 'LIMIT_EXPANDED_KIB' };
    }
    if (values > left.values) {
      const limit = `${this.#limits.expandedValues} values after the expansion of aliases`;
      return { limit, name: 'LIMIT_EXPANDED_VALUES' };
    }
    return undefined;
  }

  #mostCharacters(size: number): number {
    return Math.max(this.#limits.expandedCharacters, factor * size);
  }
}
