import { Params } from '../../db/query/statement.ts';
import { tableOf } from '../../db/tables.ts';
import type { Bulk } from '../../db/write/bulk.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { maxObjectsFor, parts } from '../component/size/model.ts';

/** CONFLICT if components have more objects than an application can have, of which none is read then. */
export async function requireFewObjects(
  { context, tx }: Bulk,
  componentIds: readonly string[],
): Promise<void> {
  const params = new Params(context.db.dialect);
  const counts = parts.map((model) => {
    const keys = params.keys(componentIds, model, 'componentId');
    return `SELECT count(*) AS objects FROM "${tableOf(model).table}" WHERE component_id IN (SELECT key FROM ${keys})`;
  });
  const text = `SELECT sum(objects) FROM (${counts.join(' UNION ALL ')}) AS counts`;
  // Those that are read are noted themselves.
  const [row] = await (tx.log ?? tx).$read(text, params.values);
  const objects = Number(row?.[0] ?? 0);
  const most = maxObjectsFor(context);
  if (objects <= most) return;
  throw new ConflictError(
    `The components have ${objects} ports, variables, volumes, schedules, dependencies and gateway rules. Manifests, upgrades and rollbacks read at most ${most}. Delete some first.`,
  );
}
