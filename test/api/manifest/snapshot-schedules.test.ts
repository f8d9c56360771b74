import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { declaredRegion } from '../../../src/drivers/region/declared.ts';
import { RegionWorkError } from '../../../src/drivers/region/driver.ts';
import type { Place } from '../../support/fixtures.ts';
import { apply, elsewhere, exported, plan, shortly, tryApply, tryPlan } from '../../support/manifests.ts';
import { eventsOf } from '../../support/own-events.ts';
import { declaredWithRuns } from '../../support/schedules.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

/** What the cluster of the region lacks, and whether it responds. */
const cluster: { missing: string | null; failure?: Error } = { missing: null };
const inTransaction = new AsyncLocalStorage<boolean>();
/** Whether a transaction waited, each time that the cluster was asked. */
const asked: boolean[] = [];

let trellis: Trellis;
beforeAll(async () => {
  const { snapshots } = declaredWithRuns;
  const missing = async () => {
    asked.push(inTransaction.getStore() ?? false);
    if (cluster.failure) throw cluster.failure;
    return cluster.missing;
  };
  trellis = await startTrellis({
    drivers: [{ ...declaredWithRuns, snapshots: { ...snapshots!, missing } }],
  });
  const { db } = trellis.services;
  const { transaction } = db;
  db.transaction = (work, signal) => transaction((tx) => inTransaction.run(true, () => work(tx)), signal);
});
afterAll(() => trellis.close());

const web = (volumes: string) =>
  `application: shop\ncomponents:\n  web:\n    image: nginx:1.29\n    volumes:\n${volumes}`;
const volume = (schedule: string) =>
  web(`      data: { path: /data, type: share-file, snapshotSchedule: ${schedule} }\n`);
const nightly = volume('{ cron: "30  3 * * MON-FRI", timeZone: Europe/Berlin, keep: 7 }');

/** The volume of the component with its schedule. */
async function volumeOf(appId: number): Promise<any> {
  const { application } = await trellis.data(
    `query ($by: ApplicationRef!) { application(by: $by) { components { nodes {
      uid revision hasUndeployedChanges
      volumes { nodes { id revision manifestId snapshotSchedule { cron timeZone keep nextRuns(first: 1) } } }
    } } } }`,
    { by: { appId } },
  );
  const [{ volumes, ...component }] = application.components.nodes;
  return { ...volumes.nodes[0], component };
}

const rowOf = async (appId: number) => {
  const { db } = trellis.services;
  const { component } = await volumeOf(appId);
  const [row] = await db.volume.findManyByKeys({ by: 'componentId', keys: [component.uid] });
  const [schedule] = await db.snapshotSchedule.findManyByKeys({ by: 'volumeId', keys: [row!.id] });
  return schedule;
};

const recorded = async (place: Place) => {
  const { teamId } = place.team;
  const set = await eventsOf(trellis, teamId, 'volume.set_snapshot_schedule');
  const removed = await eventsOf(trellis, teamId, 'volume.remove_snapshot_schedule');
  return [set.map(({ changes }) => changes), removed.length];
};

