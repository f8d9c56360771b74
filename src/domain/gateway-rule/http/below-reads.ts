import { Params } from '../../../db/query/statement.ts';
import { yieldInTransaction } from '../../../kernel/event-loop.ts';
import type { PortWrite } from '../../port/hooks.ts';
import { baseOf, wildcardsOver } from './domain-model.ts';

/** The most names that one statement returns. */
const pageSize = 2_000;

/** The most wildcards that are conditions of a statement. Of more, the names are looked up among them. */
const maxConditions = 8;

/**
 * The domains in the region below wildcards: those of the team, or those of others. Each statement is for all wildcards, because
 * others wait for the lock of the region, and a document can have thousands.
 */
export async function domainsBelow(
  { context, tx, region, team }: Pick<PortWrite, 'context' | 'tx' | 'region' | 'team'>,
  wildcards: readonly string[],
  whose: 'team' | 'others',
): Promise<{ name: string; wildcard: string }[]> {
  const below: { name: string; wildcard: string }[] = [];
  const wanted = new Set(wildcards);
  let isLast = wanted.size === 0;
  let after = '';
  while (!isLast) {
    const params = new Params(context.db.dialect);
    const conditions = [
      `region_id = ${params.add(region.id)}`,
      `team_id ${whose === 'team' ? '=' : '<>'} ${params.add(team.id)}`,
      `name > ${params.add(after)}`,
    ];
    if (wanted.size <= maxConditions) {
      const ends = [...wanted].map((wildcard) => `name LIKE ${params.add(`%.${baseOf(wildcard)}`)}`);
      conditions.push(`(${ends.join(' OR ')})`);
    }
    const text = `SELECT name FROM domain WHERE ${conditions.join(' AND ')} ORDER BY name LIMIT ${pageSize}`;
    const rows = (await tx.$read(text, params.values)) as [string][];
    for (const [name] of rows) {
      const wildcard = wildcardsOver(name).find((each) => wanted.has(each));
      if (wildcard !== undefined) below.push({ name, wildcard });
      await yieldInTransaction(context.signal);
    }
    isLast = rows.length < pageSize;
    after = rows.at(-1)?.[0] ?? after;
  }
  return below;
}
