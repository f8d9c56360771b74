import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change, lockRows } from '../../db/write/change.ts';
import { fold } from '../../kernel/validate.ts';
import { requireEnabled, requireTeamRegion } from '../region/reads.ts';
import { requireTeam } from '../team/reads.ts';
import { userById } from '../user/reads.ts';
import type { CreateApplication } from './model.ts';

export async function createApplication(
  context: Context,
  input: CreateApplication,
): Promise<Row<'Application'>> {
  const team = await requireTeam(context, input.team, 'developer');
  const region = await requireTeamRegion(context, team, input.region);
  requireEnabled(region);
  const principal = input.principal ?? (await userById(context, context.actor.userId))!.nickName;
  return change(
    context,
    'application.create',
    async ({ tx, recordEvent }) => {
      const now = new Date();
      if (input.isDefault) {
        // Locks the team's region, so that concurrent requests cannot create two default applications.
        await lockRows({ context, tx }, 'Team', team.id);
        const where = { teamId: team.id, regionId: region.id, isDefault: true };
        for (const { id } of await tx.application.findMany({ where, select: { id: true } })) {
          await tx.application.update({ where: { id }, data: { isDefault: false, updatedAt: now } });
          recordEvent({
            action: 'application.update',
            subject: { type: 'Application', id },
            teamId: team.id,
            before: { isDefault: true },
            after: { isDefault: false },
          });
        }
      }
      const application = await tx.application.create({
        data: {
          teamId: team.id,
          regionId: region.id,
          name: input.name,
          note: input.note ?? null,
          principal,
          governanceMode: input.governanceMode ?? null,
          orderIndex: input.orderIndex ?? 0,
          isDefault: input.isDefault ?? false,
          logo: input.logo ?? null,
          createdAt: now,
          updatedAt: now,
          folded: fold(input.name),
        },
      });
      // The cluster name contains the id, which the database assigns.
      const named = await tx.application.update({
        where: { id: application.id },
        data: { clusterName: `app-${application.id}` },
      });
      recordEvent({ subject: { type: 'Application', id: named.id }, teamId: team.id, after: named });
      return named;
    },
    () =>
      `The team ${team.name} already has an application named ${input.name} in the region ${region.name}.`,
  );
}
