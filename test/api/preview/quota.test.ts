import { expect, it } from 'vitest';
import { refsOf } from '../../support/fixtures.ts';
import { close, open, previewed, previewsOf } from '../../support/previews.ts';
import { declaredWithRuns } from '../../support/schedules.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis({ drivers: [declaredWithRuns] });

it('opens as many of fifty previews at once as the quota of the team has room for, and the rest later', {
  timeout: 480_000,
}, async () => {
  const { appId, team, region } = await previewed(trellis, '{ most: 50 }');
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
  const room = 17;
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
  for (let keys = Array.from({ length: 50 }, (_, index) => `pr-${index}`); keys.length > 0; ) {
    const opened = await Promise.all(keys.map(isOpened));
    const fitting = keys.filter((_, index) => opened[index]);
    expect(await keysNow()).toEqual([...fitting].sort());
    expect(await used()).toBe(before + fitting.length * size);
    for (const key of fitting) await close(trellis, appId, key);
    expect(await used()).toBe(before);
    keys = keys.filter((_, index) => !opened[index]);
    rounds.push(fitting.length);
  }
  expect(rounds).toEqual([room, room, 50 - 2 * room]);
});
