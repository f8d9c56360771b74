import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../kernel/errors.ts';

/** Whether a `Content-Type` is JSON. */
export const isJson = (type: string | undefined) => /^application\/json\s*(;|$)/i.test(type ?? '');

/** Whether a `Content-Type` is that of a form. */
export const isForm = (type: string | undefined) =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(type ?? '');

/** Throws UNSUPPORTED_MEDIA_TYPE unless the body is plain JSON. A small compressed body can decompress to a large one. */
export function requireJson(headers: IncomingHttpHeaders): void {
  const refuse = (message: string) => new ApiError('UNSUPPORTED_MEDIA_TYPE', message);
  if (!isJson(headers['content-type'])) throw refuse('The body must be application/json.');
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? ''))
    throw refuse('The body must not be compressed.');
}
