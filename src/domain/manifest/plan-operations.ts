import { randomUUID } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { findByKeys } from '../../db/write/bulk.ts';
import type { Write } from '../../db/write/change.ts';
import { changedMeanwhile } from '../../db/write/dry-run.ts';
import type { Reading } from '../../db/write/reading.ts';
import type { RecordEvent } from '../../db/write/record.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { inSlices } from '../../kernel/event-loop.ts';
import { defaultIsolation, namespaceIdOf, newNamespace } from '../application/model.ts';
import { requireGivingSecrets } from '../application/operations.ts';
import { plannedImages } from '../component/deploy/image-rows.ts';
import { claimTaken, freeAliases, lockNames, meetingClaims } from '../component/names/reads.ts';
import { lockComponents } from '../component/rows.ts';
import type { PlainVariable } from '../component/variables/reads.ts';
import { planDocument } from '../plan/application.ts';
import { completePlan } from '../plan/apply-rows.ts';
import { claimingOf } from '../plan/claims.ts';
import { leftStoppedBy } from '../plan/deployed.ts';
import { digestOf, documentDigest, revisionsOf } from '../plan/digest.ts';
import { isTcpRoute, type ManifestDocument } from '../plan/document-model.ts';
import { knownOf, type PlanTarget } from '../plan/known.ts';
import type { Deploying, ManifestPlan } from '../plan/model.ts';
import { makePlanned, type PlannedChange } from '../plan/planned-operations.ts';
import { type Scene, sceneOf } from '../plan/scene.ts';
import {
  componentNamed,
  findWithin,
  plainVariablesOf,
  type Standing,
  standingOf,
  withVisibleOutside,
} from '../plan/standing-reads.ts';
import type { Work } from '../plan/work.ts';
import { callerName } from '../service-account/reads.ts';
import type { PlannedPlace } from './access-reads.ts';
import { applyWork } from './apply-rows.ts';
import { locatedConflict, locatedError, type ReadDocument } from './document-reads.ts';
import type { PlanManifest } from './model.ts';

interface Planned {
  plan: ManifestPlan;
  work: Work;
  standing: Standing | null;
  /** Of the document without the values of secrets. */
  documentDigest: string;
}

type DeployInput = Pick<PlanManifest, 'deploy' | 'startStopped'>;

const deployingOf = ({ deploy, startStopped }: DeployInput): Deploying => ({
  deploy: deploy ?? 'changed',
  startStopped,
});

export interface Outcome {
  /** Null for a dry run that would create it. */
  applicationId: number | null;
  job: Row<'Job'> | null;
  plan: ManifestPlan;
}

/** Makes what a document describes, or plans it. `check` refuses plans that are not to be made. */
export function makeManifest(
  context: Context,
  place: PlannedPlace,
  read: ReadDocument,
  input: PlanManifest,
  {
    isDryRun,
    snapshots,
    check = () => {},
    prepared,
  }: {
    isDryRun: boolean;
    snapshots: Scene['snapshots'];
    check?: (plan: ManifestPlan) => void;
    prepared?: Write['prepared'];
  },
): Promise<Outcome> {
  const asksNobody = !place.includesApply;
  const isLimited = context.actor.isReadOnly || asksNobody;
  const planned: PlannedChange<Planned, Outcome> = {
    action: 'application.apply_manifest',
    isDryRun,
    async plan(reading) {
      const made = await planWithin(reading, place, read, input, snapshots);
      check(made.plan);
      if (isDryRun && isLimited) context.budget?.requirePlanObjects(made.plan.changes.length);
      return made;
    },
    before: ({ standing }) => standing?.application ?? null,
    async make(write, { plan, ...rest }) {
      const { application, job } = await applyPlanned(write, place, read, { plan, ...rest }, input);
      const applicationId = isDryRun ? place.applicationId : application.id;
      return { applicationId, job, plan: { ...plan, images: plannedImages(write) } };
    },
    taken: () =>
      'Another request created an object with the same name at the same time. Plan the change again.',
  };
  const settled = ({ plan }: Planned): Outcome | undefined =>
    plan.changes.length > 0 ? undefined : { applicationId: place.applicationId, job: null, plan };
  return makePlanned(context, planned, { isLimited, settled, asksNobody, ...(prepared && { prepared }) });
}

