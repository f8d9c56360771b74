import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transaction } from '../db/open.ts';
import { type Actor, maySeeSome, type ObjectLocation, type RightsScope } from '../kernel/access.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import type { ErrorCode } from '../kernel/error-codes.ts';
import {
  ApiError,
  ConflictError,
  NotFoundError,
  RateLimitedError,
  UnavailableError,
} from '../kernel/errors.ts';
import { invalid } from '../kernel/validate.ts';
import type { HeldKeys, KeyHolder, RequestScope, StoredAnswer } from './held-keys.ts';
import { changedMeanwhile, isPassing, Outcomes, storedOutcome } from './outcomes.ts';
import { PendingChange } from './pending-change.ts';
import {
  claimKey,
  findKey,
  insertOutcomes,
  insertResult,
  releaseKey,
  removeExpired,
  removeKey,
  resultsOf,
  storeAnswer,
  usageOf,
} from './records.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url');

/** The largest answer that is stored. Others are made again. */
const maxStoredBytes = 65_536;

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
  readonly #holder: KeyHolder;
  readonly #scope: RequestScope;
  readonly #owner = randomUUID();
  #id = '';
  #hasKey = false;
  /** Whether the first answer was too large to be stored, and is made again. */
  #isMadeAgain = false;
  readonly #outcomes: Outcomes;
  #pending: PendingChange | undefined;

  constructor(shared: HeldKeys, key: string, holder: KeyHolder, scope: RequestScope) {
    this.#shared = shared;
    this.#key = key;
    this.#holder = holder;
    this.#scope = scope;
    this.#outcomes = new Outcomes(shared.seal);
  }

  /** Whether `begin` was called: requests that change nothing ignore their key. */
  get hasBegun(): boolean {
    return this.#id !== '';
  }

  /** Whether all changes were made by earlier requests, so that the answer is theirs. */
  get isRepeated(): boolean {
    const { stored, hasRun } = this.#outcomes;
    return this.stored !== undefined || this.#isMadeAgain || (stored.size > 0 && !hasRun);
  }

  /**
   * Call before anything is executed. Takes the key, waits while another request has it, or sets `stored`. CONFLICT if the
   * key was used for another input.
   */
  async begin(input: object): Promise<void> {
    if (!/^[\x21-\x7e]{1,255}$/.test(this.#key)) {
      throw invalid(['Idempotency-Key'], 'Must be 1 to 255 visible ASCII characters');
    }
    const hash = sha256(canonicalJson(input));
    this.#id = sha256(`${this.#holder.tokenId} ${this.#key}`);
    await this.#requireRoom();
    while (!((await this.#take(hash)) || (await this.#awaitAnswer(hash)))) {}
  }

  /** RATE_LIMITED if as much is stored for the user as may be, unless the key is known. */
  async #requireRoom(): Promise<void> {
    const { db, settings } = this.#shared;
    const { keys, bytes, oldestMs } = await usageOf(db, this.#holder);
    const isFull = keys >= settings.maxKeys;
    if (!isFull && bytes < settings.maxBytes) return;
    if (await findKey(db, this.#id, settings.leaseMs)) return;
    const limit = isFull ? 'IDEMPOTENCY_KEYS_PER_USER' : 'IDEMPOTENCY_MIB_PER_USER';
    const most = isFull ? `${keys} Idempotency-Keys` : `${bytes} bytes for Idempotency-Keys`;
    throw new RateLimitedError(
      `${most} of this user are stored, which is the limit. Try again later, or send the request without a key.`,
      Math.max(Math.ceil((settings.keepMs - oldestMs) / 1000), 1),
      limit,
    );
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
    const taken = await claimKey(db, { ...at, sealedInput, holder: this.#holder }, settings.leaseMs);
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
    this.#outcomes.stored = await resultsOf(db, this.#id);
    return true;
  }

  /** Waits until the key is free or has an answer. Whether it has one. */
  async #awaitAnswer(hash: string): Promise<boolean> {
    const { db, seal, settings } = this.#shared;
    for (let waitMs = poll.minMs; ; waitMs = Math.min(2 * waitMs, poll.maxMs)) {
      const key = await findKey(db, this.#id, settings.leaseMs);
      if (!key) return false;
      if (key.ageMs > settings.keepMs) {
        await removeExpired(db, settings.keepMs, this.#id);
        return false;
      }
      this.#requireSameInput(hash, key.sealedInput);
      if (key.sealedAnswer !== null) {
        const answer = JSON.parse(seal.open(key.sealedAnswer)) as StoredAnswer | { body: undefined };
        if (answer.body !== undefined) this.stored = answer;
        else {
          this.#isMadeAgain = true;
          this.#outcomes.stored = await resultsOf(db, this.#id);
        }
        return true;
      }
      if (!key.isHeld) return false;
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

  /** Whether the outcome of an operation is that of an earlier request. */
  hasStored(path: string): boolean {
    return this.#outcomes.stored.has(path);
  }

  /**
   * Runs an operation that makes at most one change, unless an earlier request has made it: then returns its result. NOT_FOUND if the
   * actor may no longer see where its object is, because what the answer has beside the result is read again.
   */
  async once<R>(
    path: string,
    scope: Pick<RightsScope, 'actor' | 'place'>,
    run: () => Promise<R>,
  ): Promise<R> {
    const outcomes = this.#outcomes;
    const outcome = outcomes.find(path);
    if (outcome) {
      await this.#requireVisible(scope.actor, outcome.place);
      return outcome.result as R;
    }
    outcomes.hasRun = true;
    const pending = new PendingChange(async (tx, result) => {
      if (this.#isMadeAgain) throw changedMeanwhile();
      const sealedResult = storedOutcome(this.#shared.seal, { result, place: scope.place ?? null });
      const at = { id: this.#id, owner: this.#owner, path, sealedResult };
      if (!(await insertResult(this.#shared.db, tx, at))) throw lost();
    });
    this.#pending = pending;
    try {
      const result = await pending.settle(run);
      outcomes.succeeded();
      return result;
    } catch (error) {
      const code = error instanceof ApiError ? error.code : 'INTERNAL';
      this.note(code);
      if (error instanceof ApiError && !isPassing(code)) outcomes.refused(path, error);
      throw error;
    } finally {
      this.#pending = undefined;
    }
  }

  /** Refuses a stored answer whose object the actor may no longer see. A deleted object is not refused. */
  async #requireVisible(actor: Actor, place: ObjectLocation | null): Promise<void> {
    if (!place || maySeeSome(actor, place)) return;
    const { teamId, applicationId } = place;
    const { db } = this.#shared;
    const found =
      applicationId != null
        ? await db.application.findManyByKeys({ by: 'id', keys: [applicationId], fields: ['id'] })
        : await db.team.findManyByKeys({ by: 'id', keys: teamId ? [teamId] : [], fields: ['id'] });
    if (found.length > 0) throw new NotFoundError('object');
  }

  /** Makes a change of the operation that `once` runs. Resolves before the commit. */
  change<T>(transact: (keep: (tx: Transaction, changed: T) => Promise<void>) => Promise<T>): Promise<T> {
    if (!this.#pending)
      throw new Error('A change of a request with an Idempotency-Key must be made in `once`.');
    return this.#pending.change(transact);
  }

  /** Records a failure in the answer. The answer is not stored if it may not happen again. */
  note(code: ErrorCode): void {
    if (isPassing(code)) this.#outcomes.hasPassingFailure = true;
  }

  /**
   * Stores the answer, or what it takes to make it again. Call before it is sent. UNAVAILABLE if that fails, or if another
   * gateway is making the answer: what is sent is what a repetition gets.
   */
  async finish(answer: StoredAnswer): Promise<void> {
    if (!this.#hasKey) return;
    let isStored: boolean;
    try {
      isStored = await this.#store(answer);
    } catch (error) {
      throw new UnavailableError(
        'The response could not be stored. Send the request again with the same Idempotency-Key.',
        { cause: error },
      );
    }
    if (!isStored) throw lost();
  }

  async #store(answer: StoredAnswer): Promise<boolean> {
    const { db, seal } = this.#shared;
    const at = { id: this.#id, owner: this.#owner };
    const outcomes = this.#outcomes;
    // A repetition executes what has failed, and nothing that was refused.
    if (outcomes.hasPassingFailure) {
      const { refusals } = outcomes;
      return refusals.size === 0 || insertOutcomes(db, at, refusals);
    }
    let isStored = true;
    if (outcomes.isRefusedEarly) await removeKey(db, at);
    else {
      const { status, mediaType, body } = answer;
      const isLarge = body.length > maxStoredBytes || Buffer.byteLength(body) > maxStoredBytes;
      const text = JSON.stringify(isLarge ? { status, mediaType } : answer);
      isStored = await storeAnswer(db, at, seal.close(text), isLarge ? outcomes.refusals : undefined);
    }
    this.#letGo();
    return isStored;
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
