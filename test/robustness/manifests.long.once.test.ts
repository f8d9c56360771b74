import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blockedBy } from '../support/blocked.ts';
import type { Place } from '../support/fixtures.ts';
import { endProcesses, startProcess, type TrellisProcess } from '../support/process.ts';
import { expandingManifests, planOf, refusedManifests } from '../support/refused-manifests.ts';
import { send } from '../support/send.ts';
import { startsProcesses } from '../support/starts-processes.ts';
import { startTrellis, type Trellis } from '../support/trellis.ts';

startsProcesses();

/**
 * The longest time that a health check may wait while a document is refused, in CPU time of the gateway's event loop. It is
 * far above what the request takes there, and below what some of the documents would take.
 */
const mostMs = 500;

let trellis: Trellis;
let gateway: TrellisProcess;
let target: { url: string; adminToken: string };
let place: Place;
beforeAll(async () => {
  const secretKey = randomBytes(32);
  trellis = await startTrellis({ secretKey });
  place = await trellis.createPlace();
  gateway = startProcess({
    DATABASE_URL: trellis.databaseUrl,
    SECRET_KEY: secretKey.toString('hex'),
    RATE_LIMIT_PER_SECOND: '0',
    BODY_LIMIT_KIB: '8192',
    NODE_OPTIONS: '--max-old-space-size=512',
  });
  target = { url: await gateway.listening, adminToken: trellis.adminToken };
});
afterAll(async () => {
  await endProcesses();
  await trellis?.close();
});

describe('a document with', () => {
  it.each(Object.entries(refusedManifests))('%s is refused without blocking others', async (_, document) => {
    const request = send(target, { body: planOf(place, document()) });
    const { answer, blockedMs } = await blockedBy(gateway, target, request);
    expect(answer.body.errors[0].extensions.code, answer.text.slice(0, 300)).toBe('INVALID_INPUT');
    expect(blockedMs).toBeLessThanOrEqual(mostMs);
  });
});

describe('documents whose aliases expand to', () => {
  it.each(Object.entries(expandingManifests))('%s are refused twelve at once', async (_, { document }) => {
    const text = document();
    const requests = Promise.all(
      Array.from({ length: 12 }, (_each, index) =>
        send(target, { body: planOf(place, `${text}z${index}: 1\n`) }),
      ),
    );
    const { answer, blockedMs } = await blockedBy(gateway, target, requests);
    for (const { body, text: shown } of answer) {
      expect(['LIMIT_EXCEEDED', 'UNAVAILABLE'], shown.slice(0, 300)).toContain(
        body.errors[0].extensions.code,
      );
    }
    expect(blockedMs).toBeLessThanOrEqual(mostMs);
    expect(gateway.child.exitCode).toBeNull();
  });
});
