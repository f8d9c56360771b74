import type { Database, Transaction } from './db/open.ts';
import type { Drivers } from './drivers/drivers.ts';
import type { Actor, Right } from './kernel/access.ts';
import type { LoaderScope } from './kernel/batch.ts';
import type { RequestBudget } from './kernel/budget.ts';
import type { Log } from './kernel/log.ts';
import type { Seal } from './kernel/seal.ts';

/** What lives as long as the server does. */
export interface Services {
  db: Database;
  drivers: Drivers;
  seal: Seal;
  log: Log;
  /** Makes the aliases of components that come from templates; random ones when not set. */
  newAlias?(): string;
}

/** What an operation may use: the services, and who is asking. */
export interface Context extends Services, LoaderScope {
  actor: Actor;
  /** Who is asking as things stand now, after what this very request has changed; nobody when no longer accepted. */
  actorNow?(): Promise<Actor | undefined>;
  /** The same, read inside a transaction. */
  actorIn?(tx: Transaction): Promise<Actor | undefined>;
  /** What the operation that is under way has required of the actor. */
  rights?: Right[];
  requestId: string;
  /** What the request log will say of the GraphQL operation. */
  requestLog?: { operationName?: string; isDocumentCached?: boolean };
  /** The address of the client, as far as trusted proxies tell it. */
  clientAddress?: string;
  /** Aborted when the request passes its deadline, or when its caller is gone: reads stop then. */
  signal?: AbortSignal;
  /** What the request may still use; without it there is no limit. */
  budget?: RequestBudget;
}
