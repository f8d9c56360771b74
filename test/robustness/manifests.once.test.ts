import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace, type Place } from '../support/fixtures.ts';
import { planOf, refusedManifests } from '../support/refused-manifests.ts';
import { send } from '../support/send.ts';
import { startTrellis, type Trellis } from '../support/trellis.ts';

let trellis: Trellis;
let place: Place;
beforeAll(async () => {
  trellis = await startTrellis({ bodyLimitBytes: 8_388_608 });
  place = await createPlace(trellis);
});
afterAll(() => trellis?.close());

const plan = (document: string) => send(trellis, { body: planOf(place, document) });

describe('a document with', () => {
  it.each(Object.entries(refusedManifests))('%s is refused', async (_, document) => {
    const { body, text } = await plan(document());
    expect(body.errors[0].extensions.code, text.slice(0, 300)).toBe('INVALID_INPUT');
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