describe('the snapshot schedule of a volume in a manifest', () => {
  it('is set, changed and removed at once, as a whole', async () => {
    const place = await trellis.createPlace();
    const planned = await plan(trellis, place, nightly);
    expect(shortly(planned).slice(2)).toEqual([
      'CREATE VOLUME web data path: null -> /data, type: null -> share-file',
      'CREATE SNAPSHOT_SCHEDULE web data cron: null -> 30 3 * * MON-FRI, timeZone: null -> Europe/Berlin, keep: null -> 7',
    ]);
    expect(planned.changes[3]!.takesEffect).toBe('AT_ONCE');
    const { application } = await apply(trellis, place, nightly);
    const { appId } = application;
    expect(await plan(trellis, place, nightly)).toMatchObject({ changes: [], leftOver: [], adopted: [] });
    const first = await volumeOf(appId);
    expect(first.snapshotSchedule).toEqual({
      ...{ cron: '30 3 * * MON-FRI', timeZone: 'Europe/Berlin', keep: 7 },
      nextRuns: [expect.any(String)],
    });
    const row = (await rowOf(appId))!;
    expect(row.nextRunAt!.toISOString()).toBe(first.snapshotSchedule.nextRuns[0]);

    // A time that has come is not lost by a change of the number alone.
    const due = new Date(Date.now() + 30_000);
    const { db } = trellis.services;
    await db.transaction((tx) =>
      tx.snapshotSchedule.updateMany({ where: { id: row.id }, data: { nextRunAt: due } }),
    );
    const fewer = nightly.replace('keep: 7', 'keep: 3');
    await apply(trellis, place, fewer);
    expect(await rowOf(appId)).toMatchObject({ id: row.id, keep: 3, nextRunAt: due });

    const utc = volume('{ cron: 0 0 1 1 *, keep: 3 }');
    const changed = await plan(trellis, place, utc);
    expect(shortly(changed)).toEqual([
      'UPDATE SNAPSHOT_SCHEDULE web data cron: 30 3 * * MON-FRI -> 0 0 1 1 *, timeZone: Europe/Berlin -> UTC',
    ]);
    await apply(trellis, place, utc);
    const second = await volumeOf(appId);
    expect((await rowOf(appId))!.nextRunAt!.toISOString()).toMatch(/-01-01T00:00:00.000Z$/);
    expect([second.id, second.revision]).toEqual([first.id, first.revision + 2]);
    // The component itself is as it was, and has nothing to deploy.
    expect(second.component).toEqual(first.component);

    // Not managed, not changed.
    const silent = web('      data: { path: /data }\n');
    expect((await plan(trellis, place, silent, { prune: 'OWNED' })).changes).toEqual([]);
    const removal = volume('null');
    expect(shortly(await plan(trellis, place, removal))).toEqual([
      'DELETE SNAPSHOT_SCHEDULE web data cron: 0 0 1 1 * -> null',
    ]);
    const { plan: applied } = await apply(trellis, place, removal);
    expect(applied.changes[0]).toMatchObject({ takesEffect: 'AT_ONCE', isDestructive: false });
    expect((await volumeOf(appId)).snapshotSchedule).toBeNull();
    expect((await plan(trellis, place, removal)).changes).toEqual([]);
    expect(await recorded(place)).toEqual([
      [
        { cron: '30 3 * * MON-FRI', timeZone: 'Europe/Berlin', keep: 7 },
        { keep: 3 },
        { cron: '0 0 1 1 *', timeZone: 'UTC' },
      ],
      1,
    ]);
    expect(new Set(asked)).toEqual(new Set([false]));
  });

  it('is exported and copied, but is no part of a release', async () => {
    const place = await trellis.createPlace();
    const { application } = await apply(
      trellis,
      place,
      web('      data: { path: /data, type: share-file }\n'),
    );
    const { appId } = application;
    const { id, component } = await volumeOf(appId);
    const input = { volume: { id }, cron: '0 0 1 1 *', keep: 5 };
    await trellis.succeed('setSnapshotSchedule', input, '__typename');
    const { document, omitted } = await exported(trellis, appId);
    expect(document).toContain('        snapshotSchedule: { cron: 0 0 1 1 *, keep: 5 }\n');
    expect(omitted).toEqual([]);
    expect((await plan(trellis, place, document)).changes).toEqual([]);
    const json = (await exported(trellis, appId, 'JSON')).document;
    const copy = await apply(trellis, place, elsewhere(json, 'copy'));
    expect((await volumeOf(copy.application.appId)).snapshotSchedule).toMatchObject({ keep: 5 });

    const by = { componentId: component.uid };
    await trellis.succeed('deployComponent', { component: by }, '__typename');
    await trellis.succeed('setSnapshotSchedule', { ...input, keep: 6 }, '__typename');
    const { component: deployed } = await trellis.data(
      'query ($by: ComponentRef!) { component(by: $by) { releases { nodes { number manifest } } } }',
      { by },
    );
    const [last] = deployed.releases.nodes;
    expect(last.manifest).toContain('/data');
    expect(last.manifest).not.toContain('snapshotSchedule');
    await trellis.succeed('rollbackComponent', { component: by, release: 1 }, '__typename');
    expect((await volumeOf(appId)).snapshotSchedule.keep).toBe(6);

    // A volume that has no data any more keeps its schedule, which nobody could set.
    await trellis.succeed('updateVolume', { volume: { id }, type: 'memoryfs' }, '__typename');
    const left = await exported(trellis, appId);
    expect(left.document).not.toContain('snapshotSchedule');
    expect(left.omitted).toMatchObject([{ object: 'SNAPSHOT_SCHEDULE', component: 'web', name: 'data' }]);
    expect((await plan(trellis, place, left.document)).changes).toEqual([]);
  });

  it('belongs to whom the volume belongs, and changes the digest of a plan', async () => {
    const place = await trellis.createPlace();
    const { application } = await apply(trellis, place, 'application: shop\n');
    const { appId } = application;
    const volumes = [{ name: 'data', path: '/data', type: 'share-file' }];
    const input = { application: { appId }, name: 'web', image: 'nginx:1.29', volumes };
    await trellis.succeed('createComponent', input, '__typename');
    const planned = await plan(trellis, place, nightly);
    expect([shortly(planned).length, planned.adopted.map(({ object }) => object)]).toEqual([
      1,
      ['COMPONENT', 'VOLUME'],
    ]);
    const { id } = await volumeOf(appId);
    const schedule = { volume: { id }, cron: '0 0 1 1 *', keep: 5 };
    await trellis.succeed('setSnapshotSchedule', schedule, '__typename');
    const refused = await tryApply(trellis, place, nightly, { expectedPlan: planned.digest });
    expect(refused).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('Plan the change again'),
    });
    await apply(trellis, place, nightly);
    const adopted = await volumeOf(appId);
    expect(adopted).toMatchObject({ manifestId: expect.any(Number), snapshotSchedule: { keep: 7 } });
    const none = await plan(trellis, place, web('      {}\n'), { prune: 'OWNED' });
    expect(none.changes).toMatchObject([{ action: 'DELETE', object: 'VOLUME', isDestructive: true }]);
    await apply(trellis, place, web('      {}\n'), { prune: 'OWNED', allowsDestruction: true });
    const { db } = trellis.services;
    const left = await db.transaction((tx) =>
      tx.snapshotSchedule.count({ where: { volume: { component: { applicationId: appId } } } }),
    );
    expect(left).toBe(0);
  });

  it('is refused with its place in the document', async () => {
    const place = await trellis.createPlace();
    for (const [entry, field, column, words] of [
      ['{ cron: 0 25 * * *, keep: 1 }', 'cron', 72, 'hour must be'],
      ['{ cron: 0 0 * * *, timeZone: Mars/Base, keep: 1 }', 'timeZone', 93, 'time zone'],
      ['{ cron: 0 0 * * *, keep: 51 }', 'keep', 89, '<=50'],
      ['{ cron: 0 0 * * * }', 'keep', undefined, 'received undefined'],
      ['{ keep: 1 }', 'cron', undefined, 'received undefined'],
      ['{ cron: 0 0 * * *, keep: 1, suspend: true }', 'suspend', undefined, 'Unknown field'],
    ] as const) {
      const { error } = await tryPlan(trellis, place, volume(entry));
      const path = ['document', 'components', 'web', 'volumes', 'data', 'snapshotSchedule', field];
      expect(error?.extensions).toMatchObject({
        code: 'INVALID_INPUT',
        issues: [
          {
            path,
            message: expect.stringContaining(words),
            line: 6,
            column: column === undefined ? expect.any(Number) : column,
          },
        ],
      });
    }
  });

  it('needs a volume with data, and a region that makes snapshots', async () => {
    const place = await trellis.createPlace();
    await apply(trellis, place, nightly);
    const conflict = async (document: string, words: RegExp, at: Place = place) => {
      const { error } = await tryPlan(trellis, at, document);
      expect(error).toMatchObject({
        message: expect.stringMatching(words),
        extensions: { code: 'CONFLICT' },
      });
      expect(await tryApply(trellis, at, document)).toMatchObject({ code: 'CONFLICT' });
    };
    const memory = nightly.replace('share-file', 'memoryfs');
    await conflict(memory, /data\.snapshotSchedule \(line 6, column \d+\): .* memoryfs has no data to keep/);
    const changed = nightly.replace('keep: 7', 'keep: 8');
    cluster.missing = 'The cluster makes no snapshots.';
    try {
      await conflict(changed, /data\.snapshotSchedule \(line 6, column \d+\): The cluster makes no/);
      cluster.failure = new RegionWorkError('The cluster sleeps.');
      expect((await tryPlan(trellis, place, changed)).error).toMatchObject({
        extensions: { code: 'REGION_UNAVAILABLE' },
      });
      await expect(tryApply(trellis, place, changed)).rejects.toThrow('"REGION_UNAVAILABLE"');
      // What stays as it is, or is removed, needs no cluster.
      expect((await plan(trellis, place, nightly)).changes).toEqual([]);
      expect((await plan(trellis, place, volume('null'))).changes).toHaveLength(1);
    } finally {
      cluster.missing = null;
      delete cluster.failure;
    }
  });

  it('needs a driver that makes snapshots', async () => {
    const other = await startTrellis({ drivers: [declaredRegion] });
    try {
      const place = await other.createPlace();
      const { error } = await tryPlan(other, place, nightly);
      expect(error).toMatchObject({
        message: expect.stringMatching(/makes no snapshots: its driver is DECLARED/),
        extensions: { code: 'CONFLICT' },
      });
    } finally {
      await other.close();
    }
  });
});
