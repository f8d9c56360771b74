import type { Context } from '../../context.ts';
import { Needs } from '../../db/write/beforehand.ts';
import { requireWritable } from '../../db/write/change.ts';
import { inPlanQueue } from '../../db/write/dry-run.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { nameList } from '../../kernel/name-list.ts';
import type { ManifestPlan } from '../plan/model.ts';
import type { Scene } from '../plan/scene.ts';
import { requireEnabled, requireTeamRegion } from '../region/reads.ts';
import { requireAllowed, requireTeam } from '../team/reads.ts';
import { authorizeManifest } from './access-reads.ts';
import { type ReadDocument, readDocument } from './document-reads.ts';
import type { ApplyManifest, PlanManifest } from './model.ts';
import { makeManifest, type Outcome } from './plan-operations.ts';
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
    const options = { isDryRun: true, snapshots: snapshots ?? { missing: null }, prepared };
    return (await makeManifest(context, place, read, input, options)).plan;
  });
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
  return makeManifest(context, place, read, input, { isDryRun, snapshots, check });
}

function requireExpected({ digest }: ManifestPlan, { expectedPlan }: ApplyManifest): void {
  if (expectedPlan == null || expectedPlan === digest) return;
  throw new ConflictError(
    'The application or the document has changed since the plan was reviewed. Plan the change again.',
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
    `The change destroys data or addresses: ${nameList(names)}. Set \`allowsDestruction\` to allow this.`,
  );
}
