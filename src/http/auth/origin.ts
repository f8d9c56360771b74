import type { IncomingMessage } from 'node:http';
import { ForbiddenError } from '../../kernel/errors.ts';
import { isLoopbackHost } from '../../kernel/loopback.ts';
import { isJson } from '../media-type.ts';
import { isRead } from '../request.ts';

/** The address at which browsers reach this gateway. */
export interface PublicAddress {
  /** Whether browsers use https, so that cookies can have the prefix that other hosts cannot set. */
  isSecure: boolean;
  /** The origin of this gateway for the request. Undefined if it is not known. */
  originFor(req: IncomingMessage): string | undefined;
}

/**
 * The address by the setting PUBLIC_URL. Without it, only browsers on this computer can be sure of the address: the `Host` header, over
 * http.
 */
export const createPublicAddress = (publicUrl: string | undefined): PublicAddress => ({
  isSecure: publicUrl?.startsWith('https:') ?? false,
  originFor({ headers: { host } }) {
    if (publicUrl !== undefined) return publicUrl;
    const url = host !== undefined && URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
    return url && isLoopbackHost(url.hostname) ? url.origin : undefined;
  },
});

/**
 * Refuses what a page of another site makes a browser load in the background, such as an image. It could not read the answer, but its
 * failures would count for the address of the visitor, who could then not sign in any more.
 */
export function requireVisit({ headers }: IncomingMessage): void {
  if (headers['sec-fetch-site'] !== 'cross-site' || headers['sec-fetch-dest'] === 'document') return;
  throw new ForbiddenError('Pages of other sites can link to this path but not load it in the background.');
}

/**
 * Refuses a request that may change something and that a page of another origin can have made: browsers send the cookie of a session
 * with requests of all pages. FORBIDDEN without an `Origin` that is allowed, and for a body that a form could send.
 */
export function requireOwnPage(
  req: IncomingMessage,
  address: PublicAddress,
  corsOrigins: readonly string[],
): void {
  if (isRead(req)) return;
  const { origin, 'content-type': type, 'content-length': length } = req.headers;
  const isOwn = origin !== undefined && (origin === address.originFor(req) || corsOrigins.includes(origin));
  if (!isOwn) {
    throw new ForbiddenError(
      'In a session, only pages of this gateway can make this request: its Origin header names another origin, or none. Use an access token elsewhere, or add the origin to CORS_ORIGINS.',
    );
  }
  const hasBody = req.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
  if ((hasBody || type !== undefined) && !isJson(type)) {
    throw new ForbiddenError('In a session, the body must be application/json.');
  }
}
