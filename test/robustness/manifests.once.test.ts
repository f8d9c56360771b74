import { request } from 'node:http';
import { Worker } from 'node:worker_threads';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { TaskThreads } from '../../src/kernel/task-threads.ts';
import type { Place } from '../support/fixtures.ts';
import { applyOf, expandingManifests, planOf, refusedManifests } from '../support/refused-manifests.ts';
import { send } from '../support/send.ts';
import { useTrellis } from '../support/trellis.ts';

let place: Place;
// On a busy machine, a thread takes longer for a document of a megabyte than it may.
const trellis = useTrellis({ bodyLimitBytes: 8_388_608, limits: { threadMs: 60_000 } });
beforeAll(async () => {
  place = await trellis.createPlace();
});

const plan = (document: string) => send(trellis, { body: planOf(place, document) });

/** One for each way to be large. Those of the other documents are refused as well in the tests that take minutes. */
const kinds = [
  'nested brackets',
  'one long text',
  'many unknown fields',
  'many aliases',
  'many components with mistakes',
  'many wrong routes',
  'JSON with many mistakes',
];

describe('a document with', () => {
  it.each(Object.entries(refusedManifests).filter(([what]) => kinds.includes(what)))(
    '%s is refused',
    async (_, document) => {
      const { body, text } = await plan(document());
      expect(body.errors[0].extensions.code, text.slice(0, 300)).toBe('INVALID_INPUT');
    },
  );
});

describe('a document whose aliases expand to', () => {
  const characters = /^The request exceeds the limit of \d+ characters after the expansion of aliases\.$/;

  it.each(Object.entries(expandingManifests))('%s is refused', async (_, { document, isTooLong }) => {
    const text = document();
    const exceeded = {
      message: isTooLong
        ? expect.stringMatching(characters)
        : 'The request exceeds the limit of 100000 values after the expansion of aliases.',
      extensions: { code: 'LIMIT_EXCEEDED' },
    };
    const answer = await send(trellis, { body: planOf(place, text) });
    expect(answer.body.errors[0], answer.text.slice(0, 300)).toMatchObject(exceeded);
  });

  it('too much is refused by an apply as by a plan', async () => {
    const { document } = expandingManifests['keys of 50,000 characters']!;
    const answer = await send(trellis, { body: applyOf(place, document()) });
    expect(answer.body.errors[0], answer.text.slice(0, 300)).toMatchObject({
      message: expect.stringMatching(characters),
      extensions: { code: 'LIMIT_EXCEEDED' },
    });
  });

  it('less is read, and counts towards what the request may expand', async () => {
    const document = `application: alias\nx: &x ${'x'.repeat(20_000)}\ny: [*x, *x, *x, *x, *x]\n`;
    const [one, ten] = [1, 10].map((count) => planOf(place, document, count));
    expect((await send(trellis, { body: one })).body.errors[0].extensions.code).toBe('INVALID_INPUT');
    const { body, text } = await send(trellis, { body: ten });
    expect(body.errors[0].message, text.slice(0, 300)).toMatch(characters);
  });
});

it('a document that takes long to read does not block others meanwhile', async () => {
  let isRead = false;
  const planned = plan(refusedManifests['many components with mistakes']!()).then(() => {
    isRead = true;
  });
  let answered = 0;
  while (!isRead) {
    expect((await send(trellis, { path: '/healthz', token: null })).status).toBe(200);
    if (!isRead) answered++;
  }
  await planned;
  // The first may be answered before the document has arrived. If the event loop read it, no other one would be.
  expect(answered).toBeGreaterThan(2);
});

it('documents of clients that have left are not read', async () => {
  const asked = vi.spyOn(TaskThreads.prototype, 'run');
  const { postMessage } = Worker.prototype;
  /** What the thread was given, and has not got yet. */
  const given: { text: string; pass(): void }[] = [];
  const posted = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, task) {
    if (task?.kind) given.push({ text: task.text, pass: () => postMessage.call(this, task) });
    else postMessage.call(this, task);
  });
  const first = plan('x: 0');
  try {
    await expect.poll(() => given.length).toBe(1);
    const { hostname, port } = new URL(trellis.url);
    const headers = { Authorization: `Bearer ${trellis.adminToken}`, 'Content-Type': 'application/json' };
    const leaving = Array.from({ length: 6 }, (_, index) => {
      const sent = request({ hostname, port, path: '/graphql', method: 'POST', headers });
      sent.on('error', () => {});
      // Plans wait before they are read.
      return sent.end(applyOf(place, `left: ${index}`));
    });
    await expect.poll(() => asked.mock.calls.length).toBe(1 + leaving.length);
    for (const each of leaving) each.destroy();
    const answers = await Promise.allSettled(asked.mock.results.slice(1).map(({ value }) => value));
    expect(answers.map(({ status }) => status)).toEqual(leaving.map(() => 'rejected'));
  } finally {
    posted.mockRestore();
    asked.mockRestore();
    given[0]?.pass();
  }
  // The thread goes on with what others ask for.
  for (const { body } of [await first, await plan('x: 1')]) {
    expect(body.errors[0].extensions.code).toBe('INVALID_INPUT');
  }
  expect(given.map(({ text }) => text)).toEqual(['x: 0']);
});

it('a user with many documents does not make others wait for all of them', async () => {
  const { token } = await trellis.createMember(place.team.teamId, 'VIEWER');
  const document = (index: number) => `x${index}: [${'{},'.repeat(20_000)}]`;
  let answered = 0;
  const many = Array.from({ length: 8 }, async (_, index) => {
    await plan(document(index));
    answered++;
  });
  const other = await send(trellis, { body: planOf(place, 'x: 1'), token });
  expect(other.body.errors[0].extensions.code, other.text).toBe('INVALID_INPUT');
  // Each document has two turns: to be read, and to find the places of its problems.
  expect(answered).toBeLessThan(6);
  await Promise.all(many);
});
