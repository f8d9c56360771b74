import type { IncomingMessage, ServerResponse } from 'node:http';
import compression from 'compression';
import cors from 'cors';

/** The minimum size of compressed responses, in bytes. */
const thresholdBytes = 1024;

/** Connect-style middleware. */
type Handler = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;

/**
 * Applies compression and CORS to all responses. `hasSessions` is whether requests can be authenticated by a cookie.
 */
export function transport(corsOrigins: readonly string[], { hasSessions = false } = {}): Handler {
  const compress = compression({
    threshold: thresholdBytes,
    // A strong tag stands for the bytes as they are: static documents choose their encoding themselves.
    filter: (req, res) =>
      !/^"/.test(String(res.getHeader('ETag') ?? '')) &&
      (compression.filter(req, res) || /ndjson/.test(String(res.getHeader('Content-Type')))),
  }) as unknown as Handler;
  const share =
    corsOrigins.length > 0 &&
    (cors({
      origin: [...corsOrigins],
      exposedHeaders: [
        'ETag',
        'Idempotent-Replayed',
        'Link',
        'RateLimit',
        'RateLimit-Policy',
        'Retry-After',
        'Trellis-Explain',
        'Trellis-Warning',
        'X-Request-Id',
      ],
      // Pages of these origins can use the session of the browser, if they are of the same site.
      credentials: hasSessions,
      maxAge: 600,
    }) as Handler);
  return (req, res, next) => {
    // Who caches an answer must know, also where this one was too small to be compressed.
    res.setHeader('Vary', 'Accept-Encoding');
    // Only CORS preflight requests. Other OPTIONS requests are handled by the path.
    const isPreflight = 'access-control-request-method' in req.headers;
    const through = () =>
      share && (req.method !== 'OPTIONS' || isPreflight) ? share(req, res, next) : next();
    // Nothing can be compressed for a client that accepts no encoding.
    if (req.headers['accept-encoding'] === undefined) through();
    else compress(req, res, through);
  };
}
