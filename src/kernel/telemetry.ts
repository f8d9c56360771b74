import type { ErrorCode } from './error-codes.ts';
import type { ApiError, LimitName } from './errors.ts';
import type { Explain } from './explain.ts';
import type { RequestStatements } from './statements.ts';

/** The part of the server that answers a request. */
export type SurfaceName = 'graphql' | 'rest' | 'mcp' | 'store' | 'probe' | 'page';

/** Facts about a request that are collected while it is processed, for its log entry and for telemetry. */
export interface RequestFacts {
  /** The name of the GraphQL operation, or the id of the REST operation. */
  operationName?: string | undefined;
  isDocumentCached?: boolean;
  /** The id of the trusted document that is executed. */
  documentId?: string | undefined;
  operationType?: 'query' | 'mutation' | 'subscription';
  /** The text of the GraphQL document. */
  document?: string;
  /** Recorded if slow requests are logged, or if the request asks what it costs. */
  statements?: RequestStatements;
  /** Set if the request asks what it costs. */
  explain?: Explain;
  /** The id of its trace, if it is traced. */
  traceId?: string;
  /** The codes of the errors in the response, each once. */
  errorCodes?: ErrorCode[];
  /** The limits that the request has reached, each once. */
  limits?: LimitName[];
}

export type OperationFacts = Pick<RequestFacts, 'operationName' | 'operationType' | 'documentId'>;

/** Further facts about measured work: the size of a batch, or the executed operation. */
export type MeasuredDetails = OperationFacts & { keys?: number };

/** A request whose headers have arrived. */
export interface ArrivedRequest {
  surface: SurfaceName;
  method: string;
  path: string;
  requestId: string;
  headers: { readonly [name: string]: string | string[] | undefined };
  facts: RequestFacts;
}

/** A request whose response is closed. */
export interface EndedRequest {
  status: number;
  seconds: number;
  /** Whether the whole response was sent. */
  isAnswered: boolean;
  /** Whether the response was a stream of events, which ends when the client leaves. */
  isStream: boolean;
}

/**
 * Work that is measured: the execution of a GraphQL operation; a statement on a connection for reads (`read`) or in a transaction (`write`), with its text
 * as the name; a transaction; a batch of keys that a request reads at once; a call to an app store or a cluster.
 */
export type MeasuredKind = 'operation' | 'read' | 'write' | 'transaction' | 'batch' | 'store' | 'driver';

export const cacheNames = ['documents', 'tokens', 'store'] as const;
export type CacheName = (typeof cacheNames)[number];

/**
 * Metrics, traces, or both, of a process while it works. Services have one only if a setting asks for it, so that nothing
 * is paid otherwise. Must not throw.
 */
export interface Telemetry {
  /** Calls `answer` at once. The result is called when the response is closed. */
  request(arrived: ArrivedRequest, answer: () => void): (ended: EndedRequest) => void;
  /** Runs the work and returns its result. */
  measure<T>(kind: MeasuredKind, name: string, work: () => Promise<T>, details?: MeasuredDetails): Promise<T>;
  lookup?(cache: CacheName, isHit: boolean): void;
  /** A limit that was reached outside of a request. */
  limitReached?(limit: LimitName): void;
  /** A request has used a field, an argument or a value that is deprecated. */
  deprecatedUse?(field: string): void;
  /** How long a transaction waited before its first statement. */
  transactionWaited?(seconds: number): void;
  /** The outcome of a call for a component of a job. */
  jobWork?(outcome: string): void;
  /** The outcome of an attempt to send a delivery to a webhook, and how long it took. */
  webhookDelivery?(outcome: string, seconds: number): void;
  /** Gives the number of open subscriptions, whenever somebody looks at it. */
  watchSubscriptions?(count: () => number): void;
  /** Headers of a request to another server, by which it continues the trace. */
  outgoingHeaders?(): Record<string, string>;
  /** Called when the process ends. */
  close?(): Promise<void>;
}

/** Adds the code of an error, and the limit that it reports, to what is known of the request. */
export function noteError(
  facts: RequestFacts | undefined,
  { code, limit }: Pick<ApiError, 'code' | 'limit'>,
): void {
  if (!facts) return;
  facts.errorCodes ??= [];
  if (!facts.errorCodes.includes(code)) facts.errorCodes.push(code);
  if (limit === undefined) return;
  facts.limits ??= [];
  if (!facts.limits.includes(limit)) facts.limits.push(limit);
}
