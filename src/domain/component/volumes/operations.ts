import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { change, type Write } from '../../../db/write/change.ts';
import { changeWithPlan, type ObjectChange } from '../../../db/write/plan.ts';
import { requireRevision } from '../../../db/write/revision.ts';
import { ConflictError, NotFoundError } from '../../../kernel/errors.ts';
import { requireEnabled } from '../../region/reads.ts';
import { requireSharedVolumes } from '../autoscaling/rows.ts';
import { maxVolumes } from '../model.ts';
import { repeatedVolume } from '../names/model.ts';
import { type NamesPlace, requireFreeClaims } from '../names/reads.ts';
import { requireComponentFor } from '../reads.ts';
import { lockComponent } from '../rows.ts';
import type { AddVolume, DeleteVolume, UpdateVolume } from './model.ts';
import { requireVolume } from './reads.ts';
import { insertVolume, removeVolume, setVolume } from './rows.ts';

/** The message for a name or a path that another volume of the component has. */
const takenIn =
  ({ alias }: Row<'Component'>, { name, path }: { name?: string | null; path?: string | null }) =>
  (columns: string[]) =>
    columns.join(' ').includes('path')
      ? `The component ${alias} already has a volume at the path ${path}.`
      : `The component ${alias} already has a volume named ${name}.`;

/** CONFLICT if something else has the name of a volume in the cluster. */
async function requireFreeName(
  write: Write<Context>,
  place: NamesPlace,
  component: Row<'Component'>,
  volume: { name: string; type: string },
  id?: number,
): Promise<void> {
  const others = await write.tx.volume.findMany({
    where: { componentId: component.id, ...(id !== undefined && { id: { not: id } }) },
    select: { name: true, type: true },
  });
  const same = repeatedVolume([...others, volume]);
  // A name that is there already is refused by the database, and others stay as they are.
  if (same && same.volume === volume && !others.some(({ name }) => name === volume.name)) {
    throw new ConflictError(
      `The volume ${volume.name} would have the same name in the cluster as ${same.other}. Choose another \`name\` for it.`,
    );
  }
  await requireFreeClaims(write, place, [{ component, volumes: [volume] }]);
}

export async function addVolume(context: Context, input: AddVolume): Promise<Row<'Volume'>> {
  const { component, team, region } = await requireComponentFor(context, input.component, 'addVolume');
  return change(
    context,
    'volume.add',
    async (write) => {
      const locked = await lockComponent(write, component.id);
      if ((await write.tx.volume.count({ where: { componentId: locked.id } })) >= maxVolumes) {
        throw new ConflictError(`The component ${locked.alias} already has ${maxVolumes} volumes.`);
      }
      await requireFreeName(write, { team, region }, locked, input);
      const volume = await insertVolume(write, locked, {
        componentId: locked.id,
        name: input.name,
        path: input.path,
        type: input.type,
        fileContent: input.fileContent ?? '',
        capacityGiB: input.capacityGiB ?? null,
        accessMode: input.accessMode ?? null,
        sharePolicy: input.sharePolicy ?? null,
      });
      await requireSharedVolumes(write, locked);
      return volume;
    },
    takenIn(component, input),
  );
}

/** The value of an optional column after a change: null removes it, undefined leaves it. */
const changed = <T>(value: T | null | undefined, before: T | null) => (value === undefined ? before : value);

export async function updateVolume(context: Context, input: UpdateVolume): Promise<Row<'Volume'>> {
  const { volume, component, team, region } = await requireVolume(context, input.volume, 'updateVolume');
  requireEnabled(region);
  return change(
    context,
    'volume.update',
    async (write) => {
      const locked = await lockComponent(write, component.id, 'volume');
      const before = await write.tx.volume.findUnique({ where: { id: volume.id } });
      if (!before) throw new NotFoundError('volume');
      requireRevision(before, input, 'volume');
      const [name, type] = [input.name ?? before.name, input.type ?? before.type];
      if (name !== before.name || type !== before.type) {
        await requireFreeName(write, { team, region }, locked, { name, type }, before.id);
      }
      const after = await setVolume(write, locked, before, {
        name,
        path: input.path ?? before.path,
        type,
        fileContent: changed(input.fileContent, before.fileContent) ?? '',
        capacityGiB: changed(input.capacityGiB, before.capacityGiB),
        accessMode: changed(input.accessMode, before.accessMode),
        sharePolicy: changed(input.sharePolicy, before.sharePolicy),
      });
      await requireSharedVolumes(write, locked);
      return after;
    },
    takenIn(component, { ...volume, ...input }),
  );
}

/** Deletes a volume and returns it. */
export async function deleteVolume(
  context: Context,
  { volume: ref, dryRun, ...expecting }: DeleteVolume,
): Promise<{ volume: Row<'Volume'>; plan: ObjectChange[] }> {
  const { volume, component, region } = await requireVolume(context, ref, 'deleteVolume');
  requireEnabled(region);
  const isDryRun = dryRun ?? false;
  const { result, plan } = await changeWithPlan(context, 'volume.delete', { isDryRun }, async (write) => {
    const locked = await lockComponent(write, component.id, 'volume');
    const before = await write.tx.volume.findUnique({ where: { id: volume.id } });
    if (!before) throw new NotFoundError('volume');
    requireRevision(before, expecting, 'volume');
    await removeVolume(write, locked, before);
    return before;
  });
  return { volume: result, plan };
}
