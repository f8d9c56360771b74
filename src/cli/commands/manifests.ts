import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { confirm, isCancel } from '@clack/prompts';
import { ask, change } from '../api.ts';
import { type Connection, connection } from '../connection.ts';
import { type Context, dialog, isTerminal } from '../context.ts';
import { type Manifest, manifestOf, readManifest } from '../documents.ts';
import { Failure } from '../failure.ts';
import { hasFailed, outcomeOf, requireSuccess, type SeenJob } from '../follow.ts';
import { applicationNamed, applicationsOf, type KnownApplication } from '../named.ts';
import { writeWhole } from '../out.ts';
import { type PlaceOptions, placeOf, type TeamRegion } from '../place.ts';
import { type Plan, planSelection, printPlan } from '../plan.ts';
import type { SecretOptions } from '../secrets.ts';
import { note, print, printJson } from '../show.ts';
import { textOf } from '../text.ts';

export interface PlanOptions extends PlaceOptions, SecretOptions {
  file?: string[];
  prune?: boolean;
  deploy?: string;
  startStopped?: boolean;
  json?: boolean;
}

const deployingOf = ({ deploy, startStopped }: PlanOptions) => ({
  deploy: (deploy ?? 'changed').toUpperCase(),
  startStopped: startStopped ?? false,
});

const pruneOf = ({ prune }: PlanOptions) => (prune ? 'OWNED' : 'NONE');

const planQuery = `query P($team: TeamRef!, $region: RegionRef!, $document: String!, $prune: ManifestPruneMode, $deploy: ManifestDeployMode, $startStopped: Boolean) {
  planManifest(team: $team, region: $region, document: $document, prune: $prune, deploy: $deploy, startStopped: $startStopped) { ${planSelection} }
}`;

/** Says where in the file a problem is. */
async function within<T>(manifest: Manifest, work: Promise<T>): Promise<T> {
  return work.catch((error) => {
    if (!(error instanceof Failure) || error.issues.length === 0) throw error;
    const { message, code, requestId } = error;
    const file = manifest.file === '-' ? 'stdin' : manifest.file;
    throw new Failure(message, { code, requestId, issues: manifest.issuesInFile(error.issues), file });
  });
}

async function planOf(
  at: Connection,
  place: TeamRegion,
  manifest: Manifest,
  options: PlanOptions,
): Promise<Plan> {
  const variables = {
    ...place,
    document: manifest.document,
    prune: pruneOf(options),
    ...deployingOf(options),
  };
  return (await within(manifest, ask<{ planManifest: Plan }>(at, planQuery, variables))).planManifest;
}

async function manifestsOf(context: Context, options: PlanOptions): Promise<Manifest[]> {
  const { file } = options;
  if (!file?.length) throw new Failure('Specify a manifest with -f FILE, or - for standard input.');
  return Promise.all(file.map((each) => readManifest(context, each, options)));
}

/** The file of `--out`: everything that an apply needs to do what was reviewed. */
interface KeptPlan extends TeamRegion {
  document: string;
  prune: string;
  digest: string;
  deploy?: string;
  startStopped?: boolean;
}

/** Shows what an apply would change. Returns whether that is something. */
export async function plan(context: Context, options: PlanOptions & { out?: string }): Promise<boolean> {
  const at = await connection(context);
  const [place, manifests] = [await placeOf(context, at, options), await manifestsOf(context, options)];
  const plans = [];
  const kept: KeptPlan[] = [];
  for (const manifest of manifests) {
    const planned = await planOf(at, place, manifest, options);
    plans.push({ file: manifest.file, application: manifest.application, ...planned });
    kept.push({
      ...place,
      document: manifest.document,
      prune: pruneOf(options),
      digest: planned.digest,
      ...deployingOf(options),
    });
  }
  if (options.out) await writeWhole(options.out, `${JSON.stringify(kept)}\n`);
  if (options.json) printJson(context, plans);
  else for (const each of plans) printPlan(context, each.application, each);
  return plans.some(({ changes }) => changes.length > 0);
}

export interface ApplyOptions extends PlanOptions {
  plan?: string;
  yes?: boolean;
  wait?: boolean;
  allowDestruction?: boolean;
}

const applySelection = `application { uid name } job { uid status } plan { ${planSelection} }`;

interface Applied {
  application: { uid: number; name: string };
  job: SeenJob | null;
  plan: Plan;
}

