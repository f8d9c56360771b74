import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse, serialize } from 'hono/utils/cookie';

/** A cookie of this gateway that no script can read. */
export interface HostCookie {
  /** The value that the browser has sent. */
  read(req: IncomingMessage): string | undefined;
  set(res: ServerResponse, value: string, maxAgeSeconds: number): void;
  clear(res: ServerResponse): void;
}

/**
 * The cookie `name`. Over https its name has the prefix `__Host-`: browsers take such a cookie from this host alone, so that no other
 * host of the domain can plant one.
 */
export function createHostCookie(baseName: string, isSecure: boolean): HostCookie {
  const name = isSecure ? `__Host-${baseName}` : baseName;
  const set = (res: ServerResponse, value: string, maxAge: number) => {
    const options = { httpOnly: true, sameSite: 'Lax', path: '/', maxAge, secure: isSecure } as const;
    res.appendHeader('Set-Cookie', serialize(name, value, options));
  };
  return {
    read: ({ headers: { cookie } }) => (cookie?.includes(name) ? parse(cookie, name)[name] : undefined),
    set,
    clear: (res) => set(res, '', 0),
  };
}

/** The cookie with the secret of a session. A browser keeps it as long as a session can last. */
export function createSessionCookie(isSecure: boolean, maxMs: number) {
  const cookie = createHostCookie('trellis', isSecure);
  return {
    /** The secret of the session. Undefined if the cookie cannot have one. */
    read(req: IncomingMessage): string | undefined {
      const value = cookie.read(req);
      return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
    },
    set: (res: ServerResponse, secret: string) => cookie.set(res, secret, maxMs / 1000),
    clear: cookie.clear,
  };
}
export type SessionCookie = ReturnType<typeof createSessionCookie>;
