import type { ServerResponse } from 'node:http';
import { type ErrorCode, errorStatus, type Issue } from '../kernel/errors.ts';

const titles: Record<ErrorCode, string> = {
  INVALID_INPUT: 'Invalid input',
  UNAUTHENTICATED: 'Not authenticated',
  FORBIDDEN: 'Forbidden',
  NOT_FOUND: 'Not found',
  METHOD_NOT_ALLOWED: 'Method not allowed',
  CONFLICT: 'Conflict',
  PAYLOAD_TOO_LARGE: 'Payload too large',
  UNSUPPORTED_MEDIA_TYPE: 'Unsupported media type',
  RATE_LIMITED: 'Too many requests',
  STORE_REFUSED: 'The app store refused',
  STORE_UNAVAILABLE: 'The app store is not available',
  REGION_UNAVAILABLE: 'The region is not available',
  INTERNAL: 'Internal error',
};

/** A problem document. @see https://www.rfc-editor.org/rfc/rfc9457 */
export function problem(code: ErrorCode, detail: string, requestId: string, issues?: Issue[]) {
  return {
    type: 'about:blank',
    title: titles[code],
    status: errorStatus[code],
    detail,
    code,
    requestId,
    ...(issues && { issues }),
  };
}

/** Answers with a problem document. */
export function sendProblem(
  res: ServerResponse,
  code: ErrorCode,
  detail: string,
  requestId: string,
  headers: Record<string, string> = {},
): void {
  const body = JSON.stringify(problem(code, detail, requestId));
  res.writeHead(errorStatus[code], {
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  });
  res.end(body);
}
