import type { Context } from '../../context.ts';
import { isTransaction } from '../../db/database.ts';
import type { Row } from '../../db/tables.ts';
import { deleteByIds } from '../../db/write/bulk.ts';
import type { StatementWrite, Write } from '../../db/write/change.ts';
import { lockRows } from '../../db/write/locks.ts';
import { isDifferent } from '../../db/write/record.ts';
import { changed, revised } from '../../db/write/revision.ts';
import { type Actor, allows, maySee, type ObjectLocation } from '../../kernel/access.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { fold } from '../../kernel/validate.ts';
import { lockTeamRegion } from '../region/reads.ts';
import { defaultIsolation, type describedApplication } from './model.ts';

type Application = Row<'Application'>;

/** The columns that only a copy has from the beginning. */
type Copied = 'appType' | 'storeName' | 'storeUrl' | 'templateName' | 'version' | 'copyOfId';

/** The columns that are left out have their defaults. */
export type NewApplication = Pick<Application, 'teamId' | 'regionId' | 'name'> &
  Partial<Pick<Application, Copied>> & {
    [Column in keyof typeof describedApplication.shape]?: Application[Column] | undefined;
  };

/** Adds an application. A new default application replaces the previous one. */
export async function insertApplication(
  write: Write<Context>,
  application: NewApplication,
): Promise<Row<'Application'>> {
  const { tx, recordEvent } = write;
  const now = new Date();
  // The region cannot be closed for the team before the commit.
  await lockTeamRegion(write, application.teamId, application.regionId);
  if (application.isDefault) await makeDefault(write, application);
  const { id } = await tx.application.create({
    data: {
      ...application,
      isolation: application.isolation ?? defaultIsolation,
      createdAt: now,
      updatedAt: now,
      folded: fold(application.name),
    },
  });
  // The name in the cluster is derived from the id, which the database assigns.
  const inserted = await tx.application.update({ where: { id }, data: { clusterName: `app-${id}` } });
  recordEvent({ subject: { type: 'Application', id }, teamId: application.teamId, after: inserted });
  return inserted;
}

/**
 * Unsets the current default application, because a team has only one per region. The lock on the team serializes
 * concurrent requests. `id` is the new default application, if it exists already. CONFLICT if the caller may not change the current
 * one.
 */
export async function makeDefault(
  write: Write<Context>,
  { teamId, regionId, id: own }: Pick<NewApplication, 'teamId' | 'regionId'> & { id?: number },
): Promise<void> {
  const { tx, recordEvent } = write;
  await lockRows(write, 'Team', teamId);
  const updatedAt = new Date();
  const where = { teamId, regionId, isDefault: true, ...(own !== undefined && { id: { not: own } }) };
  const { actor } = write.context;
  const at = (applicationId: number | undefined) => ({
    enterpriseId: actor.enterpriseId,
    teamId,
    applicationId: applicationId ?? null,
  });
  for (const { id } of await tx.application.findMany({ where, select: { id: true } })) {
    // Who plans it for others may change neither.
    if (!maySee(actor, at(id)) || (mayChange(actor, at(own)) && !mayChange(actor, at(id)))) {
      throw new ConflictError(
        'Another application is the default of the team in this region, and you do not have the right to change that application. Ask a member who can change all applications of the team.',
      );
    }
    await tx.application.update({ where: { id }, data: { isDefault: false, updatedAt, ...changed } });
    recordEvent({
      action: 'application.update',
      subject: { type: 'Application', id },
      teamId,
      before: { isDefault: true },
      after: { isDefault: false },
    });
  }
}

const mayChange = (actor: Actor, place: ObjectLocation) =>
  (['createApplication', 'updateApplication', 'applyManifest'] as const).some((action) =>
    allows(actor, action, place),
  );

/** Sets columns, and records them with further values of the change. */
export async function setApplication(
  { tx, recordEvent }: StatementWrite,
  before: Row<'Application'>,
  data: Partial<Row<'Application'>>,
  about: { before?: object; after?: object } = {},
): Promise<Row<'Application'>> {
  const { id, teamId } = before;
  const update = async () =>
    isTransaction(tx)
      ? tx.application.update({ where: { id }, data: revised(before, data) })
      : { ...before, ...data, revision: before.revision + (isDifferent(before, data) ? 1 : 0) };
  const after = Object.keys(data).length > 0 ? await update() : before;
  recordEvent({
    subject: { type: 'Application', id },
    teamId,
    before: { ...before, ...about.before },
    after: { ...after, ...about.after },
  });
  return after;
}

/** Removes an application without components. `about` is included in its event. */
export async function removeApplication(
  write: StatementWrite,
  application: Row<'Application'>,
  about: object,
): Promise<void> {
  const { id, teamId } = application;
  await deleteByIds(write, 'Application', [id]);
  write.recordEvent({
    action: 'application.delete',
    subject: { type: 'Application', id },
    teamId,
    before: { ...application, ...about },
  });
}
