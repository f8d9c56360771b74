import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Seal } from '../../kernel/seal.ts';
import { createHostCookie } from './cookies.ts';

const attempt = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  to: z.string(),
  until: z.number(),
});
/** A sign-in that was begun and whose answer has not arrived. */
export type Attempt = z.infer<typeof attempt>;

/** The purpose is part of the value, because other values are encrypted with the same key. */
const stored = z.object({ purpose: z.literal('sign-in'), attempts: z.array(attempt) });

/** How long a sign-in may take. */
export const attemptSeconds = 600;
/** The most sign-ins at the same time in one browser, in several tabs. The oldest one is forgotten. */
const maxAttempts = 4;

/** The sign-ins that a browser has begun, in an encrypted cookie of that browser. */
export function createAttempts(seal: Seal, isSecure: boolean) {
  const cookie = createHostCookie('trellis-sign-in', isSecure);

  function read(req: IncomingMessage): Attempt[] {
    const value = cookie.read(req);
    if (value === undefined) return [];
    try {
      const { attempts } = stored.parse(JSON.parse(seal.open(value)));
      return attempts.filter(({ until }) => until > Date.now());
    } catch {
      // Forged, or encrypted with an earlier key.
      return [];
    }
  }

  function write(res: ServerResponse, attempts: Attempt[]): void {
    const value = { purpose: 'sign-in', attempts } satisfies z.infer<typeof stored>;
    if (attempts.length === 0) cookie.clear(res);
    else cookie.set(res, seal.close(JSON.stringify(value)), attemptSeconds);
  }

  return {
    add(req: IncomingMessage, res: ServerResponse, begun: Omit<Attempt, 'until'>): void {
      const until = Date.now() + attemptSeconds * 1000;
      write(res, [...read(req).slice(1 - maxAttempts), { ...begun, until }]);
    },
    /** The attempt with this state, which the browser forgets. Undefined if this browser has not begun it. */
    take(req: IncomingMessage, res: ServerResponse, state: string): Attempt | undefined {
      const attempts = read(req);
      const found = attempts.find((each) => isSame(each.state, state));
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

const digest = (text: string) => createHash('sha256').update(text).digest();
const isSame = (one: string, other: string) => timingSafeEqual(digest(one), digest(other));
