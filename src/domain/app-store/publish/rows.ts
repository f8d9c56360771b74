import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { deleteByIds, findByKeys } from '../../../db/write/bulk.ts';
import type { StatementWrite, Write } from '../../../db/write/change.ts';
import { lockRows } from '../../../db/write/locks.ts';
import { changed, requireRevision } from '../../../db/write/revision.ts';
import { maxVersions } from '../../../drivers/app-store/driver.ts';
import { ConflictError } from '../../../kernel/errors.ts';
import { fold } from '../../../kernel/validate.ts';
import type { TeamHooks } from '../../team/hooks.ts';
import type { PublishTemplate, RequiredVariable } from '../model.ts';

export interface NewVersion {
  key: string;
  groupName: string;
  groupVersion: string;
  /** The team whose catalogue the template is in. Null for the enterprise's. */
  teamId: string | null;
  requiredVariables: readonly RequiredVariable[];
}

/** Adds a version of a template, or replaces it. What stays as it is keeps its revision. */
export async function setPublished(
  write: Write<Context>,
  { key, groupName, groupVersion, teamId, requiredVariables }: NewVersion,
  input: PublishTemplate,
): Promise<{
  template: Row<'PublishedTemplate'>;
  version: Row<'PublishedVersion'>;
  isChanged: boolean;
}> {
  const { context, tx, recordEvent } = write;
  const now = new Date();
  const { enterpriseId } = context.actor;
  const where = { enterpriseId_key: { enterpriseId, key } };
  const found = await tx.publishedTemplate.findUnique({ where, select: { id: true } });
  if (found) await lockRows(write, 'PublishedTemplate', found.id);
  const existing = found && (await tx.publishedTemplate.findUnique({ where }));
  if (existing && existing.teamId !== teamId) {
    throw new ConflictError(
      `The key ${key} belongs to the template ${existing.name} of another catalogue. Use another key.`,
    );
  }
  const name = input.name ?? existing?.name ?? groupName;
  const about = {
    name,
    description: input.description ?? existing?.description ?? '',
    logo: input.logo ?? existing?.logo ?? '',
    folded: fold(name, key),
  };
  const isKept =
    existing !== null &&
    (Object.keys(about) as (keyof typeof about)[]).every((field) => existing[field] === about[field]);
  const template = isKept
    ? existing
    : existing
      ? await tx.publishedTemplate.update({ where, data: { ...about, updatedAt: now, ...changed } })
      : await tx.publishedTemplate.create({
          data: { enterpriseId, teamId, key, ...about, createdAt: now, updatedAt: now },
        });
  const at = { templateId_version: { templateId: template.id, version: groupVersion } };
  const before = await tx.publishedVersion.findUnique({ where: at });
  requireRevision(before ?? { revision: 0 }, input, 'version of the template');
  if (!before && existing) await requireRoom(write, existing);
  const data = {
    alias: input.versionAlias ?? before?.alias ?? groupVersion,
    description: input.versionDescription ?? before?.description ?? '',
    template: input.template,
    isEnabled: input.isEnabled ?? before?.isEnabled ?? true,
    requiredVariables: JSON.stringify(requiredVariables),
  };
  const isSame =
    before !== null &&
    (Object.keys(data) as (keyof typeof data)[]).every((field) => before[field] === data[field]);
  const version = isSame
    ? before
    : before
      ? await tx.publishedVersion.update({
          where: at,
          data: { ...data, updatedAt: now, ...changed },
        })
      : await tx.publishedVersion.create({
          data: {
            templateId: template.id,
            version: groupVersion,
            ...data,
            createdAt: now,
            updatedAt: now,
          },
        });
  const recorded = (row: typeof before, of: typeof existing) =>
    row && {
      ...row,
      template: `${row.template.length} characters`,
      name: of?.name,
      description: of?.description,
      logo: of?.logo,
      versionDescription: row.description,
      versionRevision: row.revision,
    };
  forgetOffers(write, template);
  recordEvent({
    action: 'template.publish',
    subject: { type: 'Template', id: template.id },
    teamId,
    before: recorded(before, existing),
    after: recorded(version, template),
  });
  return { template, version, isChanged: !isSame || !isKept };
}

async function requireRoom({ tx }: Write<Context>, { id, name }: Row<'PublishedTemplate'>): Promise<void> {
  if ((await tx.publishedVersion.count({ where: { templateId: id } })) < maxVersions) return;
  throw new ConflictError(
    `The template ${name} has ${maxVersions} versions, which is the limit. Delete versions that are not used.`,
  );
}

/** After the commit, stores are asked again which versions this platform offers. */
export const forgetOffers = (
  { announce }: Pick<Write, 'announce'>,
  { key }: Pick<Row<'PublishedTemplate'>, 'key'>,
): void => announce(`template/${encodeURIComponent(key)}`);

/** How events and plans name a version. */
const toldOf = (
  { name, key }: Row<'PublishedTemplate'>,
  { version, alias, isEnabled, revision: versionRevision }: Row<'PublishedVersion'>,
) => ({
  name: `${name} ${version}`,
  key,
  version,
  versionAlias: alias,
  isEnabled,
  versionRevision,
});

export async function setVersionEnabled(
  write: Write<Context>,
  template: Row<'PublishedTemplate'>,
  before: Row<'PublishedVersion'>,
  isEnabled: boolean,
): Promise<Row<'PublishedVersion'>> {
  if (before.isEnabled === isEnabled) return before;
  const { id, version } = before;
  const { revision } = await write.tx.publishedVersion.update({
    where: { id },
    data: { isEnabled, ...changed },
    select: { revision: true },
  });
  forgetOffers(write, template);
  const [from, to] = isEnabled ? ['disabled', 'enabled'] : ['enabled', 'disabled'];
  write.recordEvent({
    subject: { type: 'Template', id: template.id },
    teamId: template.teamId,
    before: { [`${from}Version`]: version },
    after: { [`${to}Version`]: version },
  });
  return { ...before, isEnabled, revision };
}

export async function removeVersion(
  { tx, recordEvent }: Write<Context>,
  template: Row<'PublishedTemplate'>,
  version: Row<'PublishedVersion'>,
): Promise<void> {
  await tx.publishedVersion.delete({ where: { id: version.id }, select: { id: true } });
  recordEvent({
    subject: { type: 'Template', id: template.id },
    teamId: template.teamId,
    before: toldOf(template, version),
  });
}

/** Removes a template with the versions that it still has. */
export async function removeTemplate(
  write: StatementWrite<Context>,
  template: Row<'PublishedTemplate'>,
): Promise<void> {
  await deleteByIds(write, 'PublishedTemplate', [template]);
  write.recordEvent({
    action: 'template.delete',
    subject: { type: 'Template', id: template.id },
    teamId: template.teamId,
    before: template,
  });
}

/** The catalogue of a team is deleted with it. */
export const templatesOfTeam: TeamHooks = {
  async deleting(write, { id: teamId }) {
    for (const template of await findByKeys(write, 'PublishedTemplate', 'teamId', [teamId], ['id'])) {
      await removeTemplate(write, template);
      forgetOffers(write, template);
    }
  },
};
