import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { Needs } from '../../db/write/beforehand.ts';
import { change, requireWritable, type Write } from '../../db/write/change.ts';
import { inPlanQueue } from '../../db/write/plan.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { nameList } from '../../kernel/name-list.ts';
import { plannedImages } from '../component/deploy/image-rows.ts';
import type { ManifestPlan } from '../plan/model.ts';
import type { Scene } from '../plan/scene.ts';
import { requireEnabled, requireTeamRegion } from '../region/reads.ts';
import { requireAllowed, requireTeam } from '../team/reads.ts';
import { authorizeManifest } from './access-reads.ts';
import { type ReadDocument, readDocument } from './document-reads.ts';
import type { ApplyManifest, PlanManifest } from './model.ts';
import { applyPlanned, makePlan, planWithin } from './plan-operations.ts';
import { needsSnapshots, snapshotsOf } from './snapshots-reads.ts';

/** Says what an apply would do: it is made, and rolled back, so that it fails as the apply would. */
export async function planManifest(context: Context, input: PlanManifest): Promise<ManifestPlan> {
  const team = await requireTeam(context, input.team);
  const region = await requireTeamRegion(context, team, input.region);
  requireEnabled(region);
  let read: ReadDocument | undefined;
  let snapshots: Scene['snapshots'] | undefined;
  return inPlanQueue(context, async (prepared) => {
    read ??= await readDocument(input.document, ['document'], context);
    const { document } = read;
    const place = await authorizeManifest(context, { team, region }, document.application, 'plan');
    if (!snapshots && needsSnapshots(document)) {
      const needs = new Needs();
      needs.add(async () => {
        snapshots = await snapshotsOf(context, region, document);
      });
      needs.require();
    }
    return (await makePlan(context, place, read, input, snapshots ?? { missing: null }, { prepared })).plan;
  });
}

export interface Outcome {
  /** Null for a dry run that would create it. */
  applicationId: number | null;
  job: Row<'Job'> | null;
  plan: ManifestPlan;
}

/** Makes what a document describes of an application, in one transaction. */
export async function applyManifest(context: Context, input: ApplyManifest): Promise<Outcome> {
  const team = await requireTeam(context, input.team);
  const region = await requireTeamRegion(context, team, input.region);
  requireEnabled(region);
  // Others may apply to some applications, which the document names.
  if (!context.actor.isPartial) requireAllowed(context, team, 'applyManifest');
  const isDryRun = input.dryRun ?? false;
  if (!isDryRun) requireWritable(context);
  const read = await readDocument(input.document, ['input', 'document'], context);
  const place = await authorizeManifest(context, { team, region }, read.document.application, 'apply');
  const snapshots = await snapshotsOf(context, region, read.document);
  const check = (plan: ManifestPlan) => {
    requireExpected(plan, input);
    if (!input.allowsDestruction) requireHarmless(plan);
  };
  if (isDryRun) {
    const { plan, standing } = await makePlan(context, place, read, input, snapshots, { check });
    return { applicationId: standing?.application.id ?? null, job: null, plan };
  }
  const work = async (open: Write<Context>): Promise<Outcome> => {
    const manifest = read.document.application;
    // Every event of the change names the manifest.
    const write = {
      ...open,
      recordEvent: (event: Parameters<Write['recordEvent']>[0]) => open.recordEvent({ ...event, manifest }),
    };
    const planned = await planWithin(write, place, read, input, snapshots);
    check(planned.plan);
    const { application, job } = await applyPlanned(write, place, read, planned, input);
    return { applicationId: application.id, job, plan: { ...planned.plan, images: plannedImages(open) } };
  };
  return change(
    context,
    'application.apply_manifest',
    work,
    () => 'Somebody else created an object with the same name at the same moment. Plan it again.',
  );
}

function requireExpected({ digest }: ManifestPlan, { expectedPlan }: ApplyManifest): void {
  if (expectedPlan == null || expectedPlan === digest) return;
  throw new ConflictError(
    'The plan is no longer the one that was reviewed, because the application or the document has changed. Plan it again.',
  );
}

function requireHarmless({ changes }: ManifestPlan): void {
  const destroyed = changes.filter(({ isDestructive }) => isDestructive);
  if (destroyed.length === 0) return;
  const names = destroyed.map(
    ({ action, object, component, name }) =>
      `${action} ${object} ${component === null ? name : `${component} ${name}`}`,
  );
  throw new ConflictError(
    `The change destroys data or addresses: ${nameList(names)}. Set \`allowsDestruction\` to make it.`,
  );
}
