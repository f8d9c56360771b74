import { expect, it } from 'vitest';
import type { Services } from '../../src/context.ts';
import { SessionRechecks } from '../../src/domain/session/recheck-operations.ts';

/** Sessions that are due, whose ids begin with that of their user, and a provider that answers when it is let. */
function rechecks() {
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  const db = {
    dialect: { nowMs: 'now' },
    query: async () => [[Date.now()]],
    session: {
      findManyByKeys: async ({ keys: [id] }: { keys: string[] }) => [
        { id, userId: Number(id!.split('-')[0]), recheckAt: new Date(0), sealedRefreshToken: id },
      ],
    },
    identity: { findManyByKeys: async ({ keys: [userId] }: { keys: number[] }) => [{ userId }] },
    transaction: (work: (tx: object) => Promise<unknown>) =>
      work({ session: { updateMany: async () => ({ count: 1 }) } }),
  };
  const identity = {
    refresh: (token: string) => {
      asked.push(token);
      return new Promise((resolve) =>
        answers.push(() => resolve({ outcome: 'unknown', reason: 'of the test' })),
      );
    },
  };
  const services = { db, drivers: { identity }, seal: { open: (text: string) => text }, log: { warn() {} } };
  const settings = { recheckMs: 600_000, maxMs: 3_600_000 };
  return { asked, answers, sessions: new SessionRechecks(services as unknown as Services, settings) };
}

it('does not make a user wait for the many sessions of another one', async () => {
  const { asked, answers, sessions } = rechecks();
  const running = Array.from({ length: 20 }, (_, index) => sessions.run(`1-${index}`));
  running.push(sessions.run('2-0'));
  await expect.poll(() => asked).toContain('2-0');
  expect(asked.length).toBeLessThan(8);
  while (asked.length < running.length) {
    for (const answer of answers.splice(0)) answer();
    await new Promise(setImmediate);
  }
  for (const answer of answers.splice(0)) answer();
  await Promise.all(running);
});
