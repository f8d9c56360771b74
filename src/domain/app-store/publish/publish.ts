import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { change } from '../../../db/write/change.ts';
import { hasTooManyValues, maxJsonValues } from '../../../drivers/app-store/answer.ts';
import { type AppTemplate, readTemplate } from '../../../drivers/app-store/template.ts';
import { InvalidInputError } from '../../../kernel/errors.ts';
import { inSlices } from '../../../kernel/slices.ts';
import { fold, invalid } from '../../../kernel/validate.ts';
import { requireAdministrator } from '../../user/reads.ts';
import type { PublishTemplate } from '../model.ts';

/** Parses a template to publish. It is input of the caller, so errors are INVALID_INPUT. */
async function parseInput(text: string, signal: AbortSignal | undefined): Promise<AppTemplate> {
  const at = ['input', 'template'];
  if (hasTooManyValues(text)) throw invalid(at, `Must have at most ${maxJsonValues} values`);
  let form: unknown;
  try {
    form = JSON.parse(text);
  } catch {
    // The parser's message would quote the text.
    throw invalid(at, 'Must be JSON');
  }
  const read = await inSlices(readTemplate(form), signal);
  if (!read.issues) return read.template;
  throw new InvalidInputError(read.issues.map((issue) => ({ ...issue, path: [...at, ...issue.path] })));
}

/** Publishes a version of a template, or replaces it. */
export async function publishTemplate(
  context: Context,
  input: PublishTemplate,
): Promise<{ template: Row<'PublishedTemplate'>; version: Row<'PublishedVersion'> }> {
  requireAdministrator(context, 'publish templates');
  const { groupKey: key, groupName, groupVersion } = await parseInput(input.template, context.signal);
  return change(
    context,
    'template.publish',
    async ({ tx, recordEvent }) => {
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
    },
    () => `The template ${groupName} was published by somebody else at the same moment.`,
  );
}
