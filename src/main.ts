import cluster from 'node:cluster';
import { readConfig } from './config.ts';
import { createLog } from './kernel/log.ts';
import { ConfigError } from './kernel/setting-file.ts';
import { serve } from './serve.ts';
import { serveWithWorkers } from './workers.ts';

try {
  const config = readConfig(process.env);
  if (config.workers > 1 && cluster.isPrimary) await serveWithWorkers(config, createLog(config.logLevel));
  else await serve(config);
} catch (error) {
  const { message } = error as Error;
  process.stderr.write(`${error instanceof ConfigError ? message : `Trellis cannot start: ${message}`}\n`);
  process.exitCode = 1;
  // The connection to the main process would keep a worker alive.
  if (cluster.isWorker) process.exit();
}
