import { createHash } from 'node:crypto';

/** Equal texts have equal names in all processes, which can share a session behind a pooler. */
export const nameOf = (text: string): string => `t_${createHash('sha256').update(text).digest('base64url')}`;

/** Within this time, a caller brings a limited number of new texts. */
const windowMs = 60_000;

export interface StatementNamesOptions {
  /** The most texts that have names. */
  most: number;
  /** How many new ones of a caller get a name in a minute. */
  mostOfCaller: number;
  /** Called when all names are given up, because there are too many. */
  cleared(): void;
}

/**
 * The names of prepared statements. The selection of a document determines the text of its statements, so a caller can create any
 * number of texts. Texts beyond a caller's limit get no name and are planned on each use. Otherwise, they would evict the prepared
 * statements that all callers use.
 */
export class StatementNames {
  readonly #options: StatementNamesOptions;
  readonly #names = new Map<string, string>();
  readonly #newOf = new Map<string, number>();
  #until = Number.NEGATIVE_INFINITY;

  constructor(options: StatementNamesOptions) {
    this.#options = options;
  }

  /** The name of a text, or an empty one. Statements of the process have no caller. */
  of(text: string, caller: string | undefined): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (caller !== undefined && !this.#mayAdd(caller)) return '';
    if (this.#names.size === this.#options.most) {
      this.#names.clear();
      this.#options.cleared();
    }
    const name = nameOf(text);
    this.#names.set(text, name);
    return name;
  }

  #mayAdd(caller: string): boolean {
    const now = performance.now();
    if (now > this.#until) {
      this.#newOf.clear();
      this.#until = now + windowMs;
    }
    const count = (this.#newOf.get(caller) ?? 0) + 1;
    this.#newOf.set(caller, count);
    return count <= this.#options.mostOfCaller;
  }
}
