import type { Context } from '../../context.ts';
import { batchedRow, type List, pageOf } from '../../db/list.ts';
import type { ListSpec } from '../../db/query/statement.ts';
import { type OpenField, openFields, type Part, type Row } from '../../db/tables.ts';
import { sees } from '../../kernel/access.ts';
import { batched } from '../../kernel/batch.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { byNumber, namedBy } from '../../kernel/global-id.ts';
import { parseLarge } from '../../kernel/large-json.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import type { Window } from '../../kernel/page.ts';
import type { Seal } from '../../kernel/seal.ts';
import type { DeployedSpec } from '../component/deploy/deployment-model.ts';
import { namedComponent, visibleWithComponent } from '../component/reads.ts';
import type { ReleaseRef } from './model.ts';

/** The columns of a release without what it deployed. */
const shown = openFields('Release');
export type ReleaseRow = Part<'Release', OpenField<'Release'>>;

const releaseById = batchedRow('Release', 'id', shown);

export const visibleRelease = visibleWithComponent(byNumber(releaseById));

const namedRelease = namedBy('release', 'Release', 'releaseId', visibleRelease);

/** The release that a reference identifies. NOT_FOUND if not visible to the caller. */
export async function requireRelease(context: Context, ref: ReleaseRef): Promise<ReleaseRow> {
  if (ref.at != null) {
    const component = await namedComponent(context, ref.at.component);
    const found = await idByNumber(context, component.id, ref.at.number);
    const release = found === null ? null : await releaseById(context, found);
    if (!release) throw new NotFoundError('release');
    return release;
  }
  return namedRelease(context, ref);
}

const newestFirst: ListSpec<'Release', OpenField<'Release'>> = {
  model: 'Release',
  parent: { field: 'componentId' },
  order: ['number'],
  descending: true,
  fields: shown,
};

export const releasesOf = (componentId: string): List<'Release', OpenField<'Release'>> => ({
  key: componentId,
  spec: newestFirst,
});

export async function releaseOfJob(
  { db }: Pick<Context, 'db'>,
  componentId: string,
  jobId: number,
): Promise<ReleaseRow | null> {
  const where = [{ field: 'jobId' as const, is: jobId }];
  const rows = await db.release.findManyByKeys({
    by: 'componentId',
    keys: [componentId],
    where,
    fields: shown,
  });
  return rows[0] ?? null;
}

const sealedFields = ['id', 'componentId', 'digest', 'sealedSpec'] as const;
type Sealed = Part<'Release', (typeof sealedFields)[number]>;

/** The configurations of releases, which can be large. */
export const sealedById = batched(
  async (context: Context, ids: number[]) => {
    const { release } = context.db;
    context.budget?.expectText(await release.textSizeByKeys({ by: 'id', keys: ids, text: 'sealedSpec' }));
    const rows: Sealed[] = await release.findManyByKeys({ by: 'id', keys: ids, fields: sealedFields });
    return new Map(rows.map((row) => [row.id, row]));
  },
  null,
  'release',
);

/** The ids of the releases of components with a number. */
export const idByNumber = batched(
  async ({ db }: Context, componentIds: string[], number: number) => {
    const where = [{ field: 'number' as const, is: number }];
    const fields = ['id', 'componentId'] as const;
    const rows = await db.release.findManyByKeys({ by: 'componentId', keys: componentIds, where, fields });
    return new Map(rows.map(({ id, componentId }) => [componentId, id]));
  },
  null,
  'release number',
);

const lastOnly: Window = { limit: 1, fromEnd: false };

/** The id of the last release of a component. */
export const lastIdOf = async (context: Context, componentId: string): Promise<number | null> =>
  (await pageOf(context, releasesOf(componentId), lastOnly)).rows[0]?.id ?? null;

/** A document can have the same release under hundreds of aliases, and what it deployed can be large. */
const opened = memoizeByIdentity((_: Pick<Row<'Release'>, 'sealedSpec'>) => new Map<Seal, DeployedSpec>());

/** The configuration of a release. */
export function specOf(
  context: Pick<Context, 'seal' | 'budget'>,
  release: Pick<Row<'Release'>, 'sealedSpec'>,
): DeployedSpec {
  const { seal } = context;
  const known = opened(release);
  const spec = known.get(seal) ?? parseLarge<DeployedSpec>(context, seal.open(release.sealedSpec));
  known.set(seal, spec);
  return spec;
}

/** The names of those components that the caller may see, by id. */
export function visibleNames(
  { actor }: Pick<Context, 'actor'>,
  components: readonly Pick<Row<'Component'>, 'id' | 'name' | 'teamId' | 'applicationId'>[],
): Map<string, string> {
  const isVisible = ({ id, teamId, applicationId }: (typeof components)[number]) =>
    !actor.isPartial || sees(actor, { teamId, applicationId, componentId: id });
  return new Map(components.filter(isVisible).map(({ id, name }) => [id, name]));
}
