import { createServer } from 'node:http';
import type { Log } from '../kernel/log.ts';
import { withPortHint } from '../kernel/port-in-use.ts';

export interface MetricsServer {
  url: string;
  close(): void;
}

/** Serves the metrics of `read` at `/metrics`, and nothing else. */
export async function serveMetrics(
  { host, port }: { host: string; port: number },
  { read, log }: { read: () => Promise<string>; log: Log },
): Promise<MetricsServer> {
  const server = createServer(async (req, res) => {
    if (req.url?.split('?', 1)[0] !== '/metrics' || (req.method !== 'GET' && req.method !== 'HEAD')) {
      return void res.writeHead(404).end();
    }
    try {
      const body = await read();
      res.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }).end(body);
    } catch (error) {
      log.error({ error }, 'metrics cannot be read');
      res.writeHead(500).end();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(withPortHint(error, 'METRICS_PORT')));
    server.listen(port, host, resolve);
  });
  // A scrape does not keep a process alive that stops.
  server.unref();
  const address = server.address();
  const listening = typeof address === 'object' && address ? address.port : port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${listening}/metrics`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
