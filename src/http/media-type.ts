import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../kernel/errors.ts';

export const isJson = (type: string | undefined) => /^application\/json\s*(;|$)/i.test(type ?? '');

/** Whether a `Content-Type` is JSON, or a format that is written in JSON. */
export const isAnyJson = (type: string | undefined) =>
  isJson(type) || /^application\/[\w.+-]+\+json\s*(;|$)/i.test(type ?? '');

export const isForm = (type: string | undefined) =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(type ?? '');

/** Throws UNSUPPORTED_MEDIA_TYPE if the body is compressed: a small one can decompress to a large one. */
export function requireUncompressed(headers: IncomingHttpHeaders): void {
  if (/^(identity)?$/i.test(headers['content-encoding'] ?? '')) return;
  throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed.');
}

/** Throws UNSUPPORTED_MEDIA_TYPE unless the body is uncompressed JSON. */
export function requireJson(headers: IncomingHttpHeaders): void {
  if (!isJson(headers['content-type']))
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.');
  requireUncompressed(headers);
}
