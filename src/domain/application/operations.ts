import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change } from '../../db/write/change.ts';
import { lockRows } from '../../db/write/locks.ts';
import { requireRevision } from '../../db/write/revision.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { fold } from '../../kernel/validate.ts';
import { requireEnabled, requireTeamRegion } from '../region/reads.ts';
import { callerName } from '../service-account/reads.ts';
import { requireTeamFor } from '../team/reads.ts';
import type { CreateApplication, UpdateApplication } from './model.ts';
import { requireApplicationFor } from './reads.ts';
import { insertApplication, makeDefault, setApplication } from './rows.ts';

export async function createApplication(
  context: Context,
  input: CreateApplication,
): Promise<Row<'Application'>> {
  const team = await requireTeamFor(context, input.team, 'createApplication');
  const region = await requireTeamRegion(context, team, input.region);
  requireEnabled(region);
  const principal = input.principal ?? (await callerName(context));
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
    () => takenName(team, region, input.name),
  );
}

const takenName = (team: Row<'Team'>, region: Row<'Region'>, name: string) =>
  `The team ${team.name} already has an application named ${name} in the region ${region.name}.`;

export async function updateApplication(
  context: Context,
  { application: ref, expectedRevision, ...input }: UpdateApplication,
): Promise<Row<'Application'>> {
  const { application: found, team, region } = await requireApplicationFor(context, ref, 'updateApplication');
  return change(
    context,
    'application.update',
    async (write) => {
      if (input.isDefault) await makeDefault(write, found);
      await lockRows(write, 'Application', found.id);
      const before = await write.tx.application.findUnique({ where: { id: found.id } });
      if (!before) throw new NotFoundError('application');
      requireRevision(before, { expectedRevision }, 'application');
      const name = input.name ?? before.name;
      const { note, principal, governanceMode, logo } = { ...before, ...definedIn(input) };
      const orderIndex = input.orderIndex ?? before.orderIndex;
      const isDefault = input.isDefault ?? before.isDefault;
      const data = { name, note, principal, governanceMode, orderIndex, isDefault, logo, folded: fold(name) };
      return setApplication(write, before, data);
    },
    () => takenName(team, region, input.name ?? found.name),
  );
}

/** The fields that were given. Null is a value, which removes what was there. */
const definedIn = <T extends object>(input: T) =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as {
    [field in keyof T]: Exclude<T[field], undefined>;
  };
