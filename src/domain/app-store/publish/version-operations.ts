import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { change, type Write } from '../../../db/write/change.ts';
import { locked, lockedForDelete } from '../../../db/write/locked.ts';
import { changeWithPlan, type ObjectChange } from '../../../db/write/plan.ts';
import { type Expecting, requireRevision } from '../../../db/write/revision.ts';
import { NotFoundError } from '../../../kernel/errors.ts';
import type { DeleteTemplateVersion, TemplateVersionInput } from '../model.ts';
import { requireChangeableTemplate } from './reads.ts';
import { forgetOffers, removeTemplate, removeVersion, setVersionEnabled } from './rows.ts';

/** The text of the template, which is large, is not read. */
type Version = Row<'PublishedVersion'>;

interface Changed {
  template: Row<'PublishedTemplate'>;
  version: Version;
}

/** The template and its version, which are locked. NOT_FOUND if one is gone. */
async function lockVersion(
  write: Write<Context>,
  { id }: Row<'PublishedTemplate'>,
  version: string,
  lock: typeof locked,
  expecting: Expecting,
): Promise<Changed> {
  const template = await lock(write, 'PublishedTemplate', id);
  const row = await write.tx.publishedVersion.findUnique({
    where: { templateId_version: { templateId: id, version } },
    omit: { template: true },
  });
  if (!row) throw new NotFoundError('version of the template');
  requireRevision(row, expecting, 'version of the template');
  return { template, version: row as Version };
}

const enable =
  (isEnabled: boolean) =>
  async (context: Context, input: TemplateVersionInput): Promise<Changed> => {
    const what = isEnabled ? 'enable' : 'disable';
    const found = await requireChangeableTemplate(
      context,
      input.template,
      `${what}TemplateVersion`,
      `${what} template versions`,
    );
    return change(context, `template.${isEnabled ? 'enable' : 'disable'}_version`, async (write) => {
      const { template, version } = await lockVersion(write, found, input.version, locked, input);
      return { template, version: await setVersionEnabled(write, template, version, isEnabled) };
    });
  };

/** Offers a version again. Nothing changes if it already is. */
export const enableTemplateVersion = enable(true);

/** Stops offering a version. What is installed stays. */
export const disableTemplateVersion = enable(false);

/** Deletes a version, and the template with its last version. What is installed stays. */
export async function deleteTemplateVersion(
  context: Context,
  input: DeleteTemplateVersion,
): Promise<Changed & { plan: ObjectChange[] }> {
  const found = await requireChangeableTemplate(
    context,
    input.template,
    'deleteTemplateVersion',
    'delete template versions',
  );
  const isDryRun = input.dryRun ?? false;
  const { result, plan } = await changeWithPlan(
    context,
    'template.delete_version',
    { dryRun: isDryRun },
    async (write) => {
      const changed = await lockVersion(write, found, input.version, lockedForDelete, input);
      await removeVersion(write, changed.template, changed.version);
      const isLast = (await write.tx.publishedVersion.count({ where: { templateId: found.id } })) === 0;
      if (isLast) await removeTemplate(write, changed.template);
      forgetOffers(write, changed.template);
      return changed;
    },
  );
  return { ...result, plan };
}
