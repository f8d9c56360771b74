import { describe, expect, it } from 'vitest';
import { lookAfterPreviews } from '../../../src/domain/preview/look-operations.ts';
import { copiedTemplates, copiesOf } from '../../support/copies-of-templates.ts';
import { over } from '../../support/deployed-images.ts';
import { refsOf } from '../../support/fixtures.ts';
import { placeWithRuns } from '../../support/schedules.ts';
import { useTrellis } from '../../support/trellis.ts';
import { rowsLeft, timeless } from '../../support/unchanged.ts';

const trellis = useTrellis({ jobs: {} });

describe('copies of real applications in a simulated region', { timeout: 240_000 }, () => {
  it.each(copiedTemplates)(
    '%s: its copy and its preview run beside it, and leave nothing',
    async (...template) => {
      const at = refsOf(await placeWithRuns(trellis));
      let before: Record<string, string[]> = {};
      const made = await copiesOf(trellis, at, template, async () => {
        before = await rowsLeft(trellis);
      });
      const application = { appId: made.original };
      const closed = await trellis.succeed('closePreview', { application, key: 'pr-1' }, 'job { uid }');
      await over(trellis, closed.job.uid);
      await lookAfterPreviews(trellis.services, new Date());
      const all = { force: true, deleteVolumes: true };
      const input = { application: { appId: made.copy }, ...all };
      const { job } = await trellis.succeed('deleteApplication', input, 'job { uid }');
      await over(trellis, job.uid);
      expect(timeless(await rowsLeft(trellis))).toEqual(timeless(before));
    },
  );
});
