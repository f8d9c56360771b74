import { transactionOptions } from '../db/database.ts';
import type { Database } from '../db/open.ts';
import { defaultLimits } from '../kernel/limits.ts';
import type { Log } from '../kernel/log.ts';
import type { Seal } from '../kernel/seal.ts';
import type { HeldKeys, IdempotencySettings, KeyHolder, RequestScope } from './held-keys.ts';
import { removeExpired, renewKeys } from './records.ts';
import { IdempotentRequest } from './request.ts';

export const idempotencyDefaults: IdempotencySettings = {
  keepMs: 24 * 3_600_000,
  leaseMs: 5_000,
  holdMs: defaultLimits.requestTimeoutMs + transactionOptions.timeout,
  maxKeys: 10_000,
  maxBytes: 64 * 2 ** 20,
};

const longestSweepMs = 3_600_000;

interface Services {
  db: Database;
  seal: Seal;
  log: Log;
}

interface HeldKey {
  owner: string;
  scope: RequestScope;
  /** When its lease is no longer renewed, on the monotonic clock. */
  until: number;
  released: Promise<void>;
  release: () => void;
}

/** The requests with an Idempotency-Key of a gateway. */
export class Idempotency implements HeldKeys {
  readonly db: Database;
  readonly seal: Seal;
  readonly log: Log;
  readonly settings: IdempotencySettings;
  /** The requests that have keys, by the id of the key's record. */
  readonly #held = new Map<string, HeldKey>();
  #renewing: NodeJS.Timeout | undefined;
  #sweeping: NodeJS.Timeout | undefined;

  constructor({ db, seal, log }: Services, settings: Partial<IdempotencySettings> = {}) {
    this.db = db;
    this.seal = seal;
    this.log = log;
    this.settings = { ...idempotencyDefaults, ...settings };
  }

  /** Starts to delete old answers from time to time. */
  start(): void {
    const { keepMs } = this.settings;
    this.#sweeping = setInterval(() => this.#sweep(), Math.min(keepMs / 4, longestSweepMs)).unref();
  }

  stop(): void {
    clearInterval(this.#sweeping);
  }

  request(key: string, holder: KeyHolder, scope: RequestScope): IdempotentRequest {
    return new IdempotentRequest(this, key, holder, scope);
  }

  hold(id: string, owner: string, scope: RequestScope): void {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const until = performance.now() + this.settings.holdMs;
    this.#held.set(id, { owner, scope, until, released, release });
    this.#renewing ??= setInterval(() => this.#renew(), this.settings.leaseMs / 3).unref();
  }

  release(id: string, owner: string): void {
    const held = this.#held.get(id);
    // Another request of this gateway may have taken the key after the lease had expired.
    if (held?.owner !== owner) return;
    this.#held.delete(id);
    held.release();
    if (this.#held.size > 0) return;
    clearInterval(this.#renewing);
    this.#renewing = undefined;
  }

  released(id: string): Promise<void> {
    return this.#held.get(id)?.released ?? new Promise(() => {});
  }

  /** Renews the leases of requests that are in progress. Those of others expire, so that a repetition takes the key. */
  #renew(): void {
    const now = performance.now();
    for (const [id, { owner, scope, until }] of this.#held) {
      if (scope.isUnderWay && now < until) continue;
      this.log.warn(
        'the lease of an Idempotency-Key is not renewed, because its request did not end in time',
      );
      this.release(id, owner);
    }
    if (this.#held.size === 0) return;
    const owners = [...this.#held.values()].map(({ owner }) => owner);
    renewKeys(this.db, owners, this.settings.leaseMs).catch((error) =>
      this.log.warn({ error }, 'the leases of Idempotency-Keys were not renewed'),
    );
  }

  #sweep(): void {
    removeExpired(this.db, this.settings.keepMs).catch((error) =>
      this.log.warn({ error }, 'old answers to requests with an Idempotency-Key were not deleted'),
    );
  }
}
