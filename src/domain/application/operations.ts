import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change } from '../../db/write/change.ts';
import { locked } from '../../db/write/locked.ts';
import { patched } from '../../db/write/revision.ts';
import { allowsThroughout, placeOf, requireRight } from '../../kernel/access.ts';
import { ForbiddenError } from '../../kernel/errors.ts';
import { fold } from '../../kernel/validate.ts';
import { requireEnabled, requireTeamRegion } from '../region/reads.ts';
import { callerName } from '../service-account/reads.ts';
import { requireAllowed, requireTeamFor } from '../team/reads.ts';
import { applicationHooks } from './hooks.ts';
import { type CreateApplication, describing, type UpdateApplication } from './model.ts';
import { givesSecrets, previewColumnOf, previewSettingsOf } from './preview-model.ts';
import { requireApplicationFor } from './reads.ts';
import { insertApplication, makeDefault, setApplication } from './rows.ts';

export async function createApplication(
  context: Context,
  input: CreateApplication,
): Promise<Row<'Application'>> {
  const team = await requireTeamFor(context, input.team, 'createApplication');
  const region = await requireTeamRegion(context, team, input.region);
  requireEnabled(region);
  const { team: _, region: __, ...columns } = input;
  const principal = input.principal ?? (await callerName(context));
  const previews = previewColumnOf(input.previews ?? null);
  requireGivingSecrets(context, team, { previews });
  return change(
    context,
    'application.create',
    (write) =>
      insertApplication(write, {
        ...columns,
        previews,
        isolation: input.isolation ?? undefined,
        teamId: team.id,
        regionId: region.id,
        principal,
        orderIndex: input.orderIndex ?? 0,
        isDefault: input.isDefault ?? false,
      }),
    () => takenName(team, region, input.name),
  );
}

const takenName = (team: Row<'Team'>, region: Row<'Region'>, name: string) =>
  `The team ${team.name} already has an application named ${name} in the region ${region.name}.`;

/** FORBIDDEN for callers who give previews what they may not read themselves: who opens one chooses an image that can read it. */
export function requireGivingSecrets(
  context: Context,
  team: Row<'Team'>,
  after: Pick<Row<'Application'>, 'previews'>,
  before?: Row<'Application'>,
): void {
  const settings = before ? previewSettingsOf(before) : null;
  if (!givesSecrets(previewSettingsOf(after), settings)) return;
  requireAllowed(context, team, 'readSecrets', { noun: 'application', applicationId: before?.id ?? null });
}

/** FORBIDDEN for callers who may not change all applications of a team, with whose components those of the application would share a network. */
function requireJoining(
  context: Context,
  team: Row<'Team'>,
  before: Pick<Row<'Application'>, 'isolation'>,
  wanted: UpdateApplication['isolation'],
): void {
  if (wanted !== 'team' || before.isolation === wanted) return;
  requireRight(context, (actor) => {
    if (allowsThroughout(actor, 'updateApplication', placeOf(team))) return;
    throw new ForbiddenError(
      `Moving the application into the namespace of the team ${team.name} requires the right to change all applications of the team.`,
    );
  });
}

export async function updateApplication(
  context: Context,
  input: UpdateApplication,
): Promise<Row<'Application'>> {
  const {
    application: found,
    team,
    region,
  } = await requireApplicationFor(context, input.application, 'updateApplication');
  requireJoining(context, team, found, input.isolation);
  return change(
    context,
    'application.update',
    async (write) => {
      if (input.isDefault) await makeDefault(write, found);
      if (input.isolation != null) {
        for (const { isolating } of applicationHooks) await isolating?.(write, found, input.isolation);
      }
      const before = await locked(write, 'Application', found.id, input);
      requireJoining(context, team, before, input.isolation);
      const data = patched(before, input, ['name', 'isolation', 'orderIndex', 'isDefault'], describing);
      const previews = input.previews === undefined ? before.previews : previewColumnOf(input.previews);
      requireGivingSecrets(context, team, { previews }, before);
      return setApplication(write, before, { ...data, previews, folded: fold(data.name) });
    },
    () => takenName(team, region, input.name ?? found.name),
  );
}
