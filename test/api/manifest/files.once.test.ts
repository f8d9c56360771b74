import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { apply, exported, plan } from '../../support/manifests.ts';
import { useTrellis } from '../../support/trellis.ts';

const folder = new URL('../../../docs/manifests/', import.meta.url);

const trellis = useTrellis();

describe('docs/manifests', () => {
  it.each(readdirSync(folder))('%s is an application of an empty team', async (file) => {
    const document = readFileSync(new URL(file, folder), 'utf8');
    const place = await trellis.createPlace();
    const { application, plan: made } = await apply(trellis, place, document);
    expect(made.changes.every(({ action }) => action === 'CREATE')).toBe(true);
    const again = await plan(trellis, place, document);
    expect([again.changes, again.leftOver, again.adopted]).toEqual([[], [], []]);
    const { document: copy, omitted } = await exported(trellis, application.appId);
    expect(omitted).toEqual([]);
    expect((await plan(trellis, place, copy)).changes).toEqual([]);
  });
});
