import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from './config.ts';
import type { Log } from './kernel/log.ts';
import { graceMs, prepare } from './open.ts';
import { printFirstToken, stopSignal } from './serve.ts';
import type { WorkersMetrics } from './telemetry/worker-metrics.ts';

/** How long after their own timeout workers are killed that have not ended. */
const killAfterMs = 500;

/** The wait before a worker is replaced that ended by itself. It doubles with each that did not live long. */
const backoff = { minMs: 200, maxMs: 30_000, afterMs: 60_000 };

/** The workers of a process that listen on its port, and how it goes with them. */
interface Workers {
  /** How many are running. */
  running(): number;
  /** How many had to be replaced. */
  restarts(): number;
  /** Resolves with the port when all listen; rejects if one ends before. */
  listening: Promise<number>;
  /** Stops all gracefully. Resolves when they have ended. */
  stop(): Promise<void>;
}

/**
 * Starts this program again as `workers` processes that share its port. The main process accepts connections and hands
 * them out in turns; it answers no requests itself.
 */
function startWorkers({ workers, shutdownTimeoutMs }: Config, log: Log): Workers {
  const stopping = new AbortController();
  const running = new Set<Worker>();
  let restarts = 0;
  let waitMs = backoff.minMs;
  let areListening = false;
  let resolveListening: (port: number) => void;
  let rejectListening: (error: Error) => void;
  const listening = new Promise<number>((resolve, reject) => {
    resolveListening = resolve;
    rejectListening = reject;
  });
  // Also reported by the end of the worker, which nobody may be waiting for yet.
  listening.catch(() => {});
  let ready = 0;

  function start(): void {
    const worker = cluster.fork();
    const startedAt = performance.now();
    running.add(worker);
    worker.once('listening', ({ port }) => {
      ready++;
      if (ready === workers && !areListening) {
        areListening = true;
        resolveListening(port);
      }
    });
    worker.once('exit', (code, signal) => {
      running.delete(worker);
      if (stopping.signal.aborted) return;
      if (!areListening) return rejectListening(new Error('a worker ended before it was ready'));
      if (performance.now() - startedAt > backoff.afterMs) waitMs = backoff.minMs;
      log.error({ worker: worker.id, code, signal, waitMs }, 'a worker has ended and is replaced');
      void replace(waitMs);
      waitMs = Math.min(backoff.maxMs, waitMs * 2);
    });
  }

  async function replace(afterMs: number): Promise<void> {
    await sleep(afterMs, undefined, { signal: stopping.signal }).catch(() => {});
    if (stopping.signal.aborted) return;
    restarts++;
    start();
  }

  for (let count = 0; count < workers; count++) start();
  return {
    running: () => running.size,
    restarts: () => restarts,
    listening,
    async stop() {
      stopping.abort();
      const ended = [...running].map((worker) => once(worker, 'exit'));
      const signalAll = (signal: NodeJS.Signals) => {
        for (const worker of running) worker.process.kill(signal);
      };
      signalAll('SIGTERM');
      // Workers end by themselves before that, unless their event loop is blocked.
      const late = setTimeout(() => signalAll('SIGKILL'), shutdownTimeoutMs + graceMs + killAfterMs);
      await Promise.all(ended);
      clearTimeout(late);
    },
  };
}

/** Migrates the database once, and serves requests with workers until a signal stops the process. */
export async function serveWithWorkers(config: Config, log: Log): Promise<void> {
  printFirstToken(await prepare(config, log), config);
  const stop = stopSignal();
  const workers = startWorkers(config, log);
  let metrics: WorkersMetrics | undefined;
  try {
    if (config.telemetry.metrics) {
      const { openWorkersMetrics } = await import('./telemetry/worker-metrics.ts');
      metrics = await openWorkersMetrics(config.telemetry.metrics, workers, log);
    }
    const port = await Promise.race([workers.listening, once(stop, 'abort')]);
    if (typeof port === 'number') {
      const host = config.host.includes(':') ? `[${config.host}]` : config.host;
      log.info({ url: `http://${host}:${port}/graphql`, workers: config.workers }, 'listening');
    }
    if (!stop.aborted) await once(stop, 'abort');
    log.info({ signal: stop.reason }, 'stopping');
  } finally {
    await workers.stop();
    metrics?.close();
  }
}
