import type { Context } from '../../context.ts';
import type { Transaction } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import { deleteByIds, findByKeys, updateMany } from '../../db/write/bulk.ts';
import type { StatementWrite, Write } from '../../db/write/change.ts';
import { lockRows } from '../../db/write/locks.ts';
import { revised } from '../../db/write/revision.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { nameList } from '../../kernel/name-list.ts';
import { newId } from '../../kernel/new-id.ts';
import type { ApplicationHooks } from '../application/hooks.ts';
import { isUnfinished } from '../job/model.ts';

type Preview = Row<'Preview'>;
type Application = Row<'Application'>;

const eventOf = ({ id, key, teamId, applicationId }: Preview) => ({
  subject: { type: 'Preview', id } as const,
  name: key,
  teamId,
  applicationId,
});

const fieldsOf = ({ key, copyId, expiresAt }: Preview) => ({ key, copyId, expiresAt });

/** CONFLICT if an application has reached its limit of previews. Locks the application, so that the number stays until the commit. */
export async function requirePreviewRoom(
  write: Write<Context>,
  { id, name }: Pick<Application, 'id' | 'name'>,
  most: number,
): Promise<void> {
  await lockRows(write, 'Application', id);
  const open = await findByKeys(write, 'Preview', 'applicationId', [id], ['createdAt', 'id'], {
    fields: ['key'],
  });
  if (open.length < most) return;
  const keys = nameList(open.map(({ key }) => key));
  throw new ConflictError(
    `The application ${name} has reached its limit of ${most} ${most === 1 ? 'preview' : 'previews'}: ${keys}. Close one first.`,
  );
}

export async function insertPreview(
  { tx, recordEvent }: Write<Context>,
  application: Application,
  data: Pick<Preview, 'key' | 'copyId' | 'expiresAt' | 'jobId' | 'seed'>,
  now: Date,
): Promise<Preview> {
  const { id: applicationId, teamId } = application;
  const preview = await tx.preview.create({
    data: { id: newId(), applicationId, teamId, ...data, createdAt: now, updatedAt: now },
  });
  recordEvent({ ...eventOf(preview), after: fieldsOf(preview) });
  return preview;
}

/** Changes when a preview expires, and the job that deploys it. `images` are those that it gets, by the names of components. */
export async function changePreview(
  { tx, recordEvent }: Write<Context>,
  before: Preview,
  data: Pick<Preview, 'expiresAt' | 'jobId'>,
  now: Date,
  images: Readonly<Record<string, string>>,
): Promise<Preview> {
  const after = await tx.preview.update({
    where: { id: before.id },
    data: revised(before, { ...data, updatedAt: now }),
  });
  recordEvent({
    ...eventOf(before),
    action: 'preview.update',
    before: fieldsOf(before),
    after: { ...fieldsOf(after), ...(Object.keys(images).length > 0 && { images }) },
  });
  return after;
}

/** Notes that the copy of a preview was deleted, and the job that removes it from the cluster. Without one, nothing is left. */
async function endPreview(
  write: StatementWrite<Context>,
  before: Preview,
  job: Pick<Row<'Job'>, 'id' | 'status'> | null,
): Promise<void> {
  const { userId, serviceAccountId } = write.context.actor;
  const action = userId === null && serviceAccountId === null ? 'preview.expired' : 'preview.close';
  if (job && isUnfinished(job.status))
    await updateMany(write, 'Preview', [{ id: before.id, data: { copyId: null, jobId: job.id } }]);
  else await deleteByIds(write, 'Preview', [before.id]);
  write.recordEvent({ ...eventOf(before), action, before: fieldsOf(before) });
}

/** Previews end before the application of which they are copies. Of one that is deleted itself, the cluster has something for a while. */
export const previewsOfApplications: ApplicationHooks = {
  async deleting(write, { id, name }, job) {
    const all = await findByKeys(write, 'Preview', 'applicationId', [id], ['createdAt', 'id'], {
      fields: ['key', 'copyId'],
    });
    const open = all.filter(({ copyId }) => copyId !== null);
    if (open.length > 0) {
      const keys = nameList(open.map(({ key }) => key));
      throw new ConflictError(`The application ${name} has previews: ${keys}. Close them first.`);
    }
    const [preview] = await findByKeys(write, 'Preview', 'copyId', [id], ['id']);
    if (preview) await endPreview(write, preview, job);
  },
};

/** Stores what has become of a preview, which is no change of it. */
export async function settle(
  tx: Transaction,
  { id }: Pick<Preview, 'id'>,
  data: Partial<Pick<Preview, 'copyId' | 'jobId' | 'problem' | 'seed' | 'seedRunId'>>,
): Promise<void> {
  await tx.preview.updateMany({ where: { id }, data });
}

/** Takes the command after the first deploy. Of several gateways, one does. */
export async function takeSeed(
  tx: Transaction,
  { id, seed }: Pick<Preview, 'id' | 'seed'>,
): Promise<boolean> {
  const { count } = await tx.preview.updateMany({ where: { id, seed }, data: { seed: null } });
  return count > 0;
}

/** Forgets a preview of which the cluster has nothing any more. */
export const forgetPreview = (tx: Transaction, { id }: Pick<Preview, 'id'>): Promise<unknown> =>
  tx.preview.deleteMany({ where: { id } });
