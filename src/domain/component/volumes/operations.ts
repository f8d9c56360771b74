import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { change, type Write } from '../../../db/write/change.ts';
import { locked } from '../../../db/write/locked.ts';
import { changeWithPlan, type ObjectChange } from '../../../db/write/plan.ts';
import { patched } from '../../../db/write/revision.ts';
import { ConflictError } from '../../../kernel/errors.ts';
import { requireEnabled } from '../../region/reads.ts';
import { requireSharedVolumes } from '../autoscaling/rows.ts';
import { maxVolumes } from '../model.ts';
import { repeatedVolume } from '../names/model.ts';
import { type NamesPlace, requireFreeClaims } from '../names/reads.ts';
import { requireComponentFor } from '../reads.ts';
import { type AddVolume, type DeleteVolume, sharingProblem, type UpdateVolume } from './model.ts';
import { requireShareable, requireVolume } from './reads.ts';
import { insertVolume, removeVolume, setVolume } from './rows.ts';

/** The message for a name or a path that another volume of the component has. */
const takenIn =
  (component: Row<'Component'>, { name, path }: { name?: string | null; path?: string | null }) =>
  (columns: string[]) =>
    columns.join(' ').includes('path')
      ? `The component ${component.name} already has a volume at the path ${path}.`
      : `The component ${component.name} already has a volume named ${name}.`;

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

/**
 * CONFLICT if the region has no shared volumes. FORBIDDEN for callers without the right in the whole application, whose data such a
 * volume has.
 */
function requireSharing(
  context: Context,
  { team, region, component }: { team: Row<'Team'>; region: Row<'Region'>; component: Row<'Component'> },
  volume: Parameters<typeof sharingProblem>[0],
): void {
  if (!volume.isShared) return;
  const problem = sharingProblem(volume, region);
  if (problem) throw new ConflictError(problem);
  requireShareable(context, team, component.applicationId);
}

export async function addVolume(context: Context, input: AddVolume): Promise<Row<'Volume'>> {
  const { component, team, region } = await requireComponentFor(context, input.component, 'addVolume');
  requireSharing(context, { team, region, component }, input);
  return change(
    context,
    'volume.add',
    async (write) => {
      const owner = await locked(write, 'Component', component.id);
      if ((await write.tx.volume.count({ where: { componentId: owner.id } })) >= maxVolumes) {
        throw new ConflictError(`The component ${owner.name} already has ${maxVolumes} volumes.`);
      }
      await requireFreeName(write, { team, region }, owner, input);
      const volume = await insertVolume(write, owner, {
        componentId: owner.id,
        name: input.name,
        path: input.path,
        type: input.type,
        fileContent: input.fileContent ?? '',
        capacityGiB: input.capacityGiB ?? null,
        accessMode: input.accessMode ?? null,
        sharePolicy: input.sharePolicy ?? null,
        isShared: input.isShared ?? false,
      });
      await requireSharedVolumes(write, owner);
      return volume;
    },
    takenIn(component, input),
  );
}

export async function updateVolume(context: Context, input: UpdateVolume): Promise<Row<'Volume'>> {
  const { volume, component, team, region } = await requireVolume(context, input.volume, 'updateVolume');
  requireEnabled(region);
  return change(
    context,
    'volume.update',
    async (write) => {
      const owner = await locked(write, 'Component', component.id, {}, 'volume');
      const before = await locked(write, 'Volume', volume.id, input);
      const data = patched(
        before,
        { ...input, fileContent: input.fileContent === null ? '' : input.fileContent },
        ['name', 'path', 'type', 'fileContent', 'isShared'],
        ['capacityGiB', 'accessMode', 'sharePolicy'],
      );
      const { name, type, isShared } = data;
      const isMoved = name !== before.name || type !== before.type || isShared !== before.isShared;
      if (isMoved) requireSharing(context, { team, region, component: owner }, data);
      if (name !== before.name || type !== before.type) {
        await requireFreeName(write, { team, region }, owner, { name, type }, before.id);
      }
      const after = await setVolume(write, owner, before, data);
      await requireSharedVolumes(write, owner);
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
  const { result, plan } = await changeWithPlan(context, 'volume.delete', { dryRun }, async (write) => {
    const owner = await locked(write, 'Component', component.id, {}, 'volume');
    const before = await locked(write, 'Volume', volume.id, expecting);
    await removeVolume(write, owner, before);
    return before;
  });
  return { volume: result, plan };
}
