import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unique } from './fixtures.ts';
import { apply, comparable, elsewhere, exported, plan } from './manifests.ts';
import { templateText, versionsOf } from './templates.ts';
import { startTrellis, type Trellis } from './trellis.ts';

let trellis: Trellis;

/** Every version of the real applications. */
export const templates = ['bookinfo', 'online-boutique', 'sock-shop', 'wordpress-mysql'].flatMap((name) =>
  versionsOf(name).map((version) => [name, version] as const),
);

/** Exports the applications of these templates, and applies what was exported. */
export function describeManifestsOfTemplates(chosen: typeof templates): void {
  beforeAll(async () => {
    trellis = await startTrellis();
  });
  afterAll(() => trellis.close());

  describe('the manifest of an installed template', () => {
    it.each(chosen)(
      'of %s %s plans nothing, and makes the same application elsewhere',
      async (name, version) => {
        const text = templateText(name, version);
        const { template } = await trellis.succeed('publishTemplate', { template: text }, 'template { key }');
        const place = await trellis.createPlace();
        const { appId } = await trellis.createApplication(place);
        await trellis.succeed(
          'installApplication',
          {
            application: { appId },
            store: { url: trellis.url, domain: 'self', accessKey: trellis.adminToken },
            templateId: template.key,
            version: JSON.parse(text).group_version,
          },
          '__typename',
        );
        const { document } = await exported(trellis, appId);
        const planned = await plan(trellis, place, document);
        expect(planned.changes).toEqual([]);
        expect(planned.leftOver).toEqual([]);
        const json = (await exported(trellis, appId, 'JSON')).document;
        expect(Object.keys(JSON.parse(json).components).length).toBeGreaterThan(0);
        const copy = await apply(trellis, await trellis.createPlace(), elsewhere(json, unique('copy')));
        const copied = await exported(trellis, copy.application.appId, 'JSON');
        expect(comparable(copied.document)).toEqual(comparable(json));
      },
    );
  });
}
