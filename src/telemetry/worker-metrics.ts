import cluster, { type Worker } from 'node:cluster';
import {
  AggregatorRegistry,
  Counter,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import type { Log } from '../kernel/log.ts';
import { type MetricsServer, serveMetrics } from './metrics-server.ts';

type Collected = MetricObjectWithValues<MetricValue<string>>[];

const asked = 'trellis:metrics?';
const answered = 'trellis:metrics';

/** How long a worker has to answer. Of one that does not, such as one that is ending, the metrics are left out. */
const answerMs = 1_000;

/** Sends the metrics of a worker to the main process when that asks for them. */
export function sendMetrics(registry: Registry): void {
  process.on('message', async (message: { type?: string; id?: number }) => {
    if (message.type !== asked) return;
    const metrics = await registry.getMetricsAsJSON();
    if (process.connected) process.send!({ type: answered, id: message.id, metrics });
  });
}

let requests = 0;

/** The metrics of all workers and of the main process as one text: sums, unless a metric says otherwise. */
async function metricsOfWorkers(own: Registry): Promise<string> {
  const id = ++requests;
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected());
  const collected = await Promise.all([
    own.getMetricsAsJSON() as Promise<Collected>,
    ...workers.map((worker) => metricsOf(worker!, id)),
  ]);
  return AggregatorRegistry.aggregate(collected).metrics();
}

function metricsOf(worker: Worker, id: number): Promise<Collected> {
  return new Promise((resolve) => {
    const finish = (metrics: Collected) => {
      clearTimeout(timer);
      worker.off('message', receive);
      resolve(metrics);
    };
    const receive = (message: { type?: string; id?: number; metrics?: Collected }) => {
      if (message.type === answered && message.id === id) finish(message.metrics!);
    };
    const timer = setTimeout(() => finish([]), answerMs);
    worker.on('message', receive);
    worker.send({ type: asked, id }, (error) => {
      if (error) finish([]);
    });
  });
}

export type WorkersMetrics = MetricsServer;

/** Serves the metrics of all workers from the main process. */
export async function openWorkersMetrics(
  address: { host: string; port: number },
  workers: { running(): number; restarts(): number },
  log: Log,
): Promise<WorkersMetrics> {
  const registry = new Registry();
  new Gauge({
    name: 'trellis_workers',
    help: 'Workers that are running.',
    registers: [registry],
    collect() {
      this.set(workers.running());
    },
  });
  new Counter({
    name: 'trellis_worker_restarts_total',
    help: 'Workers that were started again after they had ended by themselves.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(workers.restarts());
    },
  });
  const server = await serveMetrics(address, { read: () => metricsOfWorkers(registry), log });
  log.info({ url: server.url }, 'metrics are served');
  return server;
}
