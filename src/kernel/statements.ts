/** The statements of one request that are remembered. Further ones are only counted. */
const maxKept = 200;

/** The statements of one request and how long they took, for the log of slow requests and for those who ask. Without their parameters. */
export class RequestStatements {
  count = 0;
  ms = 0;
  /** The rows that statements outside of transactions have returned. */
  rows = 0;
  /** The texts and times, in turns: fewer objects than one for each statement. */
  readonly #kept: (string | number)[] = [];

  add(text: string, ms: number): void {
    this.count++;
    this.ms += ms;
    if (this.count <= maxKept) this.#kept.push(text, ms);
  }

  /** Equal texts together, those that took longest first. */
  byText(): { text: string; count: number; ms: number }[] {
    const texts = new Map<string, { text: string; count: number; ms: number }>();
    for (let index = 0; index < this.#kept.length; index += 2) {
      const [text, ms] = this.#kept.slice(index, index + 2) as [string, number];
      const statement = texts.get(text) ?? { text, count: 0, ms: 0 };
      statement.count++;
      statement.ms += ms;
      texts.set(text, statement);
    }
    return [...texts.values()].sort((one, other) => other.ms - one.ms);
  }
}
