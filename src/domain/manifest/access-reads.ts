import type { Context } from '../../context.ts';
import { allows, placeOf } from '../../kernel/access.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import type { PlanTarget } from '../plan/known.ts';
import { requireAllowed, seesIn } from '../team/reads.ts';

/** A place with the application that a document names there, and what the caller may do with it. */
export interface PlannedPlace extends PlanTarget {
  /** Null if there is no such application. */
  applicationId: number | null;
  /** Whether the role and the grants of the caller include the apply, which a read-only token may plan alone. */
  includesApply: boolean;
  /** Whether the values of secrets can be compared. Otherwise a plan would tell whether a guess is right. */
  comparesSecrets: boolean;
}

/**
 * Checks the rights of the caller for a manifest of an application. All of it has to be visible or, if there is none, what belongs
 * to the team. FORBIDDEN if it is to be applied and the caller may not do so.
 */
export async function authorizeManifest(
  context: Context,
  target: PlanTarget,
  name: string,
  purpose: 'plan' | 'apply',
): Promise<PlannedPlace> {
  const { team } = target;
  const applicationId = await applicationIdOf(context, target, name);
  if (!(await seesIn(context, { teamId: team.id, applicationId }))) throw new NotFoundError('application');
  if (purpose === 'apply')
    requireAllowed(context, team, 'applyManifest', { noun: 'application', applicationId });
  const place = { ...placeOf(team), applicationId };
  const includesApply = allows(context.actor, 'applyManifest', place);
  const comparesSecrets = includesApply || allows(context.actor, 'readSecrets', place);
  return { ...target, applicationId, includesApply, comparesSecrets };
}

async function applicationIdOf(
  context: Context,
  { team, region }: PlanTarget,
  name: string,
): Promise<number | null> {
  const [found] = await context.db.application.findManyByKeys({
    by: 'name',
    keys: [name],
    where: [
      { field: 'teamId', is: team.id },
      { field: 'regionId', is: region.id },
    ],
    fields: ['id'],
  });
  return found?.id ?? null;
}
