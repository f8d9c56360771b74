import type { LimitName } from './errors.ts';
import type { Limits } from './limits.ts';

/** The size of texts after their aliases were expanded. */
export interface Expansion {
  characters: number;
  values: number;
}

interface Exceeded {
  limit: string;
  name: LimitName;
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

  /** The limit of an expanded text: that of a text with its bytes, within what is left of the request. */
  left(size: number): Expansion {
    const ofRequest = this.#mostCharacters(Math.max(size, this.#bodyBytes)) - this.#characters;
    return {
      characters: Math.min(this.#mostCharacters(size), ofRequest),
      values: this.#limits.expandedValues - this.#values,
    };
  }

  /** Counts what a text of so many bytes was expanded to. Returns the limit if that is more than what was left. */
  add({ characters, values }: Expansion, size: number): Exceeded | undefined {
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

  /** The limit that the arguments of all fields exceed, if they do: variables and fragments count at each use. */
  exceededBy({ characters, values }: Expansion): Exceeded | undefined {
    const most = this.#mostCharacters(this.#bodyBytes);
    const { expandedValues } = this.#limits;
    if (characters > most) {
      return { limit: `${most} characters in the arguments of all fields`, name: 'LIMIT_EXPANDED_KIB' };
    }
    if (values > expandedValues) {
      const limit = `${expandedValues} values in the arguments of all fields`;
      return { limit, name: 'LIMIT_EXPANDED_VALUES' };
    }
    return undefined;
  }

  /** Whether so many fields can exceed a limit. Their arguments need not be counted otherwise. */
  canExceed(fields: number): boolean {
    const { expandedCharacters, expandedValues } = this.#limits;
    // A value has two bytes at least.
    return fields * this.#bodyBytes > Math.min(expandedCharacters, 2 * expandedValues);
  }

  #mostCharacters(size: number): number {
    return Math.max(this.#limits.expandedCharacters, factor * size);
  }
}

/** Adds the size of a value from JSON. Without recursion, because it can nest as deeply as it is long. */
export function addValue(size: Expansion, value: unknown): void {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    size.values++;
    if (typeof next === 'string') size.characters += next.length;
    if (typeof next !== 'object' || next === null) continue;
    if (Array.isArray(next)) for (const item of next) left.push(item);
    else {
      for (const key in next) {
        size.characters += key.length;
        left.push((next as Record<string, unknown>)[key]);
      }
    }
  }
}
