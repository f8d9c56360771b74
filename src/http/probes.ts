import type { ServerResponse } from 'node:http';
import type { Log } from '../kernel/log.ts';
import { sendJson } from './send.ts';

/** Requests that come while the database is asked get the same answer, and one line of the log: their number is not limited. */
function shared(ask: () => Promise<void>, log: Log): () => Promise<void> {
  let asking: Promise<void> | undefined;
  const askAndLog = async () => {
    try {
      await ask();
    } catch (error) {
      log.error({ error }, 'readiness check failed');
      throw error;
    } finally {
      asking = undefined;
    }
  };
  return () => {
    asking ??= askAndLog();
    return asking;
  };
}

/** The health probes by their paths: the process is alive, and it can serve requests. */
export function createProbes(ping: () => Promise<void>, log: Log) {
  const probes = new Map([
    ['/healthz', async () => {}],
    ['/readyz', shared(ping, log)],
  ]);
  return {
    has: (path: string) => probes.has(path),
    async answer(res: ServerResponse, path: string): Promise<void> {
      try {
        await probes.get(path)!();
      } catch {
        return sendJson(res, 503, { status: 'unavailable' });
      }
      sendJson(res, 200, { status: 'ok' });
    },
  };
}
