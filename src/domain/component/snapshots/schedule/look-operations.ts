import type { Services } from '../../../../context.ts';
import type { Row } from '../../../../db/tables.ts';
import type { Look as DueLook } from '../../../../db/work/due.ts';
import type { OwnWrite } from '../../../../db/write/own-events.ts';
import type { VolumeSnapshot } from '../../../../drivers/region/volume-snapshots.ts';
import { createLoaders } from '../../../../kernel/batch.ts';
import { ApiError } from '../../../../kernel/errors.ts';
import { withComponentLocked } from '../../timing/fire-operations.ts';
import { scheduledName } from '../event-model.ts';
import { requireNewSnapshot, type SnapshotContext, snapshotsOfOne, withSnapshots } from '../reads.ts';
import { isUnderWay, type SkipReason, surplusOf, takeDeadlineMs, tooManyUnderWay } from './model.ts';
import { deletingOf, overtaken, recordScheduled, setProgress, skippedAt } from './rows.ts';

type Schedule = Row<'SnapshotSchedule'>;

export interface LookSettings {
  /** The pause between two looks, which becomes longer. */
  minPauseMs: number;
  maxPauseMs: number;
  /** How long a snapshot is looked at until it is ready. */
  watchMs: number;
}

export const lookDefaults: LookSettings = { minPauseMs: 1_000, maxPauseMs: 60_000, watchMs: 3_600_000 };

/** A look at a schedule that this process has claimed. */
interface Look extends DueLook {
  schedule: Schedule;
  settings: LookSettings;
}

const againAfter = ({ now, settings }: Look, since: Date): Date => {
  const { minPauseMs, maxPauseMs } = settings;
  const ageMs = now.getTime() - since.getTime();
  return new Date(now.getTime() + Math.min(maxPauseMs, Math.max(minPauseMs, ageMs / 8)));
};

/** Makes the snapshot whose time has come, or else deletes those that are too many. */
export async function lookAtSchedule(services: Services, look: Look): Promise<void> {
  const { db } = services;
  const [volume] = await db.volume.findManyByKeys({ by: 'id', keys: [look.schedule.volumeId] });
  if (!volume) return;
  const [component] = await db.component.findManyByKeys({ by: 'id', keys: [volume.componentId] });
  if (!component) return;
  const context: SnapshotContext = { ...services, loaders: createLoaders(), signal: look.signal };
  if (look.schedule.pendingAt) await take(services, context, look, { volume, component });
  else await tidy(services, context, look, { volume, component });
}

interface Found {
  volume: Row<'Volume'>;
  component: Row<'Component'>;
}

type Taken =
  | { kind: 'made' }
  | { kind: 'skipped'; reason: SkipReason; message: string }
  | { kind: 'again'; dueAt: Date };

async function take(services: Services, context: SnapshotContext, look: Look, found: Found): Promise<void> {
  const { schedule } = look;
  const at = schedule.pendingAt!;
  const name = scheduledName(at, found.volume);
  const taken = await tryToTake(context, look, found, name);
  await settle(services, look, found, async (write, current, owner) => {
    // Without a schedule, it was removed meanwhile, but the snapshot was made.
    if (taken.kind === 'made') {
      await recordScheduled(write, owner, { action: 'volume_snapshot.create', volume: found.volume, name });
    }
    if (taken.kind !== 'again') write.announce(`application/${owner.applicationId}`);
    if (!current) return;
    const isSame = current.pendingAt?.getTime() === at.getTime();
    await setProgress(write.tx, schedule, {
      owner: null,
      ...(isSame && taken.kind !== 'again' && { pendingAt: null }),
      ...(taken.kind === 'made' && { lastRunAt: at }),
      ...(taken.kind === 'skipped' && skippedAt(at, taken.reason, taken.message)),
      ...(taken.kind === 'again' && !isSame && overtaken(at)),
      // One that was made is looked at until it is ready.
      dueAt: nextLook(taken, look, isSame),
    });
  });
}

function nextLook(taken: Taken, { now }: Look, isSame: boolean): Date | null {
  if (!isSame || taken.kind === 'made') return now;
  return taken.kind === 'again' ? taken.dueAt : null;
}

