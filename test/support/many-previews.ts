import { expect, it } from 'vitest';
import { lookAfterPreviews } from '../../src/domain/preview/look-operations.ts';
import { refsOf } from './fixtures.ts';
import { close, open, previewed, previewsOf, tryOpen } from './previews.ts';
import { declaredWithRuns } from './schedules.ts';
import { useTrellis } from './trellis.ts';

/** Opens so many previews at once, at first without a quota, and then with room for two fifths of them. */
export function testManyPreviews({ most, room }: { most: number; room: number }): void {
  const trellis = useTrellis({ drivers: [declaredWithRuns] });

  it(`opens ${most} previews at once, each key once, and leaves nothing of them when they have expired`, async () => {
    const { appId, team } = await previewed(trellis, `{ most: ${most} }`);
    const names = async () => {
      const { team: of } = await trellis.data(
        'query ($by: TeamRef!) { team(by: $by) { applications(first: 100) { nodes { name } } } }',
        { by: { teamId: team.teamId } },
      );
      return of.applications.nodes;
    };
    const before = await names();
    const keys = Array.from({ length: most }, (_, index) => `pr-${index}`);
    const openOne = async (key: string): Promise<void> => {
      for (;;) {
        const result = await tryOpen(trellis, { application: { appId }, key });
        if (result.__typename === 'OpenPreviewPayload') return;
        // Somebody else was faster, or too many wait: a pipeline sends it again.
        expect(['CONFLICT', 'UNAVAILABLE', 'RATE_LIMITED']).toContain(result.code);
      }
    };
    for (let from = 0; from < keys.length; from += 10) {
      const some = keys.slice(from, from + 10);
      await Promise.all([...some, ...some.slice(0, 5)].map(openOne));
    }
    const { previews } = await previewsOf(trellis, appId);
    expect(previews.nodes.map(({ key }: any) => key).sort()).toEqual([...keys].sort());
    expect(await tryOpen(trellis, { application: { appId }, key: 'one-more' })).toMatchObject({
      code: 'CONFLICT',
    });
    const { preview } = await open(trellis, { application: { appId }, key: 'pr-7', lifetimeHours: 200 });
    await lookAfterPreviews(trellis.services, new Date(Date.now() + 100 * 3_600_000));
    expect((await previewsOf(trellis, appId)).previews.nodes).toMatchObject([{ uid: preview.uid }]);
    await lookAfterPreviews(trellis.services, new Date(Date.now() + 201 * 3_600_000));
    expect((await previewsOf(trellis, appId)).previews.nodes).toEqual([]);
    expect(await names()).toEqual(before);
  });

  it(`opens as many of ${most} previews at once as the quota of the team has room for, and the rest later`, {
    timeout: 480_000,
  }, async () => {
    const { appId, team, region } = await previewed(trellis, `{ most: ${most} }`);
    const place = refsOf({ team, region });
    const used = async (): Promise<number> => {
      const { team: of } = await trellis.data(
        'query ($team: TeamRef!, $region: RegionRef!) { team(by: $team) { resources(region: $region) { usedMemoryMiB } } }',
        place,
      );
      return of.resources.usedMemoryMiB;
    };
    const before = await used();
    await open(trellis, { application: { appId }, key: 'first' });
    const size = (await used()) - before;
    expect(size).toBeGreaterThan(1);
    await close(trellis, appId, 'first');
    const quota = before + room * size + size - 1;
    await trellis.succeed('setTeamQuota', { ...place, memoryQuotaMiB: quota }, '__typename');

    /** Opens a preview as a pipeline does, which sends again what was too much at once. */
    const isOpened = async (key: string): Promise<boolean> => {
      for (;;) {
        const { data, errors } = await trellis.graphql(
          `mutation ($input: OpenPreviewInput!) { openPreview(input: $input) {
            __typename ... on Error { code } ... on QuotaExceededError { resource available requested }
          } }`,
          { input: { application: { appId }, key } },
        );
        const result = data?.openPreview ?? { code: errors![0]!.extensions.code };
        expect(await used()).toBeLessThanOrEqual(quota);
        if (result.__typename === 'OpenPreviewPayload') return true;
        if (result.__typename === 'QuotaExceededError') {
          const what = { resource: 'MEMORY', available: size - 1, requested: size };
          expect(result).toMatchObject({ code: 'QUOTA_EXCEEDED', ...what });
          return false;
        }
        expect(['CONFLICT', 'UNAVAILABLE', 'RATE_LIMITED']).toContain(result.code);
      }
    };
    const keysNow = async () =>
      (await previewsOf(trellis, appId)).previews.nodes.map(({ key }: any) => key).sort();
    const rounds: number[] = [];
    for (let keys = Array.from({ length: most }, (_, index) => `pr-${index}`); keys.length > 0; ) {
      const opened = await Promise.all(keys.map(isOpened));
      const fitting = keys.filter((_, index) => opened[index]);
      expect(await keysNow()).toEqual([...fitting].sort());
      expect(await used()).toBe(before + fitting.length * size);
      for (const key of fitting) await close(trellis, appId, key);
      expect(await used()).toBe(before);
      keys = keys.filter((_, index) => !opened[index]);
      rounds.push(fitting.length);
    }
    expect(rounds).toEqual([room, room, most - 2 * room]);
  });
}
