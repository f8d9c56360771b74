import cluster from 'node:cluster';
import { once } from 'node:events';
import type { Config } from './config.ts';
import { createLog } from './kernel/log.ts';
import { close, exitAfter, listen, open } from './open.ts';

/** A signal that is aborted with the name of the signal that stops the process. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT']) {
    // A second signal ends the process at once. A worker gets some twice: from a terminal and from the main process.
    process[cluster.isWorker ? 'on' : 'once'](signal, () => stop.abort(signal));
  }
  return stop.signal;
}

/** Printed before anything else can fail, because it is never shown again. */
export function printFirstToken(token: string | undefined, { bootstrapToken }: Config): void {
  if (!token || bootstrapToken) return;
  process.stdout.write(`The first administrator's access token, shown this once: ${token}\n`);
}

/** Serves requests until a signal stops the process. */
export async function serve(config: Config): Promise<void> {
  const { worker } = cluster;
  const rootLog = createLog(config.logLevel);
  const log = worker ? rootLog.child({ worker: worker.id }) : rootLog;
  const { services, firstToken } = await open(config, log, { isMigrated: Boolean(worker) });
  // An unhandled rejection is a defect in one request. It is logged, but must not end the
  // other requests.
  process.on('unhandledRejection', (error) => log.error({ error }, 'unhandled rejection'));
  // Node.js prints it as well, and ends the process. The log names the lines of the sources.
  process.on('uncaughtExceptionMonitor', (error) => log.fatal({ error }, 'uncaught exception'));
  printFirstToken(firstToken, config);
  // Installed before the log says "listening", because a supervisor may stop the process right after that.
  const stop = stopSignal();
  const { server, url } = await listen(services, config);
  log.info({ url: `${url}/graphql` }, worker ? 'worker is listening' : 'listening');
  if (!stop.aborted) await once(stop, 'abort');
  log.info({ signal: stop.reason }, 'stopping');
  exitAfter(config.shutdownTimeoutMs);
  await close(server, services, config.shutdownTimeoutMs);
  worker?.disconnect();
}
