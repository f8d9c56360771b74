import type { Database } from '../db/open.ts';
import type { Log } from '../kernel/log.ts';
import type { Seal } from '../kernel/seal.ts';

/** An answer as it was sent. */
export interface StoredAnswer {
  status: number;
  mediaType: string;
  body: string;
  /** The entity tag of the changed object in REST. */
  etag?: string | undefined;
}

export interface IdempotencySettings {
  /** How long responses are stored. */
  keepMs: number;
  /** How long a request holds its key unless the gateway renews it, which it does while the request is in progress. */
  leaseMs: number;
  /** How long the lease of a request is renewed: at least its time limit and a commit. */
  holdMs: number;
  /** The most keys of one user. */
  maxKeys: number;
  /** The most bytes that are stored for the keys of one user. */
  maxBytes: number;
}

export interface KeyHolder {
  tokenId: string;
  userId: number | null;
  /** The service account, or the deploy hook. */
  serviceAccountId: string | null;
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
