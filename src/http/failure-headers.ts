import { type ApiError, MethodNotAllowedError } from '../kernel/errors.ts';

/** The headers of an error response, on both surfaces. */
export function failureHeaders(error: ApiError): Record<string, string> {
  const { retryAfterSeconds } = error as { retryAfterSeconds?: number };
  return {
    ...(error instanceof MethodNotAllowedError && { Allow: error.allow }),
    ...(error.code === 'UNAUTHENTICATED' && { 'WWW-Authenticate': 'Bearer' }),
    ...(retryAfterSeconds !== undefined && { 'Retry-After': String(Math.ceil(retryAfterSeconds)) }),
  };
}
