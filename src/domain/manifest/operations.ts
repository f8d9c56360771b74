import { randomUUID } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { findByKeys } from '../../db/write/bulk.ts';
import { change, requireWritable, type Write } from '../../db/write/change.ts';
import { lockRows } from '../../db/write/locks.ts';
import { dryRun } from '../../db/write/plan.ts';
import { allows, placeOf } from '../../kernel/access.ts';
import { ConflictError, NotFoundError } from '../../kernel/errors.ts';
import { inSlices, mapInSlices } from '../../kernel/event-loop.ts';
import { groupBy } from '../../kernel/group.ts';
import { inTurn } from '../../kernel/in-turn.ts';
import { nameList } from '../../kernel/name-list.ts';
import { newAlias } from '../component/operations.ts';
import { lockComponents } from '../component/rows.ts';
import { openVariable } from '../component/variables/reads.ts';
import { requireEnabled, requireTeamRegion } from '../region/reads.ts';
import { callerName } from '../service-account/reads.ts';
import { requireAllowed, requireTeam, seesIn } from '../team/reads.ts';
import { applyWork } from './apply-rows.ts';
import { isTcpRoute, type ManifestDocument } from './document-model.ts';
import { locatedConflict, locatedError, type ReadDocument, readDocument } from './document-reads.ts';
import type { ApplyManifest, ManifestPlan, PlanManifest } from './model.ts';
import { ChangeList } from './plan/change-list.ts';
import { digestOf, documentDigest, revisionsOf } from './plan/digest.ts';
import { knownOf, type Place } from './plan/known.ts';
import { planDocument, type Work } from './plan/plan.ts';
import type { Scene, Taken } from './plan/scene.ts';
import { snapshotsOf } from './snapshots-reads.ts';
import { findWithin, type Standing, standingOf } from './standing-reads.ts';

interface Planned {
  plan: ManifestPlan;
  work: Work;
  standing: Standing | null;
}

