import type { Context } from '../../context.ts';
import type { FoundNamespace, OmittedPart } from '../../convert/kubernetes/model.ts';
import type { Row } from '../../db/tables.ts';
import { requireWritable, type Write } from '../../db/write/change.ts';
import { changeWithPlan, type ObjectChange } from '../../db/write/plan.ts';
import type { Reading } from '../../db/write/reading.ts';
import { plannedBefore } from '../../db/write/recheck.ts';
import { boundedLook, RegionWorkError } from '../../drivers/region/driver.ts';
import { ApiError, ConflictError, NotFoundError } from '../../kernel/errors.ts';
import { insertApplication } from '../application/rows.ts';
import { lockNames } from '../component/names/reads.ts';
import { requireEnabled, requireTeamRegion } from '../region/reads.ts';
import { callerName } from '../service-account/reads.ts';
import { requireTeamFor } from '../team/reads.ts';
import { usableParts } from './found-model.ts';
import type { ImportNamespace } from './model.ts';
import { insertFound, planFound } from './rows.ts';

/** How long a namespace may take to be read, in ms. It has many objects. */
const readTimeoutMs = 20_000;

async function readNamespace(
  context: Context,
  region: Row<'Region'>,
  namespace: string,
): Promise<FoundNamespace> {
  const access = context.drivers.region.get(region.driver)?.namespaces;
  if (!access) {
    throw new ConflictError(
      `The region ${region.name} has no namespaces: its driver is ${region.driver.toUpperCase()}.`,
    );
  }
  let found: FoundNamespace | undefined;
  try {
    found = await boundedLook((signal) => access.read(region.id, namespace, signal), context, readTimeoutMs);
  } catch (error) {
    context.log.warn({ region: region.id, error }, 'region driver failed');
    const message =
      error instanceof RegionWorkError ? error.message : `The region ${region.name} did not respond.`;
    throw new ApiError('REGION_UNAVAILABLE', message);
  }
  if (!found) throw new NotFoundError('namespace');
  return usableParts(found, region);
}

/** Creates an application of what runs in a namespace, which is not touched. None of it is deployed. */
export async function importNamespace(
  context: Context,
  input: ImportNamespace,
): Promise<{ application: Row<'Application'> | null; omitted: OmittedPart[]; plan: ObjectChange[] }> {
  const team = await requireTeamFor(context, input.team, 'importNamespace');
  const region = await requireTeamRegion(context, team, input.region);
  requireEnabled(region);
  const isDryRun = input.dryRun ?? false;
  if (!isDryRun) requireWritable(context);
  const found = await readNamespace(context, region, input.namespace);
  const principal = await callerName(context);
  const name = input.name ?? input.namespace;
  const planned = plannedBefore(context, async (reading: Reading<Context>) => {
    await lockNames(reading, { team, region });
    return planFound({ ...reading, team, region }, found.components);
  });
  const run = async (write: Write<Context>) => {
    const work = await planned.within(write);
    const at = { teamId: team.id, regionId: region.id };
    const application = await insertApplication(write, { ...at, name, principal });
    const omitted = await insertFound({ ...write, team, region }, application, work);
    write.recordEvent({
      action: 'application.import',
      subject: { type: 'Application', id: application.id },
      name: application.name,
      teamId: team.id,
      applicationId: application.id,
      after: { namespace: input.namespace, components: found.components.map((each) => each.name) },
    });
    return { application, omitted: [...found.omitted, ...omitted] };
  };
  const taken = () =>
    `The team ${team.name} already has an application named ${name} in the region ${region.name}.`;
  const { result, plan } = await changeWithPlan(
    context,
    'application.create',
    { dryRun: isDryRun, prepare: planned.prepare },
    run,
    taken,
  );
  return { application: isDryRun ? null : result.application, omitted: result.omitted, plan };
}
