import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blockedBy } from '../support/blocked.ts';
import { createPlace, type Place, refsOf } from '../support/fixtures.ts';
import { endProcesses, startProcess, type TrellisProcess } from '../support/process.ts';
import { send } from '../support/send.ts';
import { startTrellis, type Trellis } from '../support/trellis.ts';

/** The longest time that a health check may wait while a document is refused. */
const mostMs = 50;
/** How often a document is sent again that seemed to block: on a busy machine, others take the time as well. */
const attempts = 6;

let trellis: Trellis;
let gateway: TrellisProcess;
let target: { url: string; adminToken: string };
let place: Place;
beforeAll(async () => {
  const secretKey = randomBytes(32);
  trellis = await startTrellis({ secretKey });
  place = await createPlace(trellis);
  gateway = startProcess({
    DATABASE_URL: trellis.databaseUrl,
    SECRET_KEY: secretKey.toString('hex'),
    RATE_LIMIT_PER_SECOND: '0',
    BODY_LIMIT_KIB: '8192',
  });
  target = { url: await gateway.listening, adminToken: trellis.adminToken };
});
afterAll(async () => {
  await endProcesses();
  await trellis?.close();
});

const bytes = 1_048_576;
const lines = (line: (index: number) => string, before = '') => {
  const parts = [before];
  for (let [size, index] = [before.length, 0]; size < bytes - 200; index++) {
    parts.push(line(index));
    size += parts.at(-1)!.length;
  }
  return parts.join('');
};

const documents: { [what: string]: () => string } = {
  'brackets without an end': () => '['.repeat(bytes),
  'nested brackets': () => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'nested lists': () => '- '.repeat(bytes / 2),
  'one long text': () => `application: a\nnote: ${'x'.repeat(bytes - 40)}\n`,
  'many unknown fields': () => lines((index) => `field${index}: value\n`),
  'many keys with one name': () => lines(() => 'note: a\n'),
  'many aliases': () => lines(() => '  - *a\n', 'x: &a [a]\ny:\n'),
  'many anchors': () => lines((index) => `a${index}: &b${index} x\n`),
  'many documents': () => lines(() => '---\na: b\n'),
  'many components with mistakes': () =>
    lines((index) => `  c${index}: { immage: x, replicas: -1 }\n`, 'application: a\ncomponents:\n'),
  'a component with many wrong variables': () =>
    lines(
      (index) => `      V${index}: [x]\n`,
      'application: a\ncomponents:\n  web:\n    image: a\n    variables:\n',
    ),
  'many wrong routes': () =>
    lines((index) => `  - { component: web, port: 0, domain: d${index} }\n`, 'application: a\nroutes:\n'),
  'many comments': () => lines(() => '# comment\n'),
  'JSON with many mistakes': () =>
    `{"application":"a","components":{${Array.from({ length: 450 }, (_, index) => `"c${index}":{"x":${'['.repeat(20)}${']'.repeat(20)},"y":"${'y'.repeat(1_000)}"}`).join(',')}}}`,
};

describe('a document with', () => {
  it.each(Object.entries(documents))('%s is refused without blocking others', async (_, document) => {
    const body = JSON.stringify({
      query: `query ($team: TeamRef!, $region: RegionRef!, $document: String!) {
        planManifest(team: $team, region: $region, document: $document) { digest }
      }`,
      variables: { ...refsOf(place), document: document() },
    });
    let blocked = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < attempts && blocked > mostMs; attempt++) {
      const { answer, blockedMs } = await blockedBy(gateway, target, send(target, { body }));
      expect(answer.body.errors[0].extensions.code, answer.text.slice(0, 300)).toBe('INVALID_INPUT');
      blocked = Math.min(blocked, blockedMs);
    }
    expect(blocked).toBeLessThanOrEqual(mostMs);
  });
});
