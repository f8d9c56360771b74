import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request target as a path: proxies may send it with scheme and host. @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2 */
export const originForm = (target: string) =>
  /^https?:\/\//i.test(target) ? target.replace(/^[^:]+:\/\/[^/?]*\/?/, '/') : target;

export const pathOf = (req: IncomingMessage) => req.url!.split('?', 1)[0]!;

/** The text after the id of a deploy hook in a path. Proxies can put a prefix before it. */
const hookSecret = /(\/deploy-hooks\/[^/]*\/).*/is;

/** The path for logs and traces, without the secret of a deploy hook. */
export const shownPathOf = (req: IncomingMessage) => pathOf(req).replace(hookSecret, '$1[redacted]');

/** Whether a request names its host once. @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2 */
export function hasHost({ httpVersionMajor, httpVersionMinor, rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts === 1 || (hosts === 0 && httpVersionMajor === 1 && httpVersionMinor === 0);
}

export const isRead = ({ method }: IncomingMessage) => method === 'GET' || method === 'HEAD';

/** The caller's request id, if valid; otherwise a new one. */
export function requestIdFor(req: IncomingMessage): string {
  const header = req.headers['x-request-id'];
  return typeof header === 'string' && /^[\w.:-]{1,128}$/.test(header) ? header : randomUUID();
}

/** The id of the request that this is the response to. */
export const requestIdOf = (res: ServerResponse) => String(res.getHeader('x-request-id'));
