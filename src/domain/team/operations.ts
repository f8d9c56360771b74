import type { Context } from '../../context.ts';
import { isTransaction } from '../../db/database.ts';
import type { Row } from '../../db/tables.ts';
import { change, requireRightsStill } from '../../db/write/change.ts';
import { locked, lockedForDelete } from '../../db/write/locked.ts';
import { changeByStatements, type ObjectChange } from '../../db/write/plan.ts';
import { patched } from '../../db/write/revision.ts';
import { actionsOfRole } from '../../kernel/actions.ts';
import { ownUser, requireAdministrator, requireGivingEverywhere, requireUser } from '../user/reads.ts';
import { teamHooks } from './hooks.ts';
import type { CreateTeam, DeleteTeam, UpdateTeam } from './model.ts';
import { requireTeamFor } from './reads.ts';
import { insertTeam, removeTeam, setTeam } from './rows.ts';

export async function createTeam(context: Context, input: CreateTeam): Promise<Row<'Team'>> {
  requireAdministrator(context, 'createTeam');
  const owner = await requireUser(context, input.owner ?? ownUser(context, ['input', 'owner']));
  if (owner.id !== context.actor.userId) requireGivingEverywhere(context, actionsOfRole('owner'));
  const alias = input.alias ?? input.name;
  return change(
    context,
    'team.create',
    (write) => {
      const { enterpriseId, userId: creatorId } = context.actor;
      return insertTeam(write, { enterpriseId, name: input.name, alias, creatorId }, owner.id);
    },
    () => `A team named ${input.name} already exists.`,
  );
}

/** Changes the display name of a team. */
export async function updateTeam(context: Context, input: UpdateTeam): Promise<Row<'Team'>> {
  const team = await requireTeamFor(context, input.team, 'updateTeam');
  return change(context, 'team.update', async (write) => {
    const before = await locked(write, 'Team', team.id, input);
    return setTeam(write, before, patched(before, input, ['alias']));
  });
}

/** Deletes a team with all that belongs to it. CONFLICT while it has applications or unfinished jobs. */
export async function deleteTeam(
  context: Context,
  input: DeleteTeam,
): Promise<{ team: Row<'Team'>; plan: ObjectChange[] }> {
  const target = await requireTeamFor(context, input.team, 'deleteTeam');
  const options = { ...input, deleted: [{ model: 'Team' as const, ids: [target.id] }] };
  const { result, plan } = await changeByStatements(context, 'team.delete', options, async (write) => {
    for (const { locking } of teamHooks) await locking?.(write, target);
    const team = await lockedForDelete(write, 'Team', target.id, input);
    if (isTransaction(write.tx)) await requireRightsStill(context, write.tx);
    for (const { checking } of teamHooks) await checking?.(write, team);
    for (const { deleting } of teamHooks) await deleting?.(write, team);
    await removeTeam(write, team);
    return team;
  });
  return { team: result, plan };
}
