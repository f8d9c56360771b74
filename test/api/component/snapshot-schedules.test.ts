import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kindNamed } from '../../support/kubernetes/api/kinds.ts';
import { lateClass } from '../../support/kubernetes/controllers/controllers.ts';
import { dataIn, unreadable } from '../../support/kubernetes/controllers/snapshots.ts';
import { createClusterPlace, deploy, patience } from '../../support/kubernetes/place.ts';
import { type FakeServer, startCluster } from '../../support/kubernetes/server.ts';
import { once } from '../../support/once.ts';
import { eventsOf } from '../../support/own-events.ts';
import { rarely } from '../../support/schedules.ts';
import {
  createMigratedDatabase,
  startTrellis,
  type TestDatabase,
  type Trellis,
} from '../../support/trellis.ts';

let database: TestDatabase;
let trellis: Trellis;
/** Another gateway on the same database. */
let second: Trellis;
let server: FakeServer;
let bare: FakeServer;
beforeAll(async () => {
  database = await createMigratedDatabase();
  const options = { database: { url: database.url }, secretKey: randomBytes(32), jobs: {}, snapshots: {} };
  trellis = await startTrellis(options);
  second = await startTrellis(options);
  [server, bare] = await Promise.all([
    startCluster({ stepMs: 1, hasSnapshots: true }),
    startCluster({ stepMs: 1 }),
  ]);
});
afterAll(async () => {
  await Promise.all([trellis?.close(), second?.close()]);
  await Promise.all([server?.close(), bare?.close(), database?.drop()]);
});

const data = { name: 'data', path: '/data', type: 'share-file', capacityGiB: 1 };
const fields = 'cron timeZone keep nextRuns lastRunAt lastSkippedAt lastSkipReason lastSkipMessage';

interface Made {
  teamId: string;
  region: { name: string };
  component: { componentId: string };
  volume: { id: string };
}

/** A volume of a component, deployed unless told otherwise. */
async function created({ cluster = server, isDeployed = true, storageClass = '' } = {}): Promise<Made> {
  const given = { gatewayClass: 'test', ...(storageClass && { storageClass }) };
  const place = await createClusterPlace(trellis, cluster, { cluster: given });
  const volumes = [data];
  const componentId = isDeployed
    ? (await deploy(trellis, place, [{ volumes }]))[0]!.componentId
    : (await trellis.createComponent(place.appId, { volumes })).componentId;
  const component = { componentId };
  const query = 'query($by: ComponentRef!) { component(by: $by) { volumes { nodes { id } } } }';
  const found = await trellis.data(query, { by: component });
  return { ...place, component, volume: { id: found.component.volumes.nodes[0].id } };
}

const set = async ({ volume }: Made, more: object = {}) =>
  (
    await trellis.succeed(
      'setSnapshotSchedule',
      { volume, cron: rarely, keep: 2, ...more },
      `volume { revision snapshotSchedule { ${fields} } }`,
    )
  ).volume;

const read = async ({ volume }: Made, selection = fields) =>
  (
    await trellis.data(
      `query($id: ID!) { node(id: $id) { ... on Volume { snapshotSchedule { ${selection} } } } }`,
      {
        id: volume.id,
      },
    )
  ).node.snapshotSchedule;

/** The snapshots of a volume, newest first. */
const snapshotsOf = async ({ volume }: Made): Promise<any[]> =>
  (
    await trellis.data(
      'query($id: ID!) { node(id: $id) { ... on Volume { snapshots { name isReady isScheduled } } } }',
      { id: volume.id },
    )
  ).node.snapshots;
const namesOf = async (made: Made) => (await snapshotsOf(made)).map(({ name }) => name);
const scheduledOf = async (made: Made) =>
  (await snapshotsOf(made)).filter(({ isScheduled }) => isScheduled).map(({ name }) => name);

const rowOf = async ({ component }: Made) => {
  const { db } = trellis.services;
  const volumes = await db.volume.findManyByKeys({ by: 'componentId', keys: [component.componentId] });
  const [row] = await db.snapshotSchedule.findManyByKeys({
    by: 'volumeId',
    keys: volumes.map(({ id }) => id),
  });
  return row;
};
async function write(made: Made, columns: object): Promise<void> {
  const { id } = (await rowOf(made))!;
  const { db } = trellis.services;
  await db.transaction((tx) => tx.snapshotSchedule.updateMany({ where: { id }, data: columns }));
}

