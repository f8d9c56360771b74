import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace, type Place, unique } from '../../support/fixtures.ts';
import { documents } from '../../support/manifest-documents.ts';
import { apply, exported, plan } from '../../support/manifests.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

let trellis: Trellis;
beforeAll(async () => {
  trellis = await startTrellis();
});
afterAll(() => trellis.close());

const runs = Number(process.env.MANIFEST_RUNS ?? 300);

/** A document of another application, with the secrets that an export leaves out, and the domains of another team. */
const named = (document: any, name: string, domain: string): string =>
  JSON.stringify({ ...document, application: name }, (key, value) =>
    key === 'secret'
      ? undefined
      : value && typeof value === 'object' && value.secret === 'preserve'
        ? { ...value, secret: undefined, value: 'given', isSecret: true }
        : key === 'domain'
          ? `${value.split('.')[0]}.${domain}`
          : value,
  );

const comparable = (document: string) =>
  JSON.stringify(JSON.parse(document), (key, value) =>
    key === 'application' ? undefined : key === 'domain' ? value.split('.')[0] : value,
  );

describe('manifests', () => {
  it('hold what they promise for any application', async () => {
    let place: Place | undefined;
    let other: Place | undefined;
    let count = 0;
    await fc.assert(
      fc.asyncProperty(documents, async (generated) => {
        // Each pair of teams has a few applications only, because endpoints are those of a region.
        if (count++ % 1 === 0) [place, other] = [await createPlace(trellis), await createPlace(trellis)];
        const document = named(generated, unique('app'), `${unique('d')}.example`);
        const { application } = await apply(trellis, place!, document);
        const after = await plan(trellis, place!, document);
        expect(after.changes).toEqual([]);
        expect(after.adopted).toEqual([]);
        const yaml = await exported(trellis, application.appId);
        expect((await plan(trellis, place!, yaml.document)).changes).toEqual([]);
        const json = await exported(trellis, application.appId, 'JSON');
        const clone = named(JSON.parse(json.document), unique('clone'), `${unique('d')}.example`);
        const cloned = await apply(trellis, other!, clone);
        const copy = await exported(trellis, cloned.application.appId, 'JSON');
        expect(JSON.parse(comparable(copy.document))).toEqual(JSON.parse(comparable(json.document)));
      }),
      { numRuns: runs },
    );
  }, 240_000);
});
