import type { Registry } from 'prom-client';
import { errorStatus } from '../kernel/errors.ts';
import type { ArrivedRequest, EndedRequest, RequestFacts, Surface } from '../kernel/telemetry.ts';
import { type Count, Counter, type Durations, Histogram } from './instruments.ts';

/** How a request ended: `refused` for mistakes of the caller, `failed` for all that the caller is not to blame for. */
type RequestOutcome = 'ok' | 'refused' | 'failed' | 'aborted';

/** The operations of one surface that have series of their own. Further ones are counted together. */
const maxOperations = 100;

interface Operation {
  name: string;
  outcomes: Partial<Record<RequestOutcome, Count>>;
  durations: Durations;
}

/**
 * Counts requests. Clients choose the names of GraphQL operations, and so a name gets series of its own only if its
 * document is sent again, and only so many names do.
 */
export class RequestMetrics {
  readonly #requests: Counter<'surface' | 'operation' | 'outcome'>;
  readonly #durations: Histogram<'surface' | 'operation'>;
  readonly #errors: Counter<'surface' | 'code'>;
  readonly #limits: Counter<'limit'>;
  readonly #operations: Record<Surface, Map<string, Operation>> = {
    graphql: new Map(),
    rest: new Map(),
    mcp: new Map(),
    store: new Map(),
    probe: new Map(),
    page: new Map(),
  };
  inProgress = 0;

  constructor(registry: Registry) {
    this.#requests = new Counter(registry, 'trellis_http_requests_total', 'Requests, by how they ended.');
    this.#durations = new Histogram(
      registry,
      'trellis_http_request_duration_seconds',
      'The time from the headers of a request to the end of its response. Streams of events are not counted.',
    );
    this.#errors = new Counter(
      registry,
      'trellis_errors_total',
      'Requests whose response has an error with the code.',
    );
    this.#limits = new Counter(
      registry,
      'trellis_limits_reached_total',
      'Requests, and connections, that a limit has stopped, by the setting that raises the limit.',
    );
  }

  begin({ surface, facts }: ArrivedRequest): (ended: EndedRequest) => void {
    this.inProgress++;
    return (ended) => this.#end(surface, facts, ended);
  }

  limitReached(limit: string): void {
    this.#limits.series({ limit }).value++;
  }

  #end(surface: Surface, facts: RequestFacts, ended: EndedRequest): void {
    this.inProgress--;
    const operation = this.#operationOf(surface, facts);
    const outcome = outcomeOf(facts, ended);
    let count = operation.outcomes[outcome];
    if (!count) {
      count = this.#requests.series({ surface, operation: operation.name, outcome });
      operation.outcomes[outcome] = count;
    }
    count.value++;
    if (!ended.isStream) operation.durations.observe(ended.seconds);
    for (const code of facts.errorCodes ?? []) this.#errors.series({ surface, code }).value++;
    for (const limit of facts.limits ?? []) this.limitReached(limit);
  }

  #operationOf(surface: Surface, { operationName = 'none', isDocumentCached }: RequestFacts): Operation {
    const known = this.#operations[surface];
    const isFree = surface !== 'graphql' || operationName === 'none';
    const isNamed = isFree || known.has(operationName) || (isDocumentCached && known.size < maxOperations);
    const name = isNamed ? operationName : 'other';
    let operation = known.get(name);
    if (!operation) {
      operation = { name, outcomes: {}, durations: this.#durations.series({ surface, operation: name }) };
      known.set(name, operation);
    }
    return operation;
  }
}

function outcomeOf({ errorCodes = [] }: RequestFacts, { status, isAnswered }: EndedRequest): RequestOutcome {
  if (!isAnswered) return 'aborted';
  if (status >= 500 || errorCodes.some((code) => errorStatus[code] >= 500)) return 'failed';
  return status >= 400 || errorCodes.length > 0 ? 'refused' : 'ok';
}
