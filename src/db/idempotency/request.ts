import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, ConflictError, type ErrorCode, UnavailableError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { Seal } from '../../kernel/seal.ts';
import { readStoredValue, storedValue } from '../../kernel/stored-value.ts';
import { invalid } from '../../kernel/validate.ts';
import type { Database, Transaction } from '../open.ts';
import { PendingChange } from './pending-change.ts';
import {
  claimKey,
  findKey,
  insertResult,
  releaseKey,
  removeExpired,
  resultsOf,
  storeAnswer,
} from './records.ts';

/** An answer as it was sent. */
export interface StoredAnswer {
  status: number;
  mediaType: string;
  body: string;
  /** The entity tag of the changed object in REST. */
  etag?: string | undefined;
}

export interface IdempotencySettings {
  /** How long answers are kept. */
  keepMs: number;
  /** How long a request holds its key unless the gateway renews it, which it does while the request is in progress. */
  leaseMs: number;
  /** How long the lease of a request is renewed: at least its time limit and a commit. */
  holdMs: number;
}

/** The request that a key belongs to. */
export interface RequestScope {
  signal: AbortSignal;
  /** Whether work for the request can still be in progress. */
  isUnderWay: boolean;
}

/** The keys that the requests of a gateway hold. */
export interface HeldKeys {
  db: Database;
  seal: Seal;
  log: Log;
  settings: IdempotencySettings;
  /** Renews the lease of a key until it is released, or its request can no longer be in progress. */
  hold(id: string, owner: string, scope: RequestScope): void;
  release(id: string, owner: string): void;
  /** Resolves when a request of this gateway releases the key. Never if none has it. */
  released(id: string): Promise<void>;
}

/** Failures that may not happen again when the request is repeated: these are not stored. */
const passing = new Set<ErrorCode>([
  'UNAUTHENTICATED',
  'RATE_LIMITED',
  'UNAVAILABLE',
  'STORE_UNAVAILABLE',
  'REGISTRY_UNAVAILABLE',
  'REGION_UNAVAILABLE',
  'INTERNAL',
]);

export const isPassing = (code: ErrorCode): boolean => passing.has(code);

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url');

/** The same text for equal JSON values, whatever the order of their fields. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );

/** How often the database is asked whether another gateway has answered, in ms. */
const poll = { minMs: 20, maxMs: 250 };

const lost = () =>
  new UnavailableError('Another gateway is answering the request with this Idempotency-Key. Send it again.');

/**
 * A request with an Idempotency-Key. What its changes return is stored in their transactions, and its answer before it
 * is sent, so that a repetition changes nothing and has the same answer.
 */
export class IdempotentRequest {
  /** The answer to an earlier request with the key, once `begin` has found one. */
  stored: StoredAnswer | undefined;
  readonly #shared: HeldKeys;
  readonly #key: string;
  readonly #tokenId: string;
  readonly #scope: RequestScope;
  readonly #owner = randomUUID();
  #id = '';
  #hasKey = false;
  #hasPassingFailure = false;
  #hasRun = false;
  #results: ReadonlyMap<string, string> = new Map();
  #pending: PendingChange | undefined;

  constructor(shared: HeldKeys, key: string, tokenId: string, scope: RequestScope) {
    this.#shared = shared;
    this.#key = key;
    this.#tokenId = tokenId;
    this.#scope = scope;
  }

  /** Whether `begin` was called: requests that change nothing ignore their key. */
  get hasBegun(): boolean {
    return this.#id !== '';
  }

