import cluster from 'node:cluster';
import { readConfig } from './config.ts';
import { createLog } from './kernel/log.ts';
import { requireFreePort } from './kernel/port-in-use.ts';
import { serve } from './serve.ts';
import { serveWithWorkers } from './workers.ts';

/** Serves with the settings of the environment until a signal stops the process. */
export async function run(): Promise<void> {
  const config = readConfig(process.env);
  const { metrics } = config.telemetry;
  if (cluster.isPrimary) {
    await requireFreePort(config.host, config.port, 'PORT');
    if (metrics) await requireFreePort(metrics.host, metrics.port, 'METRICS_PORT');
  }
  if (config.workers > 1 && cluster.isPrimary) await serveWithWorkers(config, createLog(config.logLevel));
  else await serve(config);
}
