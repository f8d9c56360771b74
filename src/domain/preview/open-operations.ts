import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { findByKeys } from '../../db/write/bulk.ts';
import type { Write } from '../../db/write/change.ts';
import { databaseNow } from '../../db/write/database-now.ts';
import { locked } from '../../db/write/locked.ts';
import { changeWithPlan, type ObjectChange } from '../../db/write/plan.ts';
import type { Reading } from '../../db/write/reading.ts';
import { plannedBefore } from '../../db/write/recheck.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { mapInSlices } from '../../kernel/event-loop.ts';
import { nameList } from '../../kernel/name-list.ts';
import { invalid } from '../../kernel/validate.ts';
import { namespaceIdOf } from '../application/model.ts';
import { type PreviewSettings, previewSettingsOf } from '../application/preview-model.ts';
import { applicationWithin, requireApplicationFor } from '../application/reads.ts';
import { lockComponents } from '../component/rows.ts';
import { requireFewWith } from '../component/size/rows.ts';
import type { Omission } from '../copy/model.ts';
import { plannedCopy } from '../copy/operations.ts';
import type { CopyOptions } from '../copy/scene-reads.ts';
import { applyComponents, completePlan } from '../plan/apply-rows.ts';
import type { ComponentEntry } from '../plan/component-model.ts';
import { planEntry } from '../plan/entry.ts';
import { policyOfManifests } from '../plan/parts-rows.ts';
import { sceneWithin } from '../plan/scene.ts';
import { plainVariablesOf, standingOf } from '../plan/standing-reads.ts';
import { type ComponentWork, noRoutes } from '../plan/work.ts';
import { nameOfPreview, type OpenPreview } from './model.ts';
import { previewWithKey } from './reads.ts';
import { changePreview, insertPreview, requirePreviewRoom } from './rows.ts';

type Preview = Row<'Preview'>;
type Application = Row<'Application'>;
interface Place {
  team: Row<'Team'>;
  region: Row<'Region'>;
}

export interface OpenedPreview {
  /** Null for a dry run of a new one. */
  preview: Preview | null;
  /** The job that deploys it. Null if there is nothing to deploy, and for a dry run. */
  job: Row<'Job'> | null;
  /** What a new preview leaves out. */
  omitted: Omission[];
  plan: ObjectChange[];
}

/** The settings of an application that allows previews. */
function requireSettings(application: Application): PreviewSettings {
  const settings = previewSettingsOf(application);
  if (settings) return settings;
  throw new ConflictError(
    `The application ${application.name} allows no previews. Set \`previews\` with \`updateApplication\`, or in its manifest.`,
  );
}

/**
 * Opens a preview: a copy of the application under a key. A preview that is open already gets the images, the variables and the time
 * of the call, and keeps all else.
 */
export async function openPreview(context: Context, input: OpenPreview): Promise<OpenedPreview> {
  const target = await requireApplicationFor(context, input.application, 'openPreview');
  requireSettings(target.application);
  const preview = await previewWithKey(context, target.application.id, input.key);
  if (!preview) return open(context, target, input);
  if (preview.copyId === null) throw new ConflictError(beingDeleted(preview));
  return update(context, target, { ...preview, copyId: preview.copyId }, input);
}

const beingDeleted = ({ key }: Preview) =>
  `The preview ${key} is being removed from the cluster. Try again later, or use another key.`;

const expiryOf = (
  now: Date,
  { lifetimeHours }: Pick<OpenPreview, 'lifetimeHours'>,
  settings: PreviewSettings,
) => new Date(now.getTime() + (lifetimeHours ?? settings.lifetimeHours) * 3_600_000);

/** What a call gives the components of a preview, by their names. */
function entriesOf({ images, variables }: OpenPreview): Map<string, ComponentEntry> {
  type Variables = Record<string, { value: string; isSecret?: boolean }>;
  const entries = new Map<
    string,
    { image?: string; variables?: Variables; connectionVariables?: Variables }
  >();
  const entryOf = (component: string) => {
    const entry = entries.get(component) ?? {};
    entries.set(component, entry);
    return entry;
  };
  for (const { component, image } of images ?? []) entryOf(component).image = image;
  for (const { component, name, scope, value, isSecret } of variables ?? []) {
    const entry = entryOf(component);
    const list = scope === 'connection' ? 'connectionVariables' : 'variables';
    entry[list] = { ...entry[list], [name]: { value, ...(isSecret != null && { isSecret }) } };
  }
  return entries;
}

/** INVALID_INPUT if a call names a component that the preview does not have. */
function requireNamed({ images, variables }: OpenPreview, names: ReadonlySet<string>): void {
  for (const [field, given] of Object.entries({ images, variables })) {
    for (const [index, { component }] of (given ?? []).entries()) {
      if (names.has(component)) continue;
      throw invalid(
        ['input', field, index, 'component'],
        `The preview has no component named ${component}. It has ${nameList([...names])}`,
      );
    }
  }
}

interface Update {
  copy: Application;
  works: ComponentWork[];
  images: Record<string, string>;
}

