import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import type { Bulk } from '../../../db/write/bulk.ts';
import type { Write } from '../../../db/write/change.ts';
import { countDeleted, type Deleted } from '../../../db/write/deletion.ts';
import { allows } from '../../../kernel/access.ts';
import { ConflictError } from '../../../kernel/errors.ts';
import { changeWeights, maxComponents, maxObjectsFor, requireDeployable } from './model.ts';
import { configurationSizes, objectsOf } from './reads.ts';

/** CONFLICT if a team would have too many components in a region with so many more. */
export async function requireComponentRoom(
  { context, tx }: Bulk,
  { teamId, regionId }: Pick<Row<'Component'>, 'teamId' | 'regionId'>,
  more: number,
): Promise<void> {
  const [team, region] = [1, 2].map(context.db.dialect.placeholder);
  const some = `SELECT 1 FROM component WHERE team_id = ${team} AND region_id = ${region} LIMIT ${maxComponents}`;
  const [[has]] = (await tx.$read(`SELECT count(*) FROM (${some}) AS found`, [teamId, regionId])) as [
    [unknown],
  ];
  if (Number(has) + more <= maxComponents) return;
  throw new ConflictError(
    `The team would have more than ${maxComponents.toLocaleString('en')} components in the region, which is the limit. Delete some first.`,
  );
}

/** CONFLICT if an application would have too many objects with so many more: components and what belongs to them. */
export async function requireObjectRoom(
  { context, tx }: Bulk,
  applicationId: number,
  more = 1,
): Promise<void> {
  const has = await objectsOf(context.db, (text, params) => tx.$read(text, params), applicationId);
  const most = maxObjectsFor(context);
  if (has + more <= most) return;
  throw new ConflictError(
    `The application has ${has} components, ports, variables, volumes, schedules, dependencies and gateway rules. The limit is ${most}. Delete some first.`,
  );
}

/** LIMIT_EXCEEDED if rows have more objects, with all that belongs to them, than one change may delete. */
export async function requireFewWith(
  { context: { budget, db }, tx }: Pick<Write<Context>, 'context' | 'tx'>,
  rows: Deleted,
  of = '',
): Promise<void> {
  if (!budget) return;
  const read = (text: string, params: unknown[]) => tx.$read(text, params);
  const { objects } = await countDeleted(db, read, [rows], changeWeights, budget.changeObjects);
  budget.requireChangeObjects(objects, of);
}

/**
 * CONFLICT if components have more files and variables than one can be deployed with. Call after writing them. The components are
 * locked or new. With `mostOfAll`, also if all together have more bytes. In a dry run, secrets that the caller may not read count as
 * empty: with files of different sizes, its outcome would tell how long they are.
 */
export async function requireConfigurationFits(
  { context, tx }: Pick<Write<Context>, 'context' | 'tx'>,
  components: readonly Pick<Row<'Component'>, 'id' | 'name' | 'teamId' | 'applicationId'>[],
  mostOfAll?: number,
): Promise<void> {
  if (components.length === 0) return;
  const { actor, db } = context;
  const countsSecrets = ({ id: componentId, teamId, applicationId }: (typeof components)[number]) =>
    !tx.isDryRun ||
    allows(actor, 'readSecrets', { enterpriseId: actor.enterpriseId, teamId, applicationId, componentId });
  const ids = components.map(({ id }) => id);
  const withSecrets = components.filter(countsSecrets).map(({ id }) => id);
  const sizes = await configurationSizes(db, (text, params) => tx.$read(text, params), ids, withSecrets);
  requireDeployable(components, sizes, mostOfAll);
}