/** Plans as the transaction sees the application. Its components are locked, then their names, unless they are read outside of one. */
async function planWithin(
  write: Reading<Context>,
  place: PlannedPlace,
  read: ReadDocument,
  input: PlanManifest,
  snapshots: Scene['snapshots'],
): Promise<Planned> {
  const { context } = write;
  const { team, region, applicationId } = place;
  const { document } = read;
  const find = findWithin(write);
  const named = (
    await findByKeys(write, 'Application', 'name', [document.application], ['id'], {
      where: { field: 'teamId', is: team.id },
    })
  ).find(({ regionId }) => regionId === region.id);
  if (named && !write.tx.isDryRun) {
    const ids = await find('Component', 'applicationId', [named.id], ['id']);
    await lockComponents(
      write,
      ids.map(({ id }) => id),
    );
  }
  await lockNames(write, { team, region });
  const [application = null] = named ? await find('Application', 'id', [named.id]) : [];
  if ((application?.id ?? null) !== applicationId) {
    throw changedMeanwhile();
  }
  const standing = application ? await standingFor(write, application, document) : null;
  const prune = input.prune ?? 'none';
  const namespaceId = namespaceIdOf(
    application ?? { id: newNamespace, isolation: (document.isolation ?? defaultIsolation).toLowerCase() },
  );
  const newOnes = Object.entries(document.components ?? {}).filter(
    ([name, { alias }]) => alias == null && !(standing && componentNamed(standing, name)),
  );
  const known = await knownOf(write, find, { team, region, namespaceId }, document, standing);
  const scene = sceneOf({
    document,
    team,
    region,
    namespaceId,
    userId: context.actor.userId,
    standing,
    plainVariables: await comparedVariablesOf(context, place, standing),
    prune,
    newAlias: await freeAliases(write, { team, region }, newOnes.length),
    hasRuns: context.drivers.region.get(region.driver)?.runs !== undefined,
    snapshots,
    ...known,
  });
  const principal = application ? '' : await callerName(context);
  const work = await inSlices(planDocument(scene, principal), context.signal);
  const { previews = application?.previews ?? null } = work.application.data;
  requireGivingSecrets(context, team, { previews }, application ?? undefined);
  for (const { component, volume } of await meetingClaims(
    write,
    { team, region },
    claimingOf(work.components),
  )) {
    const { name } = work.components.find(({ row }) => row.id === component.id)!;
    scene.conflicts.push({ path: ['components', name, 'volumes', volume], message: claimTaken(volume) });
  }
  if (scene.issues.length > 0) throw locatedError(read, scene.issues);
  if (scene.conflicts.length > 0) throw locatedConflict(read, scene.conflicts);
  if (scene.failures.length > 0) throw scene.failures[0];
  await completePlan(write, work);
  const digest = digestOf([team.id, region.id, prune, document, revisionsOf(standing, known)]);
  const { changes, leftOver, adopted } = scene.list;
  const stopped = leftStoppedBy(work.components, deployingOf(input));
  return {
    plan: { digest, changes, leftOver, adopted, images: [], leftStopped: stopped },
    work,
    standing,
    documentDigest: documentDigest(document, standing),
  };
}

/** The application as it stands, as far as the document and the caller need it. */
async function standingFor(
  write: Reading<Context>,
  application: Row<'Application'>,
  document: ManifestDocument,
): Promise<Standing> {
  const withFiles = (ids: string[]) => withWrittenFiles(write, document, ids);
  const standing = await standingOf(write, [application], withFiles);
  return withVisibleOutside(write.context, standing.get(application.id)!);
}

/** The components whose files the document writes. The others' are not read, because they can be large. */
async function withWrittenFiles(
  write: Reading<Context>,
  { components }: ManifestDocument,
  ids: string[],
): Promise<string[]> {
  const rows = await findByKeys(write, 'Component', 'id', ids, ['id'], { fields: ['id', 'name'] });
  const writes = (name: string) =>
    Object.values(components?.[name]?.volumes ?? {}).some(({ fileContent }) => fileContent !== undefined);
  return rows.flatMap(({ id, name }) => (writes(name) ? id : []));
}

/** The secrets that the caller may neither read nor replace differ from every value. */
async function comparedVariablesOf(
  context: Context,
  { comparesSecrets }: PlannedPlace,
  standing: Standing | null,
): Promise<Scene['plainVariables']> {
  const opened = await plainVariablesOf(context, standing?.components ?? []);
  if (comparesSecrets) return opened;
  const value = randomUUID();
  const hidden = (variable: PlainVariable) => (variable.isSecret ? { ...variable, value } : variable);
  return new Map([...opened].map(([id, variables]) => [id, variables.map(hidden)]));
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
  open: Write<Context>,
  place: PlanTarget,
  read: ReadDocument,
  { plan, work, standing, documentDigest: digest }: Planned,
  input: DeployInput,
): Promise<{ application: Row<'Application'>; job: Row<'Job'> | null }> {
  const manifest = read.document.application;
  // Every event of the change names the manifest.
  const recordEvent: RecordEvent = (event) => open.recordEvent({ ...event, manifest });
  const write = { ...open, recordEvent };
  const applied = await applyWork({ ...write, ...place }, work, standing?.application ?? null, {
    ...deployingOf(input),
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
