import type { Registry } from 'prom-client';
import type { CacheName, MeasuredKind } from '../kernel/telemetry.ts';
import { type Count, Counter, type Durations, Histogram } from './instruments.ts';

/** The verbs of statements that have series of their own. */
const verbs = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'WITH', 'BEGIN', 'COMMIT', 'ROLLBACK'];

/** What has a time of its own. The time of an operation is that of its request. */
type Timed = Exclude<MeasuredKind, 'batch' | 'operation'>;

/** The series of one kind of work: by how it ended. */
interface Work {
  ok: Durations;
  failed: Durations;
}

/** Measures what a process does for requests and jobs: statements, transactions, and calls to stores and clusters. */
export class WorkMetrics {
  readonly #statements: Histogram<'pool' | 'kind' | 'outcome'>;
  readonly #drivers: Histogram<'driver' | 'call' | 'outcome'>;
  readonly #stores: Histogram<'call' | 'outcome'>;
  readonly #jobWork: Counter<'outcome'>;
  readonly #transactions: Work;
  readonly #waits: Durations;
  readonly #lookups: Record<CacheName, { hit: Count; miss: Count }>;
  readonly #known: Record<Exclude<Timed, 'transaction'>, Map<string, Work>> = {
    read: new Map(),
    write: new Map(),
    store: new Map(),
    driver: new Map(),
  };

  constructor(registry: Registry) {
    this.#statements = new Histogram(
      registry,
      'trellis_database_statement_duration_seconds',
      'The time of statements, from when they are sent to their result.',
    );
    const transactions = new Histogram<'outcome'>(
      registry,
      'trellis_database_transaction_duration_seconds',
      'The time of transactions, with the wait before them.',
    );
    this.#transactions = {
      ok: transactions.series({ outcome: 'ok' }),
      failed: transactions.series({ outcome: 'failed' }),
    };
    this.#waits = new Histogram<never>(
      registry,
      'trellis_database_transaction_wait_seconds',
      'The time that transactions waited for a connection, or on SQLite for their turn to write.',
    ).series({});
    this.#drivers = new Histogram(
      registry,
      'trellis_driver_call_duration_seconds',
      'The time of calls to clusters.',
    );
    this.#stores = new Histogram(
      registry,
      'trellis_store_call_duration_seconds',
      'The time of calls to app stores, with redirects and retries.',
    );
    this.#jobWork = new Counter(
      registry,
      'trellis_job_work_total',
      'Calls for the components of jobs, by what they came to.',
    );
    const lookups = new Counter<'cache' | 'result'>(
      registry,
      'trellis_cache_lookups_total',
      'Lookups in a cache: of parsed documents, accepted tokens, and versions that stores offer.',
    );
    const lookupsOf = (cache: CacheName) => ({
      hit: lookups.series({ cache, result: 'hit' }),
      miss: lookups.series({ cache, result: 'miss' }),
    });
    this.#lookups = {
      documents: lookupsOf('documents'),
      tokens: lookupsOf('tokens'),
      store: lookupsOf('store'),
    };
  }

  async measure<T>(kind: MeasuredKind, name: string, work: () => Promise<T>): Promise<T> {
    if (kind === 'batch' || kind === 'operation') return work();
    const since = performance.now();
    let outcome: keyof Work = 'failed';
    try {
      const result = await work();
      outcome = 'ok';
      return result;
    } finally {
      this.#workOf(kind, name)[outcome].observe((performance.now() - since) / 1000);
    }
  }

  lookup(cache: CacheName, isHit: boolean): void {
    this.#lookups[cache][isHit ? 'hit' : 'miss'].value++;
  }

  transactionWaited(seconds: number): void {
    this.#waits.observe(seconds);
  }

  jobWork(outcome: string): void {
    this.#jobWork.series({ outcome: snakeCase(outcome) }).value++;
  }

  #workOf(kind: Timed, name: string): Work {
    if (kind === 'transaction') return this.#transactions;
    const key = kind === 'read' || kind === 'write' ? verbOf(name) : name;
    let work = this.#known[kind].get(key);
    if (!work) {
      work = { ok: this.#series(kind, key, 'ok'), failed: this.#series(kind, key, 'failed') };
      this.#known[kind].set(key, work);
    }
    return work;
  }

  #series(kind: Exclude<Timed, 'transaction'>, key: string, outcome: string): Durations {
    if (kind === 'store') return this.#stores.series({ call: key, outcome });
    if (kind !== 'driver') return this.#statements.series({ pool: kind, kind: key, outcome });
    const [driver, call] = key.split(' ') as [string, string];
    return this.#drivers.series({ driver, call, outcome });
  }
}

const snakeCase = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The verb of a statement, without a copy of the text: statements can be long. */
const verbOf = (text: string): string =>
  verbs.find((verb) => text.startsWith(verb))?.toLowerCase() ?? 'other';
