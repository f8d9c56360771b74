import { LimitExceededError, type LimitName, UnavailableError } from './errors.ts';
import { type Expansion, ExpansionCount } from './expansion.ts';
import type { Limits } from './limits.ts';
import type { Memory } from './memory.ts';
import { RequestLifetime } from './request-lifetime.ts';

/** The estimated memory of what a request holds until its response is sent, in bytes. */
const bytes = {
  ofValue: 48,
  ofText: 4,
  ofDerived: 4,
  ofRow: 150,
  ofCell: 24,
  // The bytes themselves, their text, and what is parsed from it.
  ofBody: 3,
  // A value of its JSON, such as an empty list.
  ofJsonValue: 64,
  // The text, what is parsed from it, and what is made of that: the parts of a plan, rows and events.
  ofExpanded: { character: 6, value: 200 },
};

/** Memory is reserved in steps of this size, in bytes. The first step is free for every request. */
const stepBytes = 256 * 1024;

/**
 * The budget of one request: time, values, text, memory, and time of threads. Every step that works for the request
 * charges it, wherever it works. The request is stopped when one of them is used up.
 */
export class RequestBudget extends RequestLifetime {
  /** Whose request it is. Undefined for the work of the process. */
  readonly caller: number | string | undefined;
  readonly #limits: Limits;
  readonly #memory: Memory;
  #values = 0;
  #text = 0;
  #bytes = 0;
  #reserved = stepBytes;
  readonly #expanded: ExpansionCount;
  #threadMs = 0;

  constructor(limits: Limits, memory: Memory, caller?: number | string) {
    super(limits.requestTimeoutMs);
    this.caller = caller;
    this.#limits = limits;
    this.#expanded = new ExpansionCount(limits);
    this.#memory = memory;
  }

  /**
   * How much was used so far: values and text of the response, what texts were expanded to, the time of threads, and the
   * memory that all of it is estimated to take.
   */
  get used() {
    return {
      values: this.#values,
      text: this.#text,
      bytes: this.#bytes,
      expanded: this.#expanded.counted,
      threadMs: this.#threadMs,
    };
  }

