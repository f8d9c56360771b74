import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import type { Write } from '../../../db/write/change.ts';
import { fold } from '../../../kernel/validate.ts';
import type { PublishTemplate } from '../model.ts';

/** Adds a version of a template, or replaces it. What stays as it is keeps its revision. */
export async function setPublished(
  { context, tx, recordEvent }: Write<Context>,
  { key, groupName, groupVersion }: { key: string; groupName: string; groupVersion: string },
  input: PublishTemplate,
): Promise<{ template: Row<'PublishedTemplate'>; version: Row<'PublishedVersion'> }> {
  const now = new Date();
  const { enterpriseId } = context.actor;
  const where = { enterpriseId_key: { enterpriseId, key } };
  const existing = await tx.publishedTemplate.findUnique({ where });
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
      ? await tx.publishedTemplate.update({ where, data: { ...about, updatedAt: now } })
      : await tx.publishedTemplate.create({
          data: { enterpriseId, key, ...about, createdAt: now, updatedAt: now },
        });
  const at = { templateId_version: { templateId: template.id, version: groupVersion } };
  const before = await tx.publishedVersion.findUnique({ where: at });
  const data = {
    alias: input.versionAlias ?? before?.alias ?? groupVersion,
    description: input.versionDescription ?? before?.description ?? '',
    template: input.template,
    isEnabled: input.isEnabled ?? before?.isEnabled ?? true,
  };
  const isSame =
    before !== null &&
    (Object.keys(data) as (keyof typeof data)[]).every((field) => before[field] === data[field]);
  const version = isSame
    ? before
    : before
      ? await tx.publishedVersion.update({
          where: at,
          data: { ...data, revision: { increment: 1 }, updatedAt: now },
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
  const told = (row: typeof before, of: typeof existing) =>
    row && {
      ...row,
      template: `${row.template.length} characters`,
      name: of?.name,
      description: of?.description,
      logo: of?.logo,
      versionDescription: row.description,
    };
  recordEvent({
    subject: { type: 'Template', id: template.id },
    before: told(before, existing),
    after: told(version, template),
  });
  return { template, version };
}
