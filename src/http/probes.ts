import type { ServerResponse } from 'node:http';
import type { Log } from '../kernel/log.ts';
import { requestIdOf } from './request.ts';
import { sendJson } from './send.ts';

/** Requests that come while the database is asked get the same answer: their number is not limited. */
function shared(ask: () => Promise<void>): () => Promise<void> {
  let asking: Promise<void> | undefined;
  return () => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };
}

/** The health probes by their paths: the process is alive, and it can serve requests. */
export function createProbes(ping: () => Promise<void>, log: Log) {
  const probes = new Map([
    ['/healthz', async () => {}],
    ['/readyz', shared(ping)],
  ]);
  return {
    has: (path: string) => probes.has(path),
    async answer(res: ServerResponse, path: string): Promise<void> {
      try {
        await probes.get(path)!();
      } catch (error) {
        log.error({ error, requestId: requestIdOf(res) }, 'readiness check failed');
        return sendJson(res, 503, { status: 'unavailable' });
      }
      sendJson(res, 200, { status: 'ok' });
    },
  };
}