  /** Whether all changes were made by earlier requests, so that the answer is theirs. */
  get isRepeated(): boolean {
    return this.stored !== undefined || (this.#results.size > 0 && !this.#hasRun);
  }

  /**
   * Call before anything is executed. Takes the key, waits while another request has it, or sets `stored`. CONFLICT if the
   * key was used for another input.
   */
  async begin(input: object): Promise<void> {
    if (!/^[\x21-\x7e]{1,255}$/.test(this.#key)) {
      throw invalid(['Idempotency-Key'], 'Must be 1 to 255 visible ASCII characters');
    }
    const hash = sha256(canonical(input));
    this.#id = sha256(`${this.#tokenId} ${this.#key}`);
    while (!((await this.#take(hash)) || (await this.#awaitAnswer(hash)))) {}
  }

  #requireSameInput(hash: string, sealedInput: string): void {
    if (this.#shared.seal.open(sealedInput) === hash) return;
    throw new ConflictError('The Idempotency-Key was used for another request. Use a new key.');
  }

  /** Whether the request has the key now. What changes of an earlier attempt returned is known then. */
  async #take(hash: string): Promise<boolean> {
    const { db, seal, settings } = this.#shared;
    const sealedInput = seal.close(hash);
    const at = { id: this.#id, owner: this.#owner };
    const taken = await claimKey(db, { ...at, sealedInput }, settings.leaseMs);
    if (!taken) return false;
    this.#hasKey = true;
    this.#shared.hold(this.#id, this.#owner, this.#scope);
    if (taken.sealedInput === sealedInput) return true;
    if (taken.ageMs > settings.keepMs) {
      await removeExpired(db, settings.keepMs, this.#id);
      this.#letGo();
      return false;
    }
    this.#requireSameInput(hash, taken.sealedInput);
    this.#results = await resultsOf(db, this.#id);
    return true;
  }

  /** Waits until the key is free or has an answer. Whether it has one. */
  async #awaitAnswer(hash: string): Promise<boolean> {
    const { db, seal, settings } = this.#shared;
    for (let waitMs = poll.minMs; ; waitMs = Math.min(2 * waitMs, poll.maxMs)) {
      const found = await findKey(db, this.#id, settings.leaseMs);
      if (!found) return false;
      if (found.ageMs > settings.keepMs) {
        await removeExpired(db, settings.keepMs, this.#id);
        return false;
      }
      this.#requireSameInput(hash, found.sealedInput);
      if (found.sealedAnswer !== null) {
        this.stored = JSON.parse(seal.open(found.sealedAnswer));
        return true;
      }
      if (!found.isHeld) return false;
      await this.#wait(waitMs);
    }
  }

  async #wait(ms: number): Promise<void> {
    const { signal } = this.#scope;
    const timer = new AbortController();
    const stop = () => timer.abort();
    signal.addEventListener('abort', stop);
    const slept = sleep(ms, undefined, { signal: timer.signal }).catch(() => {});
    await Promise.race([slept, this.#shared.released(this.#id)]);
    stop();
    signal.removeEventListener('abort', stop);
    signal.throwIfAborted();
  }

  /** Runs an operation that makes at most one change, unless an earlier request has made it: then returns its result. */
  async once<R>(path: string, run: () => Promise<R>): Promise<R> {
    const known = this.#results.get(path);
    if (known !== undefined) return readStoredValue(this.#shared.seal, known) as R;
    this.#hasRun = true;
    const pending = new PendingChange(async (tx, result) => {
      const sealedResult = storedValue(this.#shared.seal, result);
      const at = { id: this.#id, owner: this.#owner, path, sealedResult };
      if (!(await insertResult(this.#shared.db, tx, at))) throw lost();
    });
    this.#pending = pending;
    try {
      return await pending.settle(run);
    } catch (error) {
      this.note(error instanceof ApiError ? error.code : 'INTERNAL');
      throw error;
    } finally {
      this.#pending = undefined;
    }
  }

  /** Makes a change of the operation that `once` runs. Resolves before the commit. */
  change<T>(transact: (keep: (tx: Transaction, changed: T) => Promise<void>) => Promise<T>): Promise<T> {
    if (!this.#pending)
      throw new Error('A change of a request with an Idempotency-Key must be made in `once`.');
    return this.#pending.change(transact);
  }

  /** Records a failure in the answer. The answer is not stored if it may not happen again. */
  note(code: ErrorCode): void {
    if (isPassing(code)) this.#hasPassingFailure = true;
  }

  /** Stores the answer. Call before it is sent. UNAVAILABLE if another gateway is making the answer. */
  async finish(answer: StoredAnswer): Promise<void> {
    if (!this.#hasKey || this.#hasPassingFailure) return;
    const { db, seal, log } = this.#shared;
    let isStored = true;
    try {
      const at = { id: this.#id, owner: this.#owner };
      isStored = await storeAnswer(db, at, seal.close(JSON.stringify(answer)));
    } catch (error) {
      // The change is made, so the answer is sent. A repetition makes it again from the results.
      log.warn({ error }, 'the answer to a request with an Idempotency-Key was not stored');
      return;
    }
    this.#letGo();
    if (!isStored) throw lost();
  }

  /** Call when the request has ended, however it did. */
  async end(): Promise<void> {
    if (!this.#hasKey) return;
    const { db, log } = this.#shared;
    await releaseKey(db, { id: this.#id, owner: this.#owner }).catch((error) =>
      // Others take the key when the lease has expired.
      log.warn({ error }, 'an Idempotency-Key was not released'),
    );
    this.#letGo();
  }

  #letGo(): void {
    this.#hasKey = false;
    this.#shared.release(this.#id, this.#owner);
  }
}
