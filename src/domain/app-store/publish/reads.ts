import type { Context } from '../../../context.ts';
import { batchedRow, type List } from '../../../db/list.ts';
import type { Filter, ListSpec } from '../../../db/query/statement.ts';
import type { Part, Row } from '../../../db/tables.ts';
import { visibleTo } from '../../../kernel/access.ts';
import type { Action } from '../../../kernel/actions.ts';
import { batched } from '../../../kernel/batch.ts';
import { NotFoundError } from '../../../kernel/errors.ts';
import { idOfType, numericId } from '../../../kernel/global-id.ts';
import { groupBy } from '../../../kernel/group.ts';
import { memoizeByIdentity } from '../../../kernel/memo.ts';
import { fold } from '../../../kernel/validate.ts';
import { sortedByVersion } from '../../../kernel/version.ts';
import { loadTeam, requireAllowed } from '../../team/reads.ts';
import { visibleBesides } from '../../team/visible-reads.ts';
import { requireAdministrator } from '../../user/reads.ts';

/** The columns without the text, which is large. */
const versionFields = [
  'id',
  'templateId',
  'version',
  'alias',
  'description',
  'revision',
  'isEnabled',
  'requiredVariables',
  'createdAt',
  'updatedAt',
] as const;
export type PublishedVersionRow = Part<'PublishedVersion', (typeof versionFields)[number]>;
const publishedVersionById = batchedRow('PublishedVersion', 'id', versionFields);

/** The templates visible to the actor: those of the enterprise and, for members and administrators, those of teams. */
const visibleTemplates = ({ actor }: Pick<Context, 'actor'>): Filter<'PublishedTemplate'>[] => [
  { field: 'enterpriseId', is: actor.enterpriseId },
  ...(actor.everywhere
    ? []
    : [
        {
          any: [
            { field: 'teamId' as const, is: null },
            { field: 'teamId' as const, in: visibleTo(actor).teams },
          ],
        },
      ]),
];

const templateById = batched(async (context: Context, ids: number[]) => {
  const where = visibleTemplates(context);
  const rows = await context.db.publishedTemplate.findManyByKeys({ by: 'id', keys: ids, where });
  return new Map(rows.map((row) => [row.id, row]));
}, null);

/** The published template, or null if not visible to the actor. */
export async function visibleTemplate(
  context: Context,
  id: string | number,
): Promise<Row<'PublishedTemplate'> | null> {
  const number = numericId(String(id));
  return number === undefined ? null : templateById(context, number);
}

export async function requireTemplate(
  context: Context,
  ref: { id?: string; templateId?: number },
): Promise<Row<'PublishedTemplate'>> {
  const template = await visibleTemplate(context, ref.templateId ?? idOfType('Template', ref.id ?? '') ?? '');
  if (!template) throw new NotFoundError('template');
  return template;
}

export async function visibleVersion(context: Context, id: string): Promise<PublishedVersionRow | null> {
  const number = numericId(id);
  const version = number === undefined ? null : await publishedVersionById(context, number);
  return (await templateById(context, version?.templateId ?? 0)) && version;
}

/**
 * The template, for a caller who may change it: a developer of its team or, for a template of the enterprise, an
 * administrator.
 */
export async function requireChangeableTemplate(
  context: Context,
  ref: { id?: string; templateId?: number },
  action: Action,
  what: string,
): Promise<Row<'PublishedTemplate'>> {
  const template = await requireTemplate(context, ref);
  if (template.teamId === null) requireAdministrator(context, action, what);
  else requireAllowed(context, await loadTeam(context, template.teamId), action, { noun: 'template' });
  return template;
}

/** The columns of a list of templates that a search looks in. */
const found = (search?: string | null): Filter<'PublishedTemplate'>[] =>
  search ? [{ field: 'folded', contains: fold(search) }] : [];

/** The published templates that are visible to the actor, sorted by name. */
export const publishedTemplates = (context: Context, search?: string | null): List<'PublishedTemplate'> => ({
  key: context.actor.enterpriseId,
  spec: {
    model: 'PublishedTemplate',
    parent: { field: 'enterpriseId' },
    order: ['name', 'id'],
    where: [...visibleTemplates(context), ...found(search)],
  },
});

/** The templates in the catalogue of a team, sorted by name. */
export const templatesOfTeam = (
  { actor }: Context,
  teamId: string,
  search?: string | null,
): List<'PublishedTemplate'> => ({
  key: teamId,
  spec: {
    model: 'PublishedTemplate',
    parent: { field: 'teamId' },
    order: ['name', 'id'],
    where: [...visibleBesides<'PublishedTemplate'>(actor, 'teamId'), ...found(search)],
  },
});

interface VersionFilter {
  isEnabled?: boolean | null;
  orderBy?: { direction?: string | null } | null;
}

/** The versions of a template, in order of their first publication. */
export const versionsOf = (templateId: number, filter: VersionFilter): List<'PublishedVersion'> => ({
  key: templateId,
  spec: specOf(filter),
});

const specOf = memoizeByIdentity(
  ({ isEnabled, orderBy }: VersionFilter): ListSpec<'PublishedVersion'> => ({
    model: 'PublishedVersion',
    parent: { field: 'templateId' },
    order: ['createdAt', 'id'],
    descending: orderBy?.direction === 'desc',
    where: isEnabled == null ? [] : [{ field: 'isEnabled', is: isEnabled }],
    fields: versionFields,
  }),
);

/** The ids of the newest enabled versions of templates, by their numbers. */
const newestById = batched(async ({ db }: Context, templateIds: number[]) => {
  const versions = await db.publishedVersion.findManyByKeys({
    by: 'templateId',
    keys: templateIds,
    where: [{ field: 'isEnabled', is: true }],
    fields: ['id', 'templateId', 'version'],
  });
  return new Map(
    [...groupBy(versions, ({ templateId }) => templateId)].map(([id, of]) => [
      id,
      sortedByVersion(of, ({ version }) => version).at(-1)!.id,
    ]),
  );
}, null);

/** The newest enabled version of a template. Null if none is enabled. */
export async function newestVersionOf(context: Context, templateId: number) {
  const id = await newestById(context, templateId);
  return id === null ? null : publishedVersionById(context, id);
}

/** A published template with its enabled versions, as in the store protocol. */
export async function offeredTemplate(context: Context, key: string) {
  const where = visibleTemplates(context);
  const [template] = await context.db.publishedTemplate.findManyByKeys({ by: 'key', keys: [key], where });
  if (!template) throw new NotFoundError('application template');
  const versions = await context.db.publishedVersion.findManyByKeys({
    by: 'templateId',
    keys: [template.id],
    where: [{ field: 'isEnabled', is: true }],
    fields: versionFields,
  });
  return { template, versions: sortedByVersion(versions, ({ version }) => version) };
}

export async function offeredVersion(context: Context, key: string, version: string) {
  const { template, versions } = await offeredTemplate(context, key);
  const found = versions.find((each) => each.version === version);
  const [whole] = found
    ? await context.db.publishedVersion.findManyByKeys({ by: 'id', keys: [found.id] })
    : [];
  if (!whole) throw new NotFoundError('version of the application template');
  return { template, version: whole };
}