async function planUpdate(
  reading: Reading<Context>,
  { team, region }: Place,
  copyId: number,
  input: OpenPreview,
): Promise<Update> {
  const found = await findByKeys(reading, 'Component', 'applicationId', [copyId], ['name', 'id'], {
    fields: ['id', 'name'],
  });
  const entries = entriesOf(input);
  requireNamed(input, new Set(found.map(({ name }) => name)));
  const rows = await lockComponents(
    reading,
    found.flatMap(({ id, name }) => (entries.has(name) ? id : [])),
  );
  const copy = await applicationWithin(reading, copyId);
  const { context } = reading;
  const standing = (await standingOf(reading, [copy], async () => [], rows)).get(copyId)!;
  const scene = sceneWithin(context, {
    ...{ team, region, namespaceId: namespaceIdOf(copy), standing },
    plainVariables: await plainVariablesOf(context, standing.components),
  });
  const works = await mapInSlices(
    standing.components,
    (current) =>
      planEntry(scene, current.row.name, entries.get(current.row.name)!, current, {
        isWritten: true,
        opens: new Set(),
      }),
    context.signal,
  );
  const [issue] = [...scene.conflicts, ...scene.issues];
  if (issue) throw new ConflictError(issue.message);
  await completePlan(reading, { components: works, routes: noRoutes() });
  const images = works.flatMap(({ row, data }) => (data.image ? [[row.name, data.image]] : []));
  return { copy, works, images: Object.fromEntries(images) };
}

/** With more than one change can delete, nobody could close a preview, and others would wait when it expires. */
const requireClosable = (write: Write<Context>, copyId: number): Promise<void> =>
  requireFewWith(write, { model: 'Application', ids: [copyId] }, 'with what the preview has');

async function update(
  context: Context,
  { application, team, region }: Place & { application: Application },
  preview: Preview & { copyId: number },
  input: OpenPreview,
): Promise<OpenedPreview> {
  const settings = requireSettings(application);
  const planned = plannedBefore(context, (reading: Reading<Context>) =>
    planUpdate(reading, { team, region }, preview.copyId, input),
  );
  const make = async (write: Write<Context>) => {
    const { copy, works, images } = await planned.within(write);
    const job = await applyComponents(
      { ...write, team, region, application: copy, manifestId: null, policy: policyOfManifests },
      { components: works, removed: [], routes: noRoutes() },
      { kind: 'deploy', deploy: 'changed', startStopped: true },
    );
    if (input.variables?.length) await requireClosable(write, copy.id);
    const before = await locked(write, 'Preview', preview.id);
    if (before.copyId === null) throw new ConflictError(beingDeleted(before));
    const now = await databaseNow(write);
    const data = { expiresAt: expiryOf(now, input, settings), jobId: job?.id ?? before.jobId };
    return { preview: await changePreview(write, before, data, now, images), job };
  };
  const options = { dryRun: input.dryRun, prepare: planned.prepare };
  const { result, plan } = await changeWithPlan(context, 'preview.update', options, make);
  return { ...result, omitted: [], plan };
}

async function open(
  context: Context,
  target: Place & { application: Application },
  input: OpenPreview,
): Promise<OpenedPreview> {
  const { application, team, region } = target;
  const settings = requireSettings(application);
  const { usesOriginals } = settings;
  const components = await context.db.component.findManyByKeys({
    by: 'applicationId',
    keys: [application.id],
    fields: ['name'],
  });
  const names = components.map(({ name }) => name);
  const kept = new Set(settings.components ?? names);
  requireNamed(input, new Set(names.filter((name) => kept.has(name))));
  const name = nameOfPreview(application.name, input.key);
  const options: CopyOptions = {
    ...{ name, images: input.images, variables: input.variables, secrets: settings.secrets },
    ...{ volumes: 'empty', deploy: true, isSingle: true },
    leftOut: new Set(names.filter((each) => !kept.has(each))),
    dependsOnOriginal: usesOriginals,
  };
  const place = { team, region };
  const { prepare, make } = plannedCopy(context, place, target, options, input.dryRun ?? false);
  const run = async (write: Write<Context>) => {
    const copied = await make(write);
    await requirePreviewRoom(write, application, settings.most);
    const now = await databaseNow(write);
    const data = {
      key: input.key,
      copyId: copied.application.id,
      expiresAt: expiryOf(now, input, settings),
      jobId: copied.job?.id ?? null,
      seed: settings.seed && JSON.stringify(settings.seed),
    };
    return { preview: await insertPreview(write, application, data, now), ...copied };
  };
  const taken = (columns: string[]) =>
    columns.join(' ').includes('key')
      ? `Another request opened the preview ${input.key} at the same time. Send this request again.`
      : `The team ${team.name} already has an application named ${name} in the region ${region.name}.`;
  const { result, plan } = await changeWithPlan(
    context,
    'preview.open',
    { dryRun: input.dryRun, prepare },
    run,
    taken,
  );
  const { omitted } = result.copy;
  return { preview: input.dryRun ? null : result.preview, job: result.job, omitted, plan };
}
