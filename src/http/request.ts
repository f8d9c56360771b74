import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request target as a path: proxies may send it with scheme and host. @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2 */
export const originForm = (target: string) =>
  /^https?:\/\//i.test(target) ? target.replace(/^[^:]+:\/\/[^/?]*\/?/, '/') : target;

export const pathOf = (req: IncomingMessage) => req.url!.split('?', 1)[0]!;

export const isRead = ({ method }: IncomingMessage) => method === 'GET' || method === 'HEAD';

/** The caller's request id, if valid; otherwise a new one. */
export function requestIdFor(req: IncomingMessage): string {
  const given = req.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}

/** The id of the request that this is the response to. */
export const requestIdOf = (res: ServerResponse) => String(res.getHeader('x-request-id'));
