import type { IncomingMessage, ServerResponse } from 'node:http';
import { failureHeaders } from '../../http/failure-headers.ts';
import { sendText } from '../../http/send.ts';
import { errorStatus } from '../../kernel/error-codes.ts';
import type { ApiError } from '../../kernel/errors.ts';
import { negotiated } from './negotiation.ts';

/** Sends a GraphQL error response for a request that failed before execution. */
export function sendGraphqlError(req: IncomingMessage, res: ServerResponse, error: ApiError): void {
  const requestId = String(res.getHeader('x-request-id'));
  const body = JSON.stringify({
    errors: [{ message: error.message, extensions: { code: error.code, requestId } }],
  });
  const { json } = negotiated(req.headers.accept) ?? { json: 'application/json' };
  const headers = {
    'Content-Type': `${json}; charset=utf-8`,
    'Cache-Control': 'no-store',
    // The body of a rejected request was not read, so the connection cannot be reused.
    ...(error.code !== 'UNAUTHENTICATED' && { Connection: 'close' }),
    ...failureHeaders(error),
  };
  sendText(res, errorStatus[error.code], headers, body);
}
