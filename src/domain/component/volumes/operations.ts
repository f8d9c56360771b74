import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { change } from '../../../db/write/change.ts';
import { changeWithPlan, type ObjectChange } from '../../../db/write/plan.ts';
import { requireRevision } from '../../../db/write/revision.ts';
import { ConflictError, NotFoundError } from '../../../kernel/errors.ts';
import { requireEnabled } from '../../region/reads.ts';
import { requireSharedVolumes } from '../autoscaling/rows.ts';
import { maxVolumes } from '../model.ts';
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

export async function addVolume(context: Context, input: AddVolume): Promise<Row<'Volume'>> {
  const { component } = await requireComponentFor(context, input.component, 'addVolume');
  return change(
    context,
    'volume.add',
    async (write) => {
      const locked = await lockComponent(write, component.id);
      if ((await write.tx.volume.count({ where: { componentId: locked.id } })) >= maxVolumes) {
        throw new ConflictError(`The component ${locked.alias} already has ${maxVolumes} volumes.`);
      }
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
  const { volume, component, region } = await requireVolume(context, input.volume, 'updateVolume');
  requireEnabled(region);
  return change(
    context,
    'volume.update',
    async (write) => {
      const locked = await lockComponent(write, component.id, 'volume');
      const before = await write.tx.volume.findUnique({ where: { id: volume.id } });
      if (!before) throw new NotFoundError('volume');
      requireRevision(before, input, 'volume');
      const after = await setVolume(write, locked, before, {
        name: input.name ?? before.name,
        path: input.path ?? before.path,
        type: input.type ?? before.type,
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
