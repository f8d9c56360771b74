import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { Prepare } from '../../db/write/beforehand.ts';
import { requireWritable, type Write } from '../../db/write/change.ts';
import { changeWithPlan, type ObjectChange } from '../../db/write/plan.ts';
import type { Reading } from '../../db/write/reading.ts';
import { plannedBefore } from '../../db/write/recheck.ts';
import { allows, placeOf } from '../../kernel/access.ts';
import { ForbiddenError, InvalidInputError, NotFoundError } from '../../kernel/errors.ts';
import { requireApplication, wholeApplication } from '../application/reads.ts';
import { beforeImages } from '../component/deploy/prepared-reads.ts';
import { requireEnabled, requireTeamRegion } from '../region/reads.ts';
import { requireAllowed, requireTeamFor } from '../team/reads.ts';
import type { CopyApplication, Omission } from './model.ts';
import { planCopy } from './plan-reads.ts';
import { makeCopy } from './rows.ts';
import type { CopyOptions, CopyPlan, Original } from './scene-reads.ts';
import { snapshotsToCopy } from './snapshots-reads.ts';

/** FORBIDDEN for callers who may not read the secrets of an application, which its copy would have. */
function requireSecrets(context: Context, { application, team }: Original): void {
  const { id: applicationId } = application;
  if (!allows(context.actor, 'readSecrets', { ...placeOf(team), applicationId })) {
    throw new ForbiddenError(
      'Copying the secrets of an application requires the right to read them. Set `secrets` to OMIT to leave them out.',
    );
  }
  requireAllowed(context, team, 'readSecrets', { noun: 'application', applicationId });
}

/** FORBIDDEN for callers who may not restore snapshots of an application, whose data its copy would have. */
function requireData(context: Context, { application, team, region }: Original, to: Row<'Region'>): void {
  requireAllowed(context, team, 'restoreVolumeSnapshot', {
    noun: 'application',
    applicationId: application.id,
  });
  if (to.id === region.id) return;
  const message = `The snapshots are in the region ${region.name}: a copy in another region cannot have the data of these snapshots`;
  throw new InvalidInputError([{ path: ['input', 'volumes'], message }]);
}

/** A copy that is planned before its transaction, which then makes it. */
export function plannedCopy(
  context: Context,
  place: Pick<Original, 'team' | 'region'>,
  original: Original,
  options: CopyOptions,
  isDryRun: boolean,
) {
  let last: CopyPlan | undefined;
  const planned = plannedBefore(context, async (reading: Reading<Context>) => {
    last = await planCopy({ ...reading, ...place }, original, options);
    return last;
  });
  const prepare: Prepare = async (prepared) => {
    await planned.prepare(prepared);
    const deployed = options.deploy ? (last?.works ?? []).filter(({ isLeftAlone }) => !isLeftAlone) : [];
    await beforeImages(
      context,
      place,
      deployed.map(({ row }) => row.image),
      isDryRun,
    )?.(prepared);
  };
  const make = async (write: Write<Context>) => {
    const copy = await planned.within(write);
    return { copy, ...(await makeCopy({ ...write, ...place }, copy)) };
  };
  return { prepare, make };
}

/** Copies an application under another name, in one transaction. The original stays as it is. */
export async function copyApplication(
  context: Context,
  input: CopyApplication,
): Promise<{
  application: Row<'Application'> | null;
  job: Row<'Job'> | null;
  omitted: Omission[];
  leftStopped: string[];
  plan: ObjectChange[];
}> {
  const original: Original = await requireApplication(context, input.application);
  const { id } = original.application;
  const team = await requireTeamFor(context, input.team ?? { teamId: original.team.id }, 'copyApplication');
  const region = await requireTeamRegion(context, team, input.region ?? { regionId: original.region.id });
  requireEnabled(region);
  if (!(await wholeApplication(context, id))) throw new NotFoundError('application');
  const isDryRun = input.dryRun ?? false;
  if (!isDryRun) requireWritable(context);
  const { name, images, variables } = input;
  const options: CopyOptions = {
    ...{ name, images, variables },
    secrets: input.secrets ?? 'copy',
    volumes: input.volumes ?? 'empty',
    deploy: input.deploy ?? false,
  };
  if (options.secrets === 'copy') requireSecrets(context, original);
  if (options.volumes === 'from_snapshot') {
    requireData(context, original, region);
    options.snapshots = await snapshotsToCopy(context, original);
  }
  const { prepare, make } = plannedCopy(context, { team, region }, original, options, isDryRun);
  const taken = () =>
    `The team ${team.name} already has an application named ${name} in the region ${region.name}.`;
  const { result, plan } = await changeWithPlan(
    context,
    'application.copy',
    { dryRun: isDryRun, prepare },
    make,
    taken,
  );
  const { omitted, leftStopped } = result.copy;
  const application = isDryRun ? null : result.application;
  return { application, job: result.job, omitted, leftStopped, plan };
}
