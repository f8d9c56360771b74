import { Params } from '../../db/query/statement.ts';
import { type Model, tableOf } from '../../db/tables.ts';
import type { Bulk } from '../../db/write/bulk.ts';
import { ConflictError } from '../../kernel/errors.ts';

/** The most objects in components that are read at once. Others wait while a change reads and compares them under its locks. */
export const maxStandingObjects = 50_000;

/** The objects of components. */
const parts = [
  'Port',
  'EnvironmentVariable',
  'Volume',
  'Schedule',
  'ComponentDependency',
  'HttpRule',
  'TcpRule',
] as const satisfies Model[];

/** CONFLICT if components have more objects than are read at once, of which none is read then. */
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
  const [row] = await tx.$read(text, params.values);
  const objects = Number(row?.[0] ?? 0);
  if (objects <= maxStandingObjects) return;
  throw new ConflictError(
    `The components have ${objects} ports, variables, volumes, schedules, dependencies and gateway rules. Manifests, upgrades and rollbacks read at most ${maxStandingObjects}. Delete some first.`,
  );
}
