import { Counter, Histogram, type Registry } from 'prom-client';
import { type CacheName, cacheNames, type MeasuredKind } from '../kernel/telemetry.ts';
import { durationBounds } from './duration-bounds.ts';

/** The verbs of statements that have series of their own. */
const verbs = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'WITH', 'BEGIN', 'COMMIT', 'ROLLBACK'];

/** Measures what a process does for requests and jobs: statements, transactions, and calls to stores and clusters. */
export class WorkMetrics {
  readonly #statements: Histogram<'pool' | 'kind' | 'outcome'>;
  readonly #drivers: Histogram<'driver' | 'call' | 'outcome'>;
  readonly #stores: Histogram<'call' | 'outcome'>;
  readonly #transactions: Histogram<'outcome'>;
  readonly #waits: Histogram;
  readonly #jobWork: Counter<'outcome'>;
  readonly #deliveries: Histogram<'outcome'>;
  readonly #lookups: Counter<'cache' | 'result'>;

  constructor(registry: Registry) {
    const registers = [registry];
    const durations = <L extends string>(name: string, help: string, labelNames: L[]) =>
      new Histogram({ name, help, labelNames, buckets: durationBounds, registers });
    this.#statements = durations(
      'trellis_database_statement_duration_seconds',
      'The time of statements, from when they are sent to their result.',
      ['pool', 'kind', 'outcome'],
    );
    this.#transactions = durations(
      'trellis_database_transaction_duration_seconds',
      'The time of transactions, with the wait before them.',
      ['outcome'],
    );
    this.#waits = durations(
      'trellis_database_transaction_wait_seconds',
      'The time that transactions waited for a connection, or on SQLite for their turn to write.',
      [],
    );
    this.#drivers = durations('trellis_driver_call_duration_seconds', 'The time of calls to clusters.', [
      'driver',
      'call',
      'outcome',
    ]);
    this.#stores = durations(
      'trellis_store_call_duration_seconds',
      'The time of calls to app stores, with redirects and retries.',
      ['call', 'outcome'],
    );
    this.#jobWork = new Counter({
      name: 'trellis_job_work_total',
      help: 'Calls for the components of jobs, by what they came to.',
      labelNames: ['outcome'],
      registers,
    });
    this.#deliveries = durations(
      'trellis_webhook_delivery_duration_seconds',
      'The time of attempts to send a delivery to a webhook, with the execution of its document.',
      ['outcome'],
    );
    this.#lookups = new Counter({
      name: 'trellis_cache_lookups_total',
      help: 'Lookups in a cache: of parsed documents, accepted tokens, and versions that stores offer.',
      labelNames: ['cache', 'result'],
      registers,
    });
    // A series that begins with its first value hides that value from rates.
    for (const cache of cacheNames) {
      for (const result of ['hit', 'miss']) this.#lookups.inc({ cache, result }, 0);
    }
    for (const outcome of ['ok', 'failed']) this.#transactions.zero({ outcome });
  }

  async measure<T>(kind: MeasuredKind, name: string, work: () => Promise<T>): Promise<T> {
    if (kind === 'batch' || kind === 'operation') return work();
    const since = performance.now();
    let outcome: 'ok' | 'failed' = 'failed';
    try {
      const result = await work();
      outcome = 'ok';
      return result;
    } finally {
      this.#observe(kind, name, outcome, (performance.now() - since) / 1000);
    }
  }

  lookup(cache: CacheName, isHit: boolean): void {
    this.#lookups.inc({ cache, result: isHit ? 'hit' : 'miss' });
  }

  transactionWaited(seconds: number): void {
    this.#waits.observe(seconds);
  }

  jobWork(outcome: string): void {
    this.#jobWork.inc({ outcome: snakeCase(outcome) });
  }

  webhookDelivery(outcome: string, seconds: number): void {
    this.#deliveries.observe({ outcome: snakeCase(outcome) }, seconds);
  }

  #observe(
    kind: Exclude<MeasuredKind, 'batch' | 'operation'>,
    name: string,
    outcome: string,
    seconds: number,
  ): void {
    if (kind === 'transaction') this.#transactions.observe({ outcome }, seconds);
    else if (kind === 'store') this.#stores.observe({ call: name, outcome }, seconds);
    else if (kind === 'driver') {
      const [driver, call] = name.split(' ') as [string, string];
      this.#drivers.observe({ driver, call, outcome }, seconds);
    } else this.#statements.observe({ pool: kind, kind: verbOf(name), outcome }, seconds);
  }
}

const snakeCase = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The verb of a statement, without a copy of the text: statements can be long. */
const verbOf = (text: string): string =>
  verbs.find((verb) => text.startsWith(verb))?.toLowerCase() ?? 'other';