/** Waits until nothing is left to do for a schedule. */
async function settle(made: Made) {
  const isDone = async () => {
    const row = await rowOf(made);
    return row!.dueAt === null && row!.pendingAt === null && row!.nextRunAt! > new Date();
  };
  await expect.poll(isDone, patience).toBe(true);
  return read(made);
}
let fired = 0;
/** Lets a time of a schedule come, each later than the one before by more than a second. */
async function fire(made: Made, agoMs = 30_000 - 1_000 * fired++) {
  const at = new Date(Date.now() - agoMs);
  await write(made, { nextRunAt: at });
  return { at: at.toISOString(), ...(await settle(made)) };
}
const claimOf = ({ component }: Made): any =>
  server.cluster.store
    .list(kindNamed('PersistentVolumeClaim'))
    .find(({ metadata }: any) => metadata.labels['trellis.dev/component'] === component.componentId);

describe('a snapshot schedule', () => {
  it('makes a snapshot at each time, once with two gateways, and deletes its oldest ones', async () => {
    const made = await created();
    const { volume, teamId } = made;
    await trellis.succeed('createVolumeSnapshot', { volume, name: 'by-hand' }, '__typename');
    await set(made);
    const first = await fire(made);
    expect(first).toMatchObject({ lastRunAt: first.at, lastSkippedAt: null, lastSkipReason: null });
    const [oldest] = await scheduledOf(made);
    for (let count = 0; count < 3; count++) await fire(made);
    const left = await scheduledOf(made);
    expect(left).toHaveLength(2);
    expect(left).not.toContain(oldest);
    expect(await namesOf(made)).toContain('by-hand');
    const events = await eventsOf(trellis, teamId, 'volume_snapshot.create');
    const own = events.filter(({ actor }) => actor === null);
    expect(new Set(own.map(({ changes }) => changes.snapshot)).size).toBe(4);
    expect(own).toHaveLength(4);
    const deleted = await eventsOf(trellis, teamId, 'volume_snapshot.delete');
    expect(deleted.map(({ actor, changes }) => [actor, changes.snapshot === oldest])).toEqual([
      [null, true],
      [null, false],
    ]);
  });

  it('goes on after a gateway was killed: with what was to be made, was made, and was to be deleted', async () => {
    const made = await created();
    await set(made, { keep: 1 });
    const killed = { owner: 'killed', dueAt: new Date(Date.now() - 1_000) };
    const pendingAt = new Date(Date.now() - 30_000);
    await write(made, { ...killed, pendingAt });
    expect(await settle(made)).toMatchObject({ lastRunAt: pendingAt.toISOString() });
    const [name] = await namesOf(made);
    // The snapshot is in the cluster, but that was not stored any more.
    await write(made, { ...killed, pendingAt, lastRunAt: null });
    expect(await settle(made)).toMatchObject({ lastRunAt: pendingAt.toISOString(), lastSkippedAt: null });
    expect(await namesOf(made)).toEqual([name]);
    await write(made, { ...killed, deleting: JSON.stringify([name]) });
    const restored = { volume: made.volume, name };
    await settle(made);
    expect(await namesOf(made)).toEqual([]);
    // It was recorded before.
    expect(await eventsOf(trellis, made.teamId, 'volume_snapshot.delete')).toEqual([]);
    expect((await trellis.attempt('restoreVolumeSnapshot', restored)).code).toBe('NOT_FOUND');
  });

  once('keeps good snapshots when others fail, and those that a restore needs', async () => {
    const made = await created({ storageClass: lateClass });
    const { volume, component } = made;
    await set(made, { keep: 1 });
    await fire(made);
    const [good] = await namesOf(made);
    const disk = dataIn(server.cluster.store);
    const { uid } = claimOf(made).metadata;
    disk.set(uid, unreadable);
    await fire(made);
    await fire(made);
    const states = (await snapshotsOf(made)).map(({ name, isReady }) => [name === good, isReady]);
    expect(states).toEqual([
      [false, false],
      [true, true],
    ]);
    disk.set(uid, 'readable again');
    await trellis.succeed('stopComponent', { component }, '__typename');
    const status = async () =>
      (
        await trellis.data('query($by: ComponentRef!) { component(by: $by) { status: state } }', {
          by: component,
        })
      ).component.status;
    await expect.poll(status, patience).toBe('STOPPED');
    // A schedule that is deleting a snapshot has the say.
    await write(made, { deleting: JSON.stringify([good]) });
    const refused = await trellis.attempt('restoreVolumeSnapshot', { volume, name: good });
    expect(refused).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('being deleted') });
    await write(made, { deleting: null });
    await trellis.succeed('restoreVolumeSnapshot', { volume, name: good }, '__typename');
    expect((await rowOf(made))!.restoring).toBeNull();
    expect(claimOf(made).status.phase).toBe('Pending');
    expect(await trellis.attempt('deleteVolumeSnapshot', { volume, name: good })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('is in use'),
    });
    const isTaken = async (more: object) => {
      const at = new Date();
      await write(made, { lastRunAt: new Date(0), dueAt: at, ...more });
      await settle(made);
      return !(await namesOf(made)).includes(good);
    };
    // Two newer ones are ready than `keep`, which is set in the database, past the volume that is not bound.
    const { name: kept } = await trellis.succeed('createVolumeSnapshot', { volume, name: 'later' }, 'name');
    const later = server.cluster.store
      .list(kindNamed('VolumeSnapshot'))
      .find(({ metadata }: any) => metadata.labels['trellis.dev/snapshot'] === kept)!;
    const { id } = (await rowOf(made))!;
    server.cluster.store.save(kindNamed('VolumeSnapshot'), {
      ...later,
      metadata: {
        ...later.metadata,
        labels: { ...later.metadata.labels, 'trellis.dev/snapshot-schedule': id },
      },
      status: { readyToUse: true, restoreSize: '1Gi' },
    });
    expect(await isTaken({})).toBe(false);
    await trellis.succeed('startComponent', { component }, '__typename');
    await expect.poll(() => claimOf(made).status.phase, patience).toBe('Bound');
    // A restore that has begun, and not ended.
    expect(await isTaken({ restoring: good })).toBe(false);
    expect(await isTaken({ restoring: null })).toBe(true);
  });

  once('skips times, and says why', async () => {
    const fresh = await created({ isDeployed: false });
    await set(fresh);
    expect(await fire(fresh)).toMatchObject({ lastSkipReason: 'NOT_DEPLOYED', lastSkipMessage: null });
    const made = await created();
    const { nextRuns } = (await set(made)).snapshotSchedule;
    const { at, ...late } = await fire(made, 61_000);
    expect(late).toMatchObject({ lastSkippedAt: at, lastSkipReason: 'LATE', nextRuns, lastRunAt: null });
    const to = (status: string) =>
      trellis.succeed('updateRegion', { region: { name: made.region.name }, status }, '__typename');
    await to('MAINTENANCE');
    expect(await fire(made)).toMatchObject({ lastSkipReason: 'UNAVAILABLE' });
    await to('ENABLED');
    const { component } = made;
    const input = { component, ...data, name: 'later', path: '/later' };
    const { volume } = await trellis.succeed('addVolume', input, 'volume { id }');
    const later = { ...made, volume };
    await trellis.succeed('setSnapshotSchedule', { volume, cron: rarely, keep: 1 }, '__typename');
    await trellis.succeed('removeSnapshotSchedule', { volume: made.volume }, '__typename');
    expect(await fire(later)).toMatchObject({
      lastSkipReason: 'REFUSED',
      lastSkipMessage: expect.stringContaining('was not deployed with this volume'),
    });
    expect(await namesOf(made)).toEqual([]);
  });

  once('stops at the number that it keeps while nobody makes them, and says why', async () => {
    const own = await startCluster({ stepMs: 1, hasSnapshots: true, hasSnapshotController: false });
    try {
      const made = await created({ cluster: own });
      await set(made);
      for (const count of [1, 2, 2]) {
        await write(made, { nextRunAt: new Date(Date.now() - 30_000 + 1_000 * fired++) });
        const isFired = async () => {
          const row = (await rowOf(made))!;
          return row.pendingAt === null && row.nextRunAt! > new Date();
        };
        await expect.poll(isFired, patience).toBe(true);
        expect(await namesOf(made)).toHaveLength(count);
      }
      expect(await read(made)).toMatchObject({
        lastSkipReason: 'REFUSED',
        lastSkipMessage: expect.stringMatching(/^2 snapshots .* still being made.* snapshot controller/),
      });
    } finally {
      await own.close();
    }
  });

  once('waits for a cluster that does not answer, and makes up for no more than one time', async () => {
    const own = await startCluster({ stepMs: 1, hasSnapshots: true });
    try {
      const made = await created({ cluster: own });
      await set(made);
      own.setDown(true);
      const missed = new Date(Date.now() - 20_000);
      await write(made, { nextRunAt: missed });
      const pending = async () => (await rowOf(made))!.pendingAt?.getTime();
      await expect.poll(pending, patience).toBe(missed.getTime());
      const at = new Date(Date.now() - 5_000);
      await write(made, { nextRunAt: at });
      await expect.poll(pending, patience).toBe(at.getTime());
      const skipped = async () => (await rowOf(made))!.lastSkippedAt?.getTime();
      await expect.poll(skipped, patience).toBe(missed.getTime());
      own.setDown(false);
      expect(await settle(made)).toMatchObject({
        lastRunAt: at.toISOString(),
        lastSkippedAt: missed.toISOString(),
        lastSkipReason: 'UNAVAILABLE',
      });
      expect(await namesOf(made)).toHaveLength(1);
    } finally {
      await own.close();
    }
  });

  it('is set, changed and removed, with a plan, and goes with its volume', async () => {
    const made = await created();
    const { volume, teamId, component } = made;
    const input = { volume, cron: '30  3 * * MON-FRI', timeZone: 'Europe/Berlin', keep: 7 };
    const plan = 'plan { action name }';
    const planned = await trellis.succeed('setSnapshotSchedule', { ...input, dryRun: true }, plan);
    expect(planned.plan).toEqual([{ action: 'volume.set_snapshot_schedule', name: 'data' }]);
    expect(await read(made)).toBeNull();
    const { revision, snapshotSchedule } = await set(made, { ...input, expectedRevision: 1 });
    expect(revision).toBe(2);
    expect(snapshotSchedule).toMatchObject({ cron: '30 3 * * MON-FRI', timeZone: 'Europe/Berlin', keep: 7 });
    expect(snapshotSchedule.nextRuns[0]).toMatch(/T0[12]:30:00/);
    expect((await set(made, input)).revision).toBe(2);
    // A time that has come is not lost by a change of the number.
    const at = new Date(Date.now() + 3_600_000);
    await write(made, { nextRunAt: at });
    expect((await set(made, { ...input, keep: 8 })).revision).toBe(3);
    expect((await rowOf(made))!.nextRunAt).toEqual(at);
    const stale = await trellis.attempt('setSnapshotSchedule', { ...input, expectedRevision: 2 });
    expect(stale.code).toBe('CONFLICT');
    expect(await eventsOf(trellis, teamId, 'volume.set_snapshot_schedule')).toMatchObject([
      { changes: { cron: '30 3 * * MON-FRI', timeZone: 'Europe/Berlin', keep: 7 } },
      { changes: { keep: 8 } },
    ]);
    const viewer = await trellis.createMember(teamId, 'VIEWER');
    for (const [name, given] of [
      ['setSnapshotSchedule', input],
      ['removeSnapshotSchedule', { volume }],
    ] as const) {
      expect((await trellis.attempt(name, given, '__typename', viewer.token)).code).toBe('FORBIDDEN');
    }
    for (const [field, value] of [
      ['cron', '0 0 30 2 *'],
      ['timeZone', 'Mars/Base'],
      ['keep', 0],
      ['keep', 51],
    ] as const) {
      const { code, issues } = await trellis.attempt('setSnapshotSchedule', { ...input, [field]: value });
      expect([code, issues[0].path]).toEqual(['INVALID_INPUT', ['input', field]]);
    }
    const removed = await trellis.succeed('removeSnapshotSchedule', { volume, dryRun: true }, plan);
    expect(removed.plan).toEqual([{ action: 'volume.remove_snapshot_schedule', name: 'data' }]);
    await trellis.succeed('removeSnapshotSchedule', { volume, expectedRevision: 3 }, '__typename');
    expect(await read(made)).toBeNull();
    await trellis.succeed('removeSnapshotSchedule', { volume }, '__typename');
    await set(made);
    await trellis.succeed('deleteVolume', { volume }, '__typename');
    const { id } = (await trellis.succeed('addVolume', { component, ...data }, 'volume { id }')).volume;
    await set({ ...made, volume: { id } });
    expect(await rowOf(made)).toBeDefined();
    const row = (await rowOf(made))!;
    await trellis.succeed('deleteComponent', { component, force: true }, '__typename');
    const { db } = trellis.services;
    expect(await db.snapshotSchedule.findManyByKeys({ by: 'id', keys: [row.id] })).toEqual([]);
  });

  once('is refused where nothing makes snapshots, with what is missing', async () => {
    const { volume } = await created({ cluster: bare });
    const given = { cron: rarely, keep: 1 };
    expect(await trellis.attempt('setSnapshotSchedule', { volume, ...given })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('snapshot.storage.k8s.io/v1'),
    });
    const { appId } = await trellis.createApplication(await trellis.createPlace());
    const { componentId } = await trellis.createComponent(appId, {
      volumes: [data, { ...data, name: 'file', path: '/etc/a', type: 'config-file' }],
    });
    for (const [name, message] of [
      ['data', 'DECLARED'],
      ['file', 'has no data to keep'],
    ] as const) {
      const at = { component: { componentId }, name };
      const refused = await trellis.attempt('setSnapshotSchedule', { volume: { at }, ...given });
      expect(refused).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining(message) });
    }
  });
});