  /** Counts values added to the response. Throws if the response exceeds the limit. */
  count(values: number, text: number): void {
    this.#values += values;
    this.#text += text;
    const { values: mostValues, textBytes } = this.#limits;
    if (this.#values > mostValues) this.#refuse(`${mostValues} values in one response`, 'LIMIT_VALUES');
    if (this.#text > textBytes) this.#refuse(textLimit(textBytes), 'LIMIT_TEXT_KIB');
    this.#reserve(values * bytes.ofValue + text * bytes.ofText);
  }

  /** Throws if the response would exceed the text limit with what is about to be read. */
  expectText(length: number): void {
    if (this.#text + length > this.#limits.textBytes) {
      this.#refuse(textLimit(this.#limits.textBytes), 'LIMIT_TEXT_KIB');
    }
    this.#reserve(length);
  }

  /** Throws if the serialized response exceeds the text limit. */
  requireText(length: number): void {
    if (length > this.#limits.textBytes) this.#refuse(textLimit(this.#limits.textBytes), 'LIMIT_TEXT_KIB');
  }

  /** Throws if a plan changes more objects than it may: until it is rolled back, other changes can wait for it. */
  requirePlanObjects(count: number): void {
    const { planObjects } = this.#limits;
    if (count > planObjects)
      this.#refuse(
        `${planObjects} objects in a plan without the right to make its changes`,
        'LIMIT_PLAN_OBJECTS',
      );
  }

  /** Throws if a change has more objects than it may: other changes can wait until they are written. */
  requireChangeObjects(count: number, of = ''): void {
    const { changeObjects } = this.#limits;
    if (count > changeObjects)
      this.#refuse(`${changeObjects} objects in one change${of && `, ${of}`}`, 'LIMIT_CHANGE_OBJECTS');
  }

  /** The most objects of a change. */
  get changeObjects(): number {
    return this.#limits.changeObjects;
  }

  /** The most objects of an application that a change adds to. */
  get applicationObjects(): number {
    return this.#limits.applicationObjects;
  }

  /** The most bytes of files and environment variables that a change deploys. */
  get deployBytes(): number {
    return this.#limits.deployBytes;
  }

  /** Counts a row that was read, because it stays in memory until the response is sent. */
  countRow(row: readonly unknown[]): void {
    this.#reserve(rowBytes(row));
  }

  countRows(rows: readonly (readonly unknown[])[]): void {
    let size = 0;
    for (const row of rows) size += rowBytes(row);
    this.#reserve(size);
  }

  /** Reserves memory for rows that are about to be read, which are counted then. Throws if there is none. */
  expectRows(size: number): void {
    const counted = this.#bytes;
    this.#reserve(size);
    this.#bytes = counted;
  }

  /** Counts the body of the request, when it has arrived. */
  countBody(size: number): void {
    this.#expanded.countBody(size);
    this.#reserve(size * bytes.ofBody);
  }

  /** Counts the values that the JSON of the request has, at all depths. Throws if there are too many. */
  countJson(values: number): void {
    const most = this.#limits.expandedValues;
    if (values > most) this.#refuse(`${most} values in its JSON`, 'LIMIT_EXPANDED_VALUES');
    this.#reserve(values * bytes.ofJsonValue);
  }

  /** Reserves memory that stays reserved when the budget has ended. Returns what gives it back. Throws if there is none. */
  keep(size: number): () => void {
    if (!this.#memory.take(size)) throw this.stop(tooManyLarge());
    let kept = size;
    return () => {
      this.#memory.give(kept);
      kept = 0;
    };
  }

  /** The limit of an expanded text: that of a text with its bytes, within what is left of the request. */
  expandable(size: number): Expansion {
    return this.#expanded.left(size);
  }

  /** Counts what a text of so many bytes was expanded to. Throws if that is more than what was left. */
  countExpanded(expansion: Expansion, size: number): void {
    const exceeded = this.#expanded.add(expansion, size);
    if (exceeded) this.#refuse(exceeded.limit, exceeded.name);
    const { character, value } = bytes.ofExpanded;
    this.#reserve(expansion.characters * character + expansion.values * value);
  }

  /**
   * Throws if the arguments of so many fields exceed what the request may be expanded to. `sizeOf` is called if they can.
   */
  requireArguments(fields: number, sizeOf: () => Expansion): void {
    if (!this.#expanded.canExceed(fields)) return;
    const exceeded = this.#expanded.exceededBy(sizeOf());
    if (exceeded) this.#refuse(exceeded.limit, exceeded.name);
  }

  /** How long threads may still work for the request, in ms. */
  get threadMsLeft(): number {
    return this.#limits.threadMs - this.#threadMs;
  }

  /** Counts the time that a thread has worked for the request. Throws if that is more than was left. */
  countThread(ms: number): void {
    this.#threadMs += ms;
    if (this.threadMsLeft < 0) {
      this.#refuse(`${this.#limits.threadMs} ms for parsing and writing manifests`, 'LIMIT_THREAD_MS');
    }
  }

  /** Counts a value that was computed from so much text, because it stays in memory as long as its row. */
  countDerived(length: number): void {
    this.#reserve(length * bytes.ofDerived);
    this.running?.look?.();
  }

  /** Reserves memory until the response is sent. Throws if all requests together would exceed the limit. */
  reserve(size: number): void {
    this.#reserve(size);
  }

  /** Gives back memory that was reserved, to later steps of the request. */
  giveBack(size: number): void {
    this.#bytes -= size;
  }

  #reserve(size: number): void {
    this.#bytes += size;
    if (this.#bytes <= this.#reserved) return;
    const more = Math.ceil((this.#bytes - this.#reserved) / stepBytes) * stepBytes;
    // Retrying cannot help a request that is larger than the whole budget.
    if (this.#reserved + more > this.#limits.answersBytes) {
      this.#refuse(
        `${Math.floor(this.#limits.answersBytes / 2 ** 20)} MiB of memory for one request`,
        'ANSWERS_MEMORY_MIB',
      );
    }
    if (this.hasEnded || !this.#memory.take(more)) {
      throw this.stop(tooManyLarge());
    }
    this.#reserved += more;
  }

  override end(isAnswered: boolean): void {
    if (!this.hasEnded) this.#memory.give(this.#reserved - stepBytes);
    super.end(isAnswered);
  }

  #refuse(limit: string, name: LimitName): never {
    throw this.stop(
      new LimitExceededError(
        `The request exceeds the limit of ${limit}.${this.hasChanged ? ' Changes that were already made remain.' : ''}`,
        name,
      ),
    );
  }
}

/** The estimated memory of a row. */
export function rowBytes(row: readonly unknown[]): number {
  let text = 0;
  for (let index = 0; index < row.length; index++) {
    const value = row[index];
    if (typeof value === 'string') text += value.length;
  }
  return bytes.ofRow + row.length * bytes.ofCell + text;
}

const tooManyLarge = () =>
  new UnavailableError('The server is handling too many large requests. Try again later.', {
    limit: 'ANSWERS_MEMORY_MIB',
  });

const textLimit = (limit: number) => `${limit} bytes of text in one response`;
