import { once } from 'node:events';
import { readConfig } from './config.ts';
import { createLog } from './kernel/log.ts';
import { ConfigError } from './kernel/setting-file.ts';
import { close, exitAfter, listen, open } from './open.ts';

try {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const { services, firstToken } = await open(config, log);
  // An unhandled rejection is a defect in one request. It is logged, but must not end the
  // other requests.
  process.on('unhandledRejection', (error) => log.error({ error }, 'unhandled rejection'));
  // Printed before anything else can fail, because it is never shown again.
  if (firstToken && !config.bootstrapToken) {
    process.stdout.write(`The first administrator's access token, shown this once: ${firstToken}\n`);
  }
  // Installed before the log says "listening", because a supervisor may stop the process right after that.
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stop.abort(signal));
  const { server, url } = await listen(services, config);
  log.info({ url: `${url}/graphql` }, 'listening');
  if (!stop.signal.aborted) await once(stop.signal, 'abort');
  log.info({ signal: stop.signal.reason }, 'stopping');
  exitAfter(config.shutdownTimeoutMs);
  await close(server, services, config.shutdownTimeoutMs);
} catch (error) {
  const { message } = error as Error;
  process.stderr.write(`${error instanceof ConfigError ? message : `Trellis cannot start: ${message}`}\n`);
  process.exitCode = 1;
}
