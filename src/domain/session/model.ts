import { z } from 'zod';
import { identifier, reference } from '../../kernel/reference.ts';

export const sessionRef = reference('session', {
  sessionId: identifier('The `uid` of the session.'),
});
export type SessionRef = z.infer<typeof sessionRef>;

export const endSession = z.strictObject({ session: sessionRef.describe('The session to end.') });

export interface SessionSettings {
  /** How long a session goes on until the identity provider is asked again. 0 if it never is. */
  recheckMs: number;
  /** The longest time from a sign-in to the end of its session. */
  maxMs: number;
}

const hourMs = 3_600_000;

export const sessionDefaults: SessionSettings = { recheckMs: 600_000, maxMs: 720 * hourMs };

/** A session ends when it has not been used for this long. */
const idleMs = 12 * hourMs;

/** When a session ends unless it is used again. */
export const expiryOf = (createdAt: Date, lastUsedAt: Date, { maxMs }: SessionSettings): Date =>
  new Date(Math.min(lastUsedAt.getTime() + idleMs, createdAt.getTime() + maxMs));

/** The most sessions of one user. A further sign-in ends the one that was used least recently. */
export const maxSessions = 100;

/** The longest stored name of a browser, in characters. */
export const maxBrowserLength = 256;