/** Applies manifests one after another: the plan, a question, the change, and the job until it ends. */
export async function apply(context: Context, options: ApplyOptions): Promise<void> {
  const at = await connection(context);
  const results = [];
  for (const { place, manifest, prune, digest, ...kept } of await toApply(context, at, options)) {
    const deploying = { ...kept, ...options };
    const planned = await planOf(at, place, manifest, { ...deploying, prune: prune === 'OWNED' });
    if (!options.json) printPlan(context, manifest.application, planned);
    if (digest !== undefined && digest !== planned.digest) {
      throw new Failure('The plan has changed since it was saved. Run `trellis plan` again.', {
        code: 'CONFLICT',
      });
    }
    const isHarmless = planned.changes.every(({ isDestructive }) => !isDestructive);
    if (planned.changes.length > 0 || planned.adopted.length > 0) {
      await requireConsent(context, options, isHarmless);
    }
    const result = await within(
      manifest,
      change<Applied>(
        at,
        'applyManifest',
        {
          ...place,
          document: manifest.document,
          prune,
          expectedPlan: planned.digest,
          allowsDestruction: options.allowDestruction ?? false,
          ...deployingOf(deploying),
        },
        applySelection,
      ),
    );
    if (result.job) note(context, `Started job ${result.job.uid}.`);
    const job = await outcomeOf(context, at, result.job, options);
    results.push({ file: manifest.file, ...result, job });
    if (hasFailed(job)) break;
  }
  if (options.json) printJson(context, results);
  requireSuccess(results.at(-1)?.job ?? null);
}

async function toApply(context: Context, at: Connection, options: ApplyOptions) {
  if (options.plan === undefined) {
    const place = await placeOf(context, at, options);
    const prune = pruneOf(options);
    return (await manifestsOf(context, options)).map((manifest) => ({
      place,
      manifest,
      prune,
      digest: undefined,
    }));
  }
  if (options.file) throw new Failure('Use either -f or --plan, not both.');
  const file = options.plan;
  const text = await textOf(context, file);
  try {
    return (JSON.parse(text) as KeptPlan[]).map(({ team, region, document, ...kept }) => ({
      place: { team, region },
      manifest: manifestOf(file, document),
      ...kept,
    }));
  } catch {
    throw new Failure(`${file} is not a plan saved by \`trellis plan --out\`.`);
  }
}

async function requireConsent(
  context: Context,
  { yes, allowDestruction, json }: ApplyOptions,
  isHarmless: boolean,
): Promise<void> {
  if (!isHarmless && !allowDestruction) {
    throw new Failure('The change destroys data or an address. Add --allow-destruction to allow it.', {
      code: 'CONFLICT',
    });
  }
  if (yes) return;
  if (json || !isTerminal(context))
    throw new Failure('Cannot ask for confirmation with --json or without a terminal. Add --yes to apply.');
  const answer = await confirm({ message: 'Apply these changes?', initialValue: false, ...dialog(context) });
  if (isCancel(answer) || !answer) throw new Failure('Nothing was changed.');
}

const exportQuery = `query E($by: ApplicationRef!, $format: ManifestFormat) {
  application(by: $by) { manifest(format: $format) { document omitted { object component name reason } } }
}`;

export interface ExportOptions extends PlaceOptions {
  all?: boolean;
  json?: boolean;
  out?: string;
}

/** Writes an application as a manifest, or each application of a team to a file. */
export async function exportManifests(
  context: Context,
  name: string | undefined,
  options: ExportOptions,
): Promise<void> {
  const at = await connection(context);
  const format = options.json ? 'JSON' : 'YAML';
  if (!options.all) {
    if (name === undefined) throw new Failure('Specify an application, or use --all.');
    const { uid: appId } = await applicationNamed(context, at, name, options);
    const { document, omitted } = await exported(at, appId, format);
    if (options.out) await writeWhole(options.out, document);
    else context.stdout.write(document);
    return noteOmitted(context, name, omitted);
  }
  const folder = options.out ?? '.';
  const files = new Map<string, KnownApplication>();
  for (const application of await applicationsOf(context, at, options)) {
    const { name: ofOne, region } = application;
    const file = join(folder, `${fileName(ofOne)}.${fileName(region.name)}.${format.toLowerCase()}`);
    const other = files.get(file);
    if (other) {
      throw new Failure(
        `${other.name} and ${ofOne} would both be written to ${file}. Export them separately, with --out.`,
        { code: 'CONFLICT' },
      );
    }
    files.set(file, application);
  }
  await mkdir(folder, { recursive: true }).catch((error: Error) => {
    throw new Failure(`${folder} cannot be created: ${error.message}`);
  });
  for (const [file, { uid: appId, name: application }] of files) {
    const { document, omitted } = await exported(at, appId, format);
    await writeWhole(file, document);
    print(context, file);
    noteOmitted(context, application, omitted);
  }
}

/** Some file systems take names that differ in case or in the form of an accent for one. */
const fileName = (name: string) =>
  name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '') || 'application';

async function exported(at: Connection, appId: number, format: string) {
  const { application } = await ask<{ application: { manifest: Exported } }>(at, exportQuery, {
    by: { appId },
    format,
  });
  return application.manifest;
}

interface Exported {
  document: string;
  omitted: Omission[];
}

interface Omission {
  object: string;
  component: string;
  name: string;
  reason: string;
}

const noteOmitted = (context: Context, application: string, omitted: Omission[]) => {
  for (const { object, component, name, reason } of omitted) {
    note(context, `${application}: left out ${object.toLowerCase()} ${component} ${name}: ${reason}`);
  }
};
