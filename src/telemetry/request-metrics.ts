import { Counter, Histogram, type Registry } from 'prom-client';
import { errorStatus } from '../kernel/error-codes.ts';
import type { ArrivedRequest, EndedRequest, RequestFacts, SurfaceName } from '../kernel/telemetry.ts';
import { durationBounds } from './duration-bounds.ts';

/** How a request ended: `refused` for mistakes of the caller, `failed` for all that the caller is not to blame for. */
type RequestOutcome = 'ok' | 'refused' | 'failed' | 'aborted';

/** The operations of one surface that have series of their own. Further ones are counted together. */
const maxOperations = 100;

/**
 * Counts requests. Clients choose the names of GraphQL operations, and so a name gets series of its own only if its
 * document is sent again, and only so many names do.
 */
export class RequestMetrics {
  readonly #requests: Counter<'surface' | 'operation' | 'outcome'>;
  readonly #durations: Histogram<'surface' | 'operation'>;
  readonly #graphql: Counter<
    'graphql_operation_name' | 'graphql_operation_type' | 'graphql_document_id' | 'outcome'
  >;
  readonly #errors: Counter<'surface' | 'code'>;
  readonly #limits: Counter<'limit'>;
  readonly #deprecated: Counter<'field'>;
  readonly #operations: Record<SurfaceName, Set<string>> = {
    graphql: new Set(),
    rest: new Set(),
    mcp: new Set(),
    store: new Set(),
    probe: new Set(),
    page: new Set(),
  };
  inProgress = 0;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#requests = new Counter({
      name: 'trellis_http_requests_total',
      help: 'Requests, by how they ended.',
      labelNames: ['surface', 'operation', 'outcome'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'trellis_http_request_duration_seconds',
      help: 'The time from the headers of a request to the end of its response. Streams of events are not counted.',
      labelNames: ['surface', 'operation'],
      buckets: durationBounds,
      registers,
    });
    this.#graphql = new Counter({
      name: 'trellis_graphql_operations_total',
      help: 'GraphQL operations of all surfaces. Those of trusted documents have names and ids.',
      labelNames: ['graphql_operation_name', 'graphql_operation_type', 'graphql_document_id', 'outcome'],
      registers,
    });
    this.#errors = new Counter({
      name: 'trellis_errors_total',
      help: 'Requests whose response has an error with the code.',
      labelNames: ['surface', 'code'],
      registers,
    });
    this.#limits = new Counter({
      name: 'trellis_limits_reached_total',
      help: 'Requests, and connections, that a limit has stopped, by the setting that raises the limit.',
      labelNames: ['limit'],
      registers,
    });
    this.#deprecated = new Counter({
      name: 'trellis_deprecated_uses_total',
      help: 'Requests that have used a field, an argument or a value that is deprecated.',
      labelNames: ['field'],
      registers,
    });
  }

  begin({ surface, facts }: ArrivedRequest): (ended: EndedRequest) => void {
    this.inProgress++;
    return (ended) => this.#end(surface, facts, ended);
  }

  limitReached(limit: string): void {
    this.#limits.inc({ limit });
  }

  /** Without the access token, because there can be any number of tokens: each lists its own uses. */
  deprecatedUse(field: string): void {
    this.#deprecated.inc({ field });
  }

  #end(surface: SurfaceName, facts: RequestFacts, ended: EndedRequest): void {
    this.inProgress--;
    const operation = this.#operationOf(surface, facts);
    const outcome = outcomeOf(facts, ended);
    this.#requests.inc({ surface, operation, outcome });
    this.#countOperation(facts, outcome);
    if (!ended.isStream) this.#durations.observe({ surface, operation }, ended.seconds);
    for (const code of facts.errorCodes ?? []) this.#errors.inc({ surface, code });
    for (const limit of facts.limits ?? []) this.limitReached(limit);
  }

  /** Clients choose the names of operations, and so only those of trusted documents are labels. */
  #countOperation({ operationType, operationName, documentId }: RequestFacts, outcome: RequestOutcome) {
    if (operationType === undefined) return;
    this.#graphql.inc({
      graphql_operation_name: (documentId === undefined ? undefined : operationName) ?? 'other',
      graphql_operation_type: operationType,
      graphql_document_id: documentId ?? 'none',
      outcome,
    });
  }

  #operationOf(
    surface: SurfaceName,
    { operationName = 'none', isDocumentCached, documentId }: RequestFacts,
  ): string {
    const known = this.#operations[surface];
    const isFree = surface !== 'graphql' || operationName === 'none' || documentId !== undefined;
    const isNamed = isFree || known.has(operationName) || (isDocumentCached && known.size < maxOperations);
    if (!isNamed) return 'other';
    known.add(operationName);
    return operationName;
  }
}

function outcomeOf({ errorCodes = [] }: RequestFacts, { status, isAnswered }: EndedRequest): RequestOutcome {
  if (!isAnswered) return 'aborted';
  if (status >= 500 || errorCodes.some((code) => errorStatus[code] >= 500)) return 'failed';
  return status >= 400 || errorCodes.length > 0 ? 'refused' : 'ok';
}
