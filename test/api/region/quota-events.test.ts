import { describe, expect, it } from 'vitest';
import { refsOf } from '../../support/fixtures.ts';
import { eventsOf } from '../../support/own-events.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

/** A place with a quota of 1,000 MiB, and a deployed component with 800 MiB. */
async function scene(quota: object = { memoryQuotaMiB: 1_000 }) {
  const place = await trellis.createPlace();
  await trellis.succeed('setTeamQuota', { ...refsOf(place), ...quota }, '__typename');
  const { appId } = await trellis.createApplication(place);
  const { componentId } = await trellis.createComponent(appId, {
    deploy: true,
    memoryMiB: 800,
    cpuMillicores: 100,
  });
  const reached = () => eventsOf(trellis, place.team.teamId, 'quota.nearly_reached');
  const scale = (memoryMiB: number) =>
    trellis.succeed('scaleComponent', { component: { componentId }, memoryMiB }, '__typename');
  return { ...place, appId, componentId, reached, scale };
}

describe('a quota', () => {
  it('is recorded when its use reaches 90 %, once until it falls below', async () => {
    const { team, region, reached, scale } = await scene();
    await scale(899);
    expect(await reached()).toEqual([]);
    await scale(900);
    expect(await reached()).toEqual([
      {
        requestId: expect.any(String),
        tokenId: null,
        actor: null,
        objectUid: team.teamId,
        changes: { resource: 'memoryMiB', region: region.name, used: 900, limit: 1_000 },
      },
    ]);
    await scale(950);
    await scale(1_000);
    expect(await reached()).toHaveLength(1);
    await scale(500);
    await scale(990);
    expect((await reached()).map(({ changes }) => changes.used)).toEqual([900, 990]);
  });

  it('falls below by what is stopped, and is not recorded by a refused change or a dry run', async () => {
    const { reached, scale, componentId } = await scene();
    const component = { componentId };
    await trellis
      .succeed('scaleComponent', { component, memoryMiB: 950, dryRun: true }, 'plan { action }')
      .then(({ plan }) => expect(plan).toEqual([{ action: 'component.scale' }]));
    expect(await trellis.attempt('scaleComponent', { component, memoryMiB: 1_001 })).toMatchObject({
      code: 'QUOTA_EXCEEDED',
    });
    expect(await reached()).toEqual([]);
    await scale(1_000);
    await trellis.succeed('stopComponent', { component }, '__typename');
    expect(await reached()).toHaveLength(1);
    await trellis.succeed('startComponent', { component }, '__typename');
    expect(await reached()).toHaveLength(2);
  });

  it('is recorded for each resource, and when the quota itself changes', async () => {
    const { team, region, reached, scale } = await scene({ memoryQuotaMiB: 1_000, cpuQuotaMillicores: 100 });
    expect((await reached()).map(({ changes }) => changes.resource)).toEqual(['cpuMillicores']);
    await scale(800);
    const place = refsOf({ team, region });
    const set = (memoryQuotaMiB: number) =>
      trellis.succeed('setTeamQuota', { ...place, memoryQuotaMiB }, '__typename');
    await set(850);
    expect((await reached()).map(({ changes }) => changes.resource)).toEqual(['cpuMillicores', 'memoryMiB']);
    await set(810);
    await set(0);
    expect(await reached()).toHaveLength(2);
    await set(800);
    expect((await reached()).at(-1)!.changes).toMatchObject({ used: 800, limit: 800 });
    expect(await reached()).toHaveLength(3);
  });

  it('is recorded once if two changes reach it at the same time', async () => {
    const { appId, reached } = await scene({ memoryQuotaMiB: 1_200 });
    const create = (memoryMiB: number) => trellis.createComponent(appId, { deploy: true, memoryMiB });
    await Promise.all([create(300), create(100)]);
    expect(await reached()).toHaveLength(1);
  });

  it('costs no statement for a team without one', async () => {
    const { scale } = await scene({});
    await scale(801);
    trellis.statements.length = 0;
    await scale(900);
    const read = trellis.statements.filter((text) => /sum\(CAST\(replicas/.test(text));
    expect(read).toEqual([]);
    expect(trellis.statements.filter((text) => /INSERT INTO "event"/.test(text))).toHaveLength(1);
  });
});
