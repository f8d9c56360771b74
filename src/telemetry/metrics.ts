import cluster from 'node:cluster';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Services } from '../context.ts';
import type { PoolState } from '../db/open.ts';
import { type UnfinishedJobs, unfinishedJobs } from '../domain/job/unfinished-reads.ts';
import type { Log } from '../kernel/log.ts';
import { onDemand } from '../kernel/on-demand.ts';
import type { ArrivedRequest, MeasuredKind, Telemetry } from '../kernel/telemetry.ts';
import { type MetricsServer, serveMetrics } from './metrics-server.ts';
import type { ProcessTelemetry } from './process-telemetry.ts';
import { RequestMetrics } from './request-metrics.ts';
import { WorkMetrics } from './work-metrics.ts';
import { sendMetrics } from './worker-metrics.ts';

/** How long the number of jobs is cached, so that reading the metrics often costs no statements. */
const jobsCacheMs = 5_000;

export class Metrics implements ProcessTelemetry {
  readonly registry = new Registry();
  readonly #requests = new RequestMetrics(this.registry);
  readonly #work = new WorkMetrics(this.registry);
  #server: MetricsServer | undefined;
  #subscriptions = () => 0;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    const requests = this.#requests;
    this.#gauge('trellis_http_requests_in_progress', 'Requests that are not answered yet.', [], (gauge) =>
      gauge.set(requests.inProgress),
    );
    this.#gauge('trellis_subscriptions', 'Open subscriptions.', [], (gauge) =>
      gauge.set(this.#subscriptions()),
    );
  }

  request(arrived: ArrivedRequest, answer: () => void) {
    const end = this.#requests.begin(arrived);
    answer();
    const { facts } = arrived;
    return (ended: Parameters<typeof end>[0]) => {
      if (facts.isDocumentCached !== undefined) this.#work.lookup('documents', facts.isDocumentCached);
      end(ended);
    };
  }

  measure<T>(kind: MeasuredKind, name: string, work: () => Promise<T>): Promise<T> {
    return this.#work.measure(kind, name, work);
  }

  lookup: NonNullable<Telemetry['lookup']> = (cache, isHit) => this.#work.lookup(cache, isHit);
  limitReached: NonNullable<Telemetry['limitReached']> = (limit) => this.#requests.limitReached(limit);
  deprecatedUse = (field: string) => this.#requests.deprecatedUse(field);
  transactionWaited = (seconds: number) => this.#work.transactionWaited(seconds);
  jobWork = (outcome: string) => this.#work.jobWork(outcome);
  webhookDelivery = (outcome: string, seconds: number) => this.#work.webhookDelivery(outcome, seconds);

  watchSubscriptions = (count: () => number) => {
    this.#subscriptions = count;
  };

  watch({ db, log }: Pick<Services, 'db' | 'log'>): void {
    const pools = (name: string, help: string, numberOf: (pool: PoolState) => number) =>
      this.#gauge(`trellis_database_${name}`, help, ['pool'], (gauge) => {
        for (const state of db.pools()) gauge.set({ pool: state.pool }, numberOf(state));
      });
    pools('connections', 'Open connections.', ({ open }) => open);
    pools('connections_in_use', 'Connections with a statement or a transaction.', ({ inUse }) => inUse);
    pools('connections_max', 'The most connections, without those that wait for locks.', ({ size }) => size);
    pools('waiting', 'Statements and transactions that wait for a connection.', ({ waiting }) => waiting);

    const read = onDemand(() => unfinishedJobs(db), { lifeMs: jobsCacheMs });
    const jobs = (name: string, help: string, numberOf: (found: UnfinishedJobs) => number) =>
      this.#gauge(name, help, ['status'], async (gauge) => {
        gauge.reset();
        try {
          for (const each of await read()) gauge.set({ status: each.status }, numberOf(each));
        } catch (error) {
          log.warn({ error }, 'the jobs are missing in the metrics');
        }
      });
    jobs('trellis_jobs', 'Jobs that are not over, of all gateways on the database.', (found) => found.jobs);
    jobs(
      'trellis_job_oldest_seconds',
      'The age of the oldest job that is not over.',
      (found) => found.oldestSeconds,
    );
  }

  async serve(address: { host: string; port: number }, log: Log): Promise<void> {
    this.#server = await serveMetrics(address, { read: () => this.registry.metrics(), log });
    log.info({ url: this.#server.url }, 'metrics are served');
  }

  async close(): Promise<void> {
    this.#server?.close();
  }

  #gauge(
    name: string,
    help: string,
    labelNames: string[],
    collect: (gauge: Gauge) => void | Promise<void>,
  ): void {
    new Gauge({
      name,
      help,
      labelNames,
      // Of several processes on one database, each has the same jobs.
      aggregator: name.startsWith('trellis_job') ? 'max' : 'sum',
      registers: [this.registry],
      collect() {
        return collect(this);
      },
    });
  }
}

/** Serves the metrics of this process at the address. Those of a worker are served by the main process. */
export async function openMetrics(address: { host: string; port: number }, log: Log): Promise<Metrics> {
  const metrics = new Metrics();
  if (cluster.isWorker) sendMetrics(metrics.registry);
  else await metrics.serve(address, log);
  return metrics;
}
