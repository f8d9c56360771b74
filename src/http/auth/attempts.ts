import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { isSameSecret } from '../../kernel/same-secret.ts';
import type { Seal } from '../../kernel/seal.ts';
import { createHostCookie } from './cookies.ts';
import { createSealed } from './sealed.ts';

const attempt = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  asConfigured: z.boolean().default(false),
  to: z.string(),
  until: z.number(),
});
/** A sign-in that was begun and whose answer has not arrived. */
export type Attempt = z.infer<typeof attempt>;

/** How long a sign-in may take. */
export const attemptSeconds = 600;
/** The most sign-ins at the same time in one browser, in several tabs. The oldest one is forgotten. */
const maxAttempts = 4;

/** The sign-ins that a browser has begun, in an encrypted cookie of that browser. */
export function createAttempts(seal: Seal, isSecure: boolean) {
  const cookie = createHostCookie('trellis-sign-in', isSecure);
  const sealed = createSealed(seal, 'sign-in', { schema: z.array(attempt), seconds: attemptSeconds });

  function read(req: IncomingMessage): Attempt[] {
    const attempts = sealed.open(cookie.read(req) ?? '') ?? [];
    return attempts.filter(({ until }) => until > Date.now());
  }

  function write(res: ServerResponse, attempts: Attempt[]): void {
    if (attempts.length === 0) cookie.clear(res);
    else cookie.set(res, sealed.close(attempts), attemptSeconds);
  }

  return {
    add(req: IncomingMessage, res: ServerResponse, begun: Omit<Attempt, 'until'>): void {
      const until = Date.now() + attemptSeconds * 1000;
      write(res, [...read(req).slice(1 - maxAttempts), { ...begun, until }]);
    },
    /** The attempt with this state, which the browser forgets. Undefined if this browser has not begun it. */
    take(req: IncomingMessage, res: ServerResponse, state: string): Attempt | undefined {
      const attempts = read(req);
      const found = attempts.find((each) => isSameSecret(each.state, state));
      if (found) {
        write(
          res,
          attempts.filter((each) => each !== found),
        );
      }
      return found;
    },
  };
}
