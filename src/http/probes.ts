import type { ServerResponse } from 'node:http';
import type { Log } from '../kernel/log.ts';
import { NotReadyError } from '../kernel/not-ready.ts';
import { sendJson } from './send.ts';

/** Throws unless what is asked for is so. A text that it returns is part of the response. */
type Probe = () => Promise<unknown>;

/** Requests that come while the database is asked get the same answer, and one line of the log: their number is not limited. */
function shared(ask: Probe, log: Log): Probe {
  let asking: ReturnType<Probe> | undefined;
  const askAndLog = async () => {
    try {
      return await ask();
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
export function createProbes(ready: Probe, log: Log) {
  const probes = new Map<string, Probe>([
    ['/healthz', async () => {}],
    ['/readyz', shared(ready, log)],
  ]);
  return {
    has: (path: string) => probes.has(path),
    async answer(res: ServerResponse, path: string): Promise<void> {
      try {
        const detail = await probes.get(path)!();
        sendJson(res, 200, { status: 'ok', ...(typeof detail === 'string' && { detail }) });
      } catch (error) {
        const detail = error instanceof NotReadyError ? error.message : undefined;
        sendJson(res, 503, { status: 'unavailable', ...(detail && { detail }) });
      }
    },
  };
}
