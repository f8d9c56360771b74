import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Database, Transaction } from './db/open.ts';
import type { Drivers } from './drivers/drivers.ts';
import type { IdempotentRequest } from './idempotency/request.ts';
import type { Actor, ObjectLocation, Right } from './kernel/access.ts';
import type { LoaderScope } from './kernel/batch.ts';
import type { RequestBudget } from './kernel/budget.ts';
import type { ApiError, Issue } from './kernel/errors.ts';
import type { LimitValue } from './kernel/limit-values.ts';
import type { Log } from './kernel/log.ts';
import type { Seal } from './kernel/seal.ts';
import type { RequestFacts, Telemetry } from './kernel/telemetry.ts';
import type { Feeds } from './live/feeds.ts';

/** A change that the caller may not make. */
export interface RefusedChange {
  actor: Actor;
  requestId: string;
  /** The name of the mutation, or of the operation of the contract. */
  name: string;
  isDryRun: boolean;
  /** Where its object is. Undefined if that is not known, or belongs to no team. */
  place: ObjectLocation | undefined;
}

/** A document that is executed for an event. */
interface StoredDocument {
  document: string;
  /** The variables of the document, with the global id of the event as `event`. */
  variables: Record<string, unknown>;
  serviceAccountId: string;
  /** Aborts the execution. */
  signal?: AbortSignal;
}

/** The services of a process, which live as long as the server. */
export interface Services {
  db: Database;
  /** The subscriptions of this process. */
  feeds: Feeds;
  drivers: Drivers;
  seal: Seal;
  log: Log;
  /** Watches the process. Absent unless metrics or traces are on. */
  telemetry?: Telemetry | undefined;
  /** Carries out jobs. Woken after a commit that left one; without it, jobs stay pending. */
  jobs?: { wake(regionId: string): void; start(): void; stop(timeoutMs: number): Promise<void> };
  /** Gives runs to clusters. Woken after a commit that left one; without it, runs stay pending. */
  runs?: { wake(): void; start(): void; stop(timeoutMs: number): Promise<void> };
  /** Makes the snapshots of schedules. Without it, their times pass. */
  snapshots?: { start(): void; stop(timeoutMs: number): Promise<void> };
  /** Has put back what others change in clusters. Without it, that stays until the next deploy. */
  reconciler?: { start(): void; stop(timeoutMs: number): Promise<void> };
  /** Records changes that callers may not make. Without it, they are not recorded. */
  refusals?: { add(refused: RefusedChange): void; stop(): Promise<void> };
  /** Seals the record, and deletes old events and jobs. Without it, nothing of that happens. */
  upkeep?: { start(): void; stop(timeoutMs: number): Promise<void> };
  /** The entry of this process among the running gateways. `check` throws if it must not serve requests. Without it, there is none. */
  gateway?: { check(): Promise<unknown>; start(): void; stop(timeoutMs: number): Promise<void> };
  /** Counts the use of deprecated fields, with the id of the access token if there is one. Without it, nothing is counted. */
  deprecatedUses?: {
    count(tokenId: string | null, fields: readonly string[]): void;
    start(): void;
    stop(timeoutMs: number): Promise<void>;
  };
  /**
   * Executes a stored document with the rights of a service account, for an event. Absent where nothing is sent to webhooks.
   */
  executeDocument?(request: StoredDocument): Promise<ExecutionResult>;
  /** Sends deliveries to webhooks. Woken by commits; without it, deliveries stay pending. */
  webhooks?: { wake(): void; start(): void; stop(timeoutMs: number): Promise<void> };
  /** Creates aliases for components of templates. Defaults to random aliases. */
  newAlias?(): string;
  /** Creates the id of a component of a template from its alias. Defaults to random ids. */
  newComponentId?(alias: string): string;
}

/** The stream of items that is the response to a subscription. */
export interface ItemStream {
  /** The id of the last item that the client has received, if it was connected before. */
  lastEventId: string | undefined;
  /** The id of the next item; at first that of the position where the stream begins, if the client has none. */
  itemId: string | undefined;
  /** Counts the stream. Throws if there are too many. Calls the function once when the stream ends, with the reason. */
  begin(ended: (reason: ApiError) => void): void;
  hasEnded: boolean;
  /** Resolves after this time, or when the stream ends. */
  pause(ms: number): Promise<void>;
}

/** The context of an operation: the services and the caller. */
export interface Context extends Services, LoaderScope {
  actor: Actor;
  /** Re-reads the actor, so that earlier mutations in the request count. Null if the token is no longer accepted. */
  actorNow?(): Promise<Actor | undefined>;
  /** Re-reads the actor inside a transaction. */
  actorIn?(tx: Transaction): Promise<Actor | undefined>;
  /** The rights that the current operation has required. */
  rights?: Right[];
  /** Where the object is whose rights the current operation has required last. */
  place?: ObjectLocation | undefined;
  requestId: string;
  /** Facts about the request, for its log entry and for telemetry. */
  facts?: RequestFacts | undefined;
  /** The errors that mutations have returned and of which the document selects nothing. */
  unselectedErrors?: GraphQLError[];
  /** The IP address of the client, from trusted proxies if configured. */
  clientAddress?: string;
  /** The origin at which callers reach this gateway, if it is known. */
  readonly origin?: string | undefined;
  /** Aborted at the deadline of the request or when the client disconnects, which stops reads. */
  signal?: AbortSignal;
  /** Set if the response may be a stream of items. */
  stream?: ItemStream;
  /** Counts an item of a stream. Returns how long it has to wait, in ms, and does not count it, if there were too many. */
  countItem?(): Promise<number>;
  /** When it has to be checked whether the request is still accepted, if nothing else happens. */
  checkAt?: Date | null;
  /** The context for an item of a stream, with loaders and a budget of its own, which the caller has to end. */
  forItem?(actor: Actor, db: Database): Context;
  /** Checks a GraphQL document that is stored, and its variables, against the schema, which concepts cannot import. */
  checkDocument?(document: string, variables: Record<string, unknown>): Issue[];
  limits?: readonly LimitValue[];
  /** The budget of the request. Without it, there are no limits. */
  budget?: RequestBudget;
  /** Set for requests with an Idempotency-Key. */
  idempotency?: IdempotentRequest;
}
