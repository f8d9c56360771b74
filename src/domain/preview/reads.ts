import type { Context } from '../../context.ts';
import { batchedRow, type List } from '../../db/list.ts';
import type { Row } from '../../db/tables.ts';
import { seesPreviews } from '../../kernel/access.ts';
import { batched } from '../../kernel/batch.ts';
import { derived, lengthOf } from '../../kernel/derived.ts';
import { namedBy } from '../../kernel/global-id.ts';
import { groupBy } from '../../kernel/group.ts';
import { applicationById, placeOfApplication } from '../application/reads.ts';
import { accessUrlsOfAll } from '../gateway-rule/reads.ts';
import { isUnfinished } from '../job/model.ts';
import { seesIn } from '../team/reads.ts';
import { ofWholeApplications } from '../team/visible-reads.ts';
import type { PreviewState } from './model.ts';

type Preview = Row<'Preview'>;

const previewById = batchedRow('Preview', 'id');

/** The preview, or null if the actor may not see those of the application of which it is a copy. */
export async function visiblePreview(context: Context, id: string | number): Promise<Preview | null> {
  const preview = await previewById(context, String(id));
  // One that is hidden takes the same statements as one that does not exist.
  const application = await applicationById(context, preview?.applicationId ?? 0);
  return application && (await seesPreviewsOf(context, application)) ? preview : null;
}

const seesPreviewsOf = async (context: Context, application: Row<'Application'>): Promise<boolean> => {
  const place = placeOfApplication(application);
  return seesPreviews(context.actor, place) || (await seesIn(context, place));
};

/** The preview that a reference names, for a caller who may see it. */
export const requirePreview = namedBy('preview', 'Preview', 'previewId', visiblePreview);

/** The preview of an application that has a key, or null. */
export async function previewWithKey(
  { db }: Pick<Context, 'db'>,
  applicationId: number,
  key: string,
): Promise<Preview | null> {
  const [preview] = await db.preview.findManyByKeys({
    by: 'key',
    keys: [key],
    where: [{ field: 'applicationId', is: applicationId }],
  });
  return preview ?? null;
}

export const previewsOf = (
  { actor }: Context,
  application: Pick<Row<'Application'>, 'id' | 'teamId'>,
): List<'Preview'> => ({
  key: application.id,
  spec: {
    model: 'Preview',
    parent: { field: 'applicationId' },
    order: ['createdAt', 'id'],
    where: seesPreviews(actor, placeOfApplication(application))
      ? []
      : ofWholeApplications<'Preview'>(actor, 'applicationId'),
  },
});

const componentFields = ['id', 'applicationId', 'regionId', 'name', 'image'] as const;

/** The components of applications. Whoever may see a preview may see their names, images and addresses. */
const componentsOfApplication = batched(
  async ({ db }: Context, keys: number[]) => {
    const rows = await db.component.findManyByKeys({ by: 'applicationId', keys, fields: componentFields });
    const sorted = rows.sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
    return groupBy(sorted, ({ applicationId }) => applicationId);
  },
  [] as Pick<Row<'Component'>, (typeof componentFields)[number]>[],
);

type OfCopy = Pick<Preview, 'copyId'>;

const componentsOf = async (context: Context, { copyId }: OfCopy) =>
  copyId === null ? [] : componentsOfApplication(context, copyId);

// What a preview has is made once for a request, which can select it under hundreds of aliases.

const imagesIn = derived(
  async (preview: OfCopy & Pick<Preview, 'applicationId'>, context: Context) => {
    const [copied, originals] = await Promise.all([
      componentsOf(context, preview),
      componentsOfApplication(context, preview.applicationId),
    ]);
    const imageOf = new Map(originals.map(({ name, image }) => [name, image]));
    return copied.map(({ name, image }) => ({
      component: name,
      image,
      isChanged: imageOf.get(name) !== image,
    }));
  },
  (_, images) => images.reduce((sum, { component, image }) => sum + component.length + image.length, 0),
);

export const imagesOf = (context: Context, preview: OfCopy & Pick<Preview, 'applicationId'>) =>
  imagesIn(preview, context);

const urlsOfCopy = batched(async (context: Context, keys: number[]) => {
  const components = (await Promise.all(keys.map((key) => componentsOfApplication(context, key)))).flat();
  const urls = await accessUrlsOfAll(context, components);
  const found = new Map(keys.map((key) => [key, [] as string[]]));
  for (const [index, { applicationId }] of components.entries()) {
    context.budget?.countDerived(lengthOf(urls[index]!));
    found.get(applicationId)!.push(...urls[index]!);
  }
  return found;
}, [] as string[]);

/** The public addresses of the components, in the order of their names. */
export const urlsOf = async (context: Context, { copyId }: OfCopy): Promise<string[]> =>
  copyId === null ? [] : urlsOfCopy(context, copyId);

const jobStatus = batchedRow('Job', 'id');
const seedRun = batchedRow('ComponentRun', 'id');

/** What a preview is doing, by its last job and by the run of the command after its first deploy. */
export async function stateOf(
  context: Context,
  {
    copyId,
    jobId,
    seed,
    seedRunId,
    problem,
  }: Pick<Preview, 'copyId' | 'jobId' | 'seed' | 'seedRunId' | 'problem'>,
): Promise<{ state: PreviewState; reason: string | null }> {
  const [job, run] = await Promise.all([
    jobId === null ? null : jobStatus(context, jobId),
    seedRunId === null ? null : seedRun(context, seedRunId),
  ]);
  if (copyId === null) return { state: 'deleting', reason: problem };
  if (job && isUnfinished(job.status)) return { state: 'deploying', reason: null };
  if (job && job.status !== 'succeeded') {
    return {
      state: 'failed',
      reason: job.error ?? `Its last job has ${job.status === 'failed' ? 'failed' : 'been cancelled'}.`,
    };
  }
  if (problem !== null) return { state: 'failed', reason: problem };
  if (seed !== null || (run && run.dueAt !== null)) return { state: 'seeding', reason: null };
  if (run && run.status !== 'succeeded') {
    return { state: 'failed', reason: run.reason ?? 'The command after its first deploy has failed.' };
  }
  return { state: 'ready', reason: null };
}
