import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace } from '../../support/fixtures.ts';
import { apply, exported, plan } from '../../support/manifests.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

const folder = new URL('../../../docs/manifests/', import.meta.url);

let trellis: Trellis;
beforeAll(async () => {
  trellis = await startTrellis();
});
afterAll(() => trellis.close());

describe('docs/manifests', () => {
  it.each(readdirSync(folder))('%s is an application of an empty team', async (file) => {
    const document = readFileSync(new URL(file, folder), 'utf8');
    const place = await createPlace(trellis);
    const { application, plan: made } = await apply(trellis, place, document);
    expect(made.changes.every(({ action }) => action === 'CREATE')).toBe(true);
    const again = await plan(trellis, place, document);
    expect([again.changes, again.leftOver, again.adopted]).toEqual([[], [], []]);
    const { document: copy, omitted } = await exported(trellis, application.appId);
    expect(omitted).toEqual([]);
    expect((await plan(trellis, place, copy)).changes).toEqual([]);
  });
});
