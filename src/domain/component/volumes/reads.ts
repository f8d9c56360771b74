import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { allows, maySeeSome, placeOf, requireRight } from '../../../kernel/access.ts';
import { type Action, requiredRoles } from '../../../kernel/actions.ts';
import { batched } from '../../../kernel/batch.ts';
import { NotFoundError } from '../../../kernel/errors.ts';
import { idOfType } from '../../../kernel/global-id.ts';
import { notAllowed } from '../../team/reads.ts';
import { requireComponent, visibleVolume, volumeFields } from '../reads.ts';
import type { VolumeRef } from './model.ts';

const volumeByName = batched(async (context: Context, names: string[], componentId: string) => {
  const where = [{ field: 'componentId' as const, is: componentId }];
  const rows = await context.db.volume.findManyByKeys({
    by: 'name',
    keys: names,
    where,
    fields: volumeFields,
  });
  return new Map(rows.map((row) => [row.name, row]));
}, null);

/** Each of them, in a whole application, can give its components the data that others of them share. */
const sharing: readonly Action[] = [
  'addVolume',
  'applyManifest',
  'importNamespace',
  'installApplication',
  'promoteRelease',
  'rollbackApplication',
  'rollbackComponent',
  'rollbackUpgrade',
  'upgradeApplication',
];

/** FORBIDDEN for callers who may not give a component the data that others of its application share. */
export function requireShareable(context: Context, team: Row<'Team'>, applicationId: number): void {
  const place = { ...placeOf(team), applicationId };
  requireRight(
    context,
    (actor) => {
      if (!maySeeSome(actor, place)) throw new NotFoundError('application');
      if (sharing.some((action) => allows(actor, action, place))) return;
      throw notAllowed(actor, team, requiredRoles.addVolume);
    },
    place,
  );
}

/** The volume that a reference identifies, for a caller who may do the action with it. */
export async function requireVolume(context: Context, ref: VolumeRef, action: Action) {
  if (ref.at != null) {
    const owner = await requireComponent(context, ref.at.component, action);
    const volume = await volumeByName(context, ref.at.name, owner.component.id);
    if (!volume) throw new NotFoundError('volume');
    return { volume, ...owner };
  }
  const volume = await visibleVolume(context, idOfType('Volume', ref.id ?? '') ?? '');
  if (!volume) throw new NotFoundError('volume');
  return { volume, ...(await requireComponent(context, { componentId: volume.componentId }, action)) };
}