/** Makes the snapshot in the way in which `createVolumeSnapshot` does. */
async function tryToTake(
  context: SnapshotContext,
  look: Look,
  { volume, component }: Found,
  name: string,
): Promise<Taken> {
  const { schedule, now, signal } = look;
  const at = schedule.pendingAt!;
  try {
    const made = { volume, name, scheduleId: schedule.id };
    const { isMade, others } = await requireNewSnapshot(context, component, made);
    if (!isMade) {
      const snapshots = others.filter(({ scheduleId }) => scheduleId === schedule.id);
      const problem = tooManyUnderWay(snapshots, schedule.keep);
      if (problem) return { kind: 'skipped', reason: 'refused', message: problem };
      const snapshot = { volume: volume.name, name, scheduleId: schedule.id };
      await withSnapshots(context, component, (access, ended) => access.create(component, snapshot, ended));
    }
    return { kind: 'made' };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const message = error.message.slice(0, 500);
    if (error.code === 'CONFLICT') return { kind: 'skipped', reason: 'refused', message };
    const isHopeless = now.getTime() - at.getTime() > takeDeadlineMs && !signal.aborted;
    return isHopeless
      ? { kind: 'skipped', reason: 'unavailable', message }
      : { kind: 'again', dueAt: againAfter(look, at) };
  }
}

/** Deletes the oldest snapshots of the schedule beyond those that stay, and says when to look again. */
async function tidy(services: Services, context: SnapshotContext, look: Look, found: Found): Promise<void> {
  const { schedule, now, settings } = look;
  const { component } = found;
  const since = schedule.lastRunAt ?? schedule.createdAt;
  const isWatched = now.getTime() - since.getTime() < settings.watchMs;
  const again = isWatched ? againAfter(look, since) : null;
  let isUnfinished: boolean;
  try {
    const [list, inUse] = await Promise.all([
      snapshotsOfOne(context, component),
      withSnapshots(context, component, (access, ended) => access.inUse(component, ended)),
    ]);
    const made = list.filter((each) => each.scheduleId === schedule.id);
    const deleted = await startDeleting(services, look, found, { made, inUse: inUse ?? [] });
    for (const name of deleted ?? []) {
      await withSnapshots(context, component, (access, ended) => access.remove(component, name, ended));
    }
    isUnfinished = deleted === undefined || made.some(isUnderWay) || isBlocked(made, schedule, deleted);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return settle(services, look, found, async ({ tx }, current) => {
      if (current) await setProgress(tx, schedule, { owner: null, dueAt: current.pendingAt ? now : again });
    });
  }
  await settle(services, look, found, async ({ tx, announce }, current, { applicationId }) => {
    announce(`application/${applicationId}`);
    if (!current) return;
    const dueAt = current.pendingAt ? now : isUnfinished ? again : null;
    await setProgress(tx, schedule, { owner: null, deleting: null, dueAt });
  });
}

/** Whether a snapshot that would not stay is in use. */
const isBlocked = (made: VolumeSnapshot[], { keep }: Schedule, deleted: readonly string[]) =>
  surplusOf(made, keep).some(({ name }) => !deleted.includes(name));

/**
 * Records which snapshots are deleted, before they are. Until they are gone, nobody can restore them. Undefined if another process
 * has taken over, or if a restore has begun meanwhile: what was seen of the cluster may be out of date then.
 */
async function startDeleting(
  services: Services,
  look: Look,
  found: Found,
  { made, inUse }: { made: VolumeSnapshot[]; inUse: string[] },
): Promise<string[] | undefined> {
  return settle(services, look, found, async (write, current, owner) => {
    if (!current) return undefined;
    const begun = deletingOf(current);
    const isFree = ({ name }: VolumeSnapshot) =>
      name !== current.restoring && !inUse.includes(name) && !begun.includes(name);
    const more = surplusOf(made, current.keep).filter(isFree);
    for (const { name } of more) {
      await recordScheduled(write, owner, { action: 'volume_snapshot.delete', volume: found.volume, name });
    }
    const names = [...begun, ...more.map(({ name }) => name)];
    if (more.length > 0) await setProgress(write.tx, current, { deleting: JSON.stringify(names) });
    return names;
  });
}

/**
 * Stores what a look came to. `current` is null if the schedule was removed meanwhile. Nothing is stored if another process has
 * taken it over, or if the component was deleted.
 */
function settle<T>(
  services: Services,
  { schedule, owner }: Look,
  { component }: Found,
  work: (
    write: OwnWrite,
    current: Schedule | null,
    owner: { id: string; teamId: string; applicationId: number; enterpriseId: string },
  ) => Promise<T>,
): Promise<T | undefined> {
  return withComponentLocked(services, component.id, async (write) => {
    const row = await write.tx.component.findUnique({
      where: { id: component.id },
      select: { id: true, teamId: true, applicationId: true, team: { select: { enterpriseId: true } } },
    });
    if (!row) return undefined;
    const current = await write.tx.snapshotSchedule.findUnique({ where: { id: schedule.id } });
    if (current && current.owner !== owner) return undefined;
    const { team, ...place } = row;
    return work(write, current, { ...place, ...team });
  });
}
