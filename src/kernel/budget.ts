import { type ApiError, LimitExceededError, UnavailableError } from './errors.ts';
import type { Limits } from './limits.ts';
import type { SharedMemory } from './memory.ts';

/** What the parts of an answer are estimated to take in memory until it was sent. */
const bytes = { ofValue: 48, ofText: 4, ofRow: 150, ofCell: 24 };

/** Memory is reserved in steps of this size; the first of them is every request's own. */
const stepBytes = 256 * 1024;

/** How much longer a request may take whose change was committed shortly before its time was over. */
const graceMs = 5_000;

/**
 * What one request may still use: time, values, text and memory. Whoever works for the request looks at `signal`,
 * which is aborted with `failure` as its reason once the request has used up one of them.
 */
export class RequestBudget {
  /** Why the request was stopped, once it was. */
  failure: ApiError | undefined;
  /** Told when the request is stopped. An object: a closure for each request would keep V8 from freeing it soon. */
  running: { stop(): void } | undefined;
  /** Reads that wait until the answer has gone on: they are asked for together. */
  held: (() => void)[] | undefined;
  readonly #limits: Limits;
  readonly #memory: SharedMemory;
  #controller = new AbortController();
  #timer: NodeJS.Timeout;
  #values = 0;
  #text = 0;
  #bytes = 0;
  #reserved = stepBytes;
  #isLate = false;
  #isChanging = false;
  #hasChanged = false;
  #hasEnded = false;

  constructor(limits: Limits, memory: SharedMemory) {
    this.#limits = limits;
    this.#memory = memory;
    this.#timer = setTimeout(() => this.#late(), limits.requestTimeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Counts what was put into the answer. Throws when that is more than one answer may hold. */
  count(values: number, text: number): void {
    this.#values += values;
    this.#text += text;
    const { values: mostValues, textBytes } = this.#limits;
    if (this.#values > mostValues) this.#refuse(`${mostValues} values in one response`);
    if (this.#text > textBytes) this.#refuse(textLimit(textBytes));
    this.#reserve(values * bytes.ofValue + text * bytes.ofText);
  }

  /** Throws when the answer would hold too much text with what is about to be read. */
  expectText(length: number): void {
    if (this.#text + length > this.#limits.textBytes) this.#refuse(textLimit(this.#limits.textBytes));
    this.#reserve(length);
  }

  /** Throws when the text of the answer, now that it is written, is longer than it may be. */
  requireText(length: number): void {
    if (length > this.#limits.textBytes) this.#refuse(textLimit(this.#limits.textBytes));
  }

  /** Counts rows that were read: they stay in memory until the answer was sent. */
  countRows(rows: readonly unknown[][]): void {
    const cells = rows[0]?.length ?? 0;
    let text = 0;
    for (const row of rows) {
      for (let index = 0; index < cells; index++) {
        const value = row[index];
        if (typeof value === 'string') text += value.length;
      }
    }
    this.#reserve(rows.length * (bytes.ofRow + cells * bytes.ofCell) + text);
  }

  /** Reserves memory until the answer was sent. Throws when all answers together would take too much. */
  reserve(size: number): void {
    this.#reserve(size);
  }

  #reserve(size: number): void {
    this.#bytes += size;
    if (this.#bytes <= this.#reserved) return;
    const more = Math.ceil((this.#bytes - this.#reserved) / stepBytes) * stepBytes;
    // No other time would do for what takes more than there is.
    if (this.#reserved + more > this.#limits.answersBytes) {
      this.#refuse(`${Math.floor(this.#limits.answersBytes / 2 ** 20)} MiB of memory for one response`);
    }
    if (this.#hasEnded || !this.#memory.take(more)) {
      throw this.stop(
        new UnavailableError('The server is building too many large responses. Try again later.'),
      );
    }
    this.#reserved += more;
  }

  #refuse(limit: string): never {
    throw this.stop(
      new LimitExceededError(
        `The request exceeds the limit of ${limit}.${this.#hasChanged ? ' Changes that were already made remain.' : ''}`,
      ),
    );
  }

  /** Stops all work for the request. A change whose transaction is open is waited for: it may be made. */
  stop(failure: ApiError): ApiError {
    if (this.failure) return this.failure;
    this.failure = failure;
    this.#controller.abort(failure);
    if (!this.#isChanging) this.running?.stop();
    return failure;
  }

  #late(): void {
    this.#isLate = true;
    // What was changed is answered as changed.
    if (this.#hasChanged && !this.#isChanging) this.#timer = setTimeout(() => this.#stopLate(), graceMs);
    else this.#stopLate();
  }

  #stopLate(): void {
    const seconds = this.#limits.requestTimeoutMs / 1000;
    const changed = this.#hasChanged ? ' Changes that were already made remain.' : '';
    this.stop(new UnavailableError(`The request took longer than ${seconds} s and was stopped.${changed}`));
  }

  /** To be called before a transaction begins. Throws when there is no time for it. */
  beginChange(): void {
    if (this.#isLate) this.#stopLate();
    if (this.failure) throw this.failure;
    this.#isChanging = true;
  }

  /** To be called when a transaction has ended. */
  endChange(isCommitted: boolean): void {
    this.#isChanging = false;
    if (isCommitted) this.#hasChanged = true;
    if (!this.failure) return;
    if (isCommitted && this.#isLate && !this.#hasEnded) {
      this.failure = undefined;
      this.#controller = new AbortController();
      this.#timer = setTimeout(() => this.#stopLate(), graceMs);
    } else {
      this.running?.stop();
    }
  }

  /** The value, or the failure as soon as the request is stopped. */
  race<T>(value: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.running = { stop: () => reject(this.failure) };
      value.then(resolve, reject);
      if (this.failure) reject(this.failure);
    });
  }

  /** To be called when the answer was sent, or will never be, since its caller is gone. */
  end(isAnswered: boolean): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#memory.give(this.#reserved - stepBytes);
    if (!isAnswered) this.stop(new UnavailableError('The client closed the connection.'));
    // What was made for the request is not kept by what outlives it.
    this.running = undefined;
    this.held = undefined;
  }
}

const textLimit = (limit: number) => `${limit} bytes of text in one response`;
