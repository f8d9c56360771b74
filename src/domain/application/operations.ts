import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change } from '../../db/write/change.ts';
import { requireEnabled, requireTeamRegion } from '../region/reads.ts';
import { requireTeam } from '../team/reads.ts';
import { loadUser } from '../user/reads.ts';
import type { CreateApplication } from './model.ts';
import { insertApplication } from './rows.ts';

export async function createApplication(
  context: Context,
  input: CreateApplication,
): Promise<Row<'Application'>> {
  const team = await requireTeam(context, input.team, 'developer');
  const region = await requireTeamRegion(context, team, input.region);
  requireEnabled(region);
  const principal = input.principal ?? (await loadUser(context, context.actor.userId)).nickName;
  return change(
    context,
    'application.create',
    (write) =>
      insertApplication(write, {
        teamId: team.id,
        regionId: region.id,
        name: input.name,
        note: input.note ?? null,
        principal,
        governanceMode: input.governanceMode ?? null,
        orderIndex: input.orderIndex ?? 0,
        isDefault: input.isDefault ?? false,
        logo: input.logo ?? null,
      }),
    () =>
      `The team ${team.name} already has an application named ${input.name} in the region ${region.name}.`,
  );
}