/** Says what an apply would do: it is made, and rolled back, so that it fails as the apply would. */
export async function planManifest(context: Context, input: PlanManifest): Promise<ManifestPlan> {
  const team = await requireTeam(context, input.team);
  const region = await requireTeamRegion(context, team, input.region);
  requireEnabled(region);
  // A request can plan under hundreds of aliases, each in a transaction on a connection of its own.
  return inTurn(context, async () => {
    const read = await readDocument(input.document, ['document'], context);
    const place = await placeToPlan(context, { team, region }, read.document.application);
    const snapshots = await snapshotsOf(context, region, read.document);
    return dryRun(context, async (write) => {
      const planned = await planWithin(write, place, read, input, snapshots);
      if (planned.plan.changes.length > 0) await applyPlanned(write, place, read, planned, {});
      return planned.plan;
    });
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
  const place = await placeToApply(context, { team, region }, read.document.application);
  const snapshots = await snapshotsOf(context, region, read.document);
  const work = async (open: Write<Context>): Promise<Outcome> => {
    const manifest = read.document.application;
    // Every event of the change names the manifest.
    const write = {
      ...open,
      recordEvent: (event: Parameters<Write['recordEvent']>[0]) => open.recordEvent({ ...event, manifest }),
    };
    const planned = await planWithin(write, place, read, input, snapshots);
    const { plan, standing } = planned;
    if (input.expectedPlan != null && input.expectedPlan !== plan.digest) {
      throw new ConflictError(
        'The plan is no longer the one that was reviewed, because the application or the document has changed. Plan it again.',
      );
    }
    if (!input.allowsDestruction) requireHarmless(plan);
    const { application, job } = await applyPlanned(write, place, read, planned, input);
    return { applicationId: isDryRun ? (standing?.application.id ?? null) : application.id, job, plan };
  };
  if (isDryRun) return { ...(await dryRun(context, work)), job: null };
  return change(
    context,
    'application.apply_manifest',
    work,
    () => 'Somebody else created an object with the same name at the same moment. Plan it again.',
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

/** A place with the application that a document names there, for which the rights of the caller were checked. */
interface PlannedPlace extends Place {
  applicationId: number | null;
}

/** For a caller who may see all of the application or, if there is none, what belongs to the team. */
async function placeToPlan(context: Context, place: Place, name: string): Promise<PlannedPlace> {
  const applicationId = await applicationIdOf(context, place, name);
  const isVisible = await seesIn(context, { teamId: place.team.id, applicationId });
  if (!isVisible) throw new NotFoundError('application');
  return { ...place, applicationId };
}

/** For a caller who may apply manifests to the application or, if there is none, create it. */
async function placeToApply(context: Context, place: Place, name: string): Promise<PlannedPlace> {
  const planned = await placeToPlan(context, place, name);
  const { applicationId } = planned;
  requireAllowed(context, place.team, 'applyManifest', { noun: 'application', applicationId });
  return planned;
}

async function applicationIdOf(
  context: Context,
  { team, region }: Place,
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

/** Plans as the transaction sees the application. Its components are locked, then the region. */
async function planWithin(
  write: Write<Context>,
  { team, region, applicationId }: PlannedPlace,
  read: ReadDocument,
  input: PlanManifest,
  snapshots: Scene['snapshots'],
): Promise<Planned> {
  const { context, tx } = write;
  const { document } = read;
  const find = findWithin(write);
  const where = { teamId: team.id, regionId: region.id, name: document.application };
  const named = await tx.application.findUnique({ where: { teamId_regionId_name: where } });
  if (named) {
    const ids = await find('Component', 'applicationId', [named.id], ['id']);
    await lockComponents(
      write,
      ids.map(({ id }) => id),
    );
  }
  await lockRows(write, 'Region', region.id);
  const [application = null] = named ? await find('Application', 'id', [named.id]) : [];
  if ((application?.id ?? null) !== applicationId) {
    throw new ConflictError(
      'The application was created, renamed or deleted at the same moment. Plan it again.',
    );
  }
  const standing = application
    ? (await standingOf(find, [application], (ids) => withWrittenFiles(write, document, ids))).get(
        application.id,
      )!
    : null;
  const prune = input.prune ?? 'none';
  const known = await knownOf(write, find, { team, region }, document, standing);
  const scene: Scene = {
    document,
    team,
    region,
    userId: context.actor.userId,
    standing,
    plainVariables: await plainVariablesOf(context, { team, applicationId }, standing),
    prune,
    newAlias: aliasesFor(context, known.taken),
    hasRuns: context.drivers.region.get(region.driver)?.runs !== undefined,
    snapshots,
    removed: new Set(),
    list: new ChangeList(),
    issues: [],
    conflicts: [],
    failures: [],
    ...known,
  };
  const principal = application ? '' : await callerName(context);
  const work = await inSlices(planDocument(scene, principal), context.signal);
  if (scene.issues.length > 0) throw locatedError(read, scene.issues);
  if (scene.conflicts.length > 0) throw locatedConflict(read, scene.conflicts);
  if (scene.failures.length > 0) throw scene.failures[0];
  const digest = digestOf([team.id, region.id, prune, document, revisionsOf(standing, known)]);
  const { changes, leftOver, adopted } = scene.list;
  return { plan: { digest, changes, leftOver, adopted }, work, standing };
}

/** The components whose files the document writes. The others' are not read, because they can be large. */
async function withWrittenFiles(
  write: Write<Context>,
  { components }: ManifestDocument,
  ids: string[],
): Promise<string[]> {
  const rows = await findByKeys(write, 'Component', 'id', ids, ['id'], { fields: ['id', 'name'] });
  const writes = (name: string) =>
    Object.values(components?.[name]?.volumes ?? {}).some(({ fileContent }) => fileContent !== undefined);
  return rows.flatMap(({ id, name }) => (writes(name) ? id : []));
}

/** The secrets that the caller may neither read nor replace differ from every value: a plan would tell whether a guess is right. */
async function plainVariablesOf(
  { actor, seal, signal }: Context,
  { team, applicationId }: Pick<PlannedPlace, 'team' | 'applicationId'>,
  standing: Standing | null,
): Promise<Scene['plainVariables']> {
  const rows = (standing?.components ?? []).flatMap(({ variables }) => variables);
  const place = { ...placeOf(team), applicationId };
  const mayCompare = allows(actor, 'readSecrets', place) || allows(actor, 'applyManifest', place);
  const hidden = randomUUID();
  const open = (row: (typeof rows)[number]) => {
    const variable = openVariable(seal, row);
    return variable.isSecret && !mayCompare ? { ...variable, value: hidden } : variable;
  };
  const opened = await mapInSlices(rows, open, signal);
  return groupBy(opened, ({ componentId }) => componentId);
}

/** Makes aliases that nobody uses. */
function aliasesFor({ newAlias: make = newAlias }: Context, { aliases }: Taken): () => string {
  const made = new Set<string>();
  return () => {
    for (;;) {
      const alias = make();
      if (aliases.has(alias) || made.has(alias)) continue;
      made.add(alias);
      return alias;
    }
  };
}

/** A domain that is taken with the place of its first route. Other errors stay as they are. */
async function locatedDomain(read: ReadDocument, error: unknown): Promise<unknown> {
  const { domain, message } = error instanceof ConflictError ? error : {};
  const index = (read.document.routes ?? []).findIndex(
    (route) => !isTcpRoute(route) && domain !== undefined && route.domain === domain,
  );
  return index < 0
    ? error
    : locatedConflict(read, [{ path: ['routes', index, 'domain'], message: message! }]);
}

/** Makes a plan that changes or adopts something. Otherwise only the time of the apply is stored. */
async function applyPlanned(
  write: Write<Context>,
  place: Place,
  read: ReadDocument,
  { plan, work, standing }: Planned,
  { deploy }: Pick<ApplyManifest, 'deploy'>,
): Promise<{ application: Row<'Application'>; job: Row<'Job'> | null }> {
  const digest = documentDigest(read.document, standing);
  const applied = await applyWork({ ...write, ...place }, work, standing?.application ?? null, {
    deploy: deploy ?? 'changed',
    digest,
  }).catch(async (error) => {
    throw await locatedDomain(read, error);
  });
  const { id } = applied.application;
  write.recordEvent({
    action: 'application.apply_manifest',
    subject: { type: 'Application', id },
    teamId: place.team.id,
    applicationId: id,
    before: { documentDigest: standing?.manifest?.digest ?? null },
    after: { documentDigest: digest, planDigest: plan.digest, changes: plan.changes.length },
  });
  return applied;
}
