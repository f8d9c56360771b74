import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../kernel/log.ts';
import type { RequestFacts } from '../kernel/telemetry.ts';
import { isStream } from './connections.ts';
import { shownPathOf } from './request.ts';
import { slowRequestFields } from './slow-request.ts';

/** Logs a request that has ended, with a second entry if it was slow. */
export function logRequest(
  { log, slowRequestMs }: { log: Log; slowRequestMs: number },
  req: IncomingMessage,
  res: ServerResponse,
  ended: { requestId: string; clientAddress: string; durationMs: number; facts: RequestFacts },
): void {
  const { requestId, clientAddress, durationMs, facts } = ended;
  const { operationName, documentId, isDocumentCached, errorCodes, traceId } = facts;
  log.info(
    {
      requestId,
      clientAddress,
      method: req.method,
      path: shownPathOf(req),
      status: res.statusCode,
      durationMs,
      operationName,
      documentId,
      isDocumentCached,
      errorCodes,
      traceId,
    },
    'request',
  );
  if (slowRequestMs > 0 && durationMs >= slowRequestMs && !isStream(res)) {
    log.warn(
      { requestId, durationMs, operationName, documentId, ...slowRequestFields(facts) },
      'slow request',
    );
  }
}
