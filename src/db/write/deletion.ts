import { yieldToLoop } from '../../kernel/event-loop.ts';
import type { Database } from '../open.ts';
import { Params } from '../query/statement.ts';
import { columnOf, type Model, tableOf, tables } from '../tables.ts';
import type { ChangeContext } from './change.ts';

/** Rows that are deleted, with all that belongs to them. */
export interface Deleted {
  model: Model;
  ids: readonly (string | number)[];
}

/** What objects count in a change. One, unless it is said. */
export type Weights = { readonly [M in Model]?: number };

type Read = (text: string, params: unknown[]) => Promise<unknown[][]>;

/**
 * What is kept of what has happened to objects, which nobody deletes by itself: the condition of the rows that are over. There can
 * be any number of them.
 */
const past: { readonly [M in Model]?: string } = {
  AccessToken: 'revoked_at IS NOT NULL',
  ComponentRun: 'due_at IS NULL',
  Job: 'ended_at IS NOT NULL',
  JobComponent: 'ended_at IS NOT NULL',
  Release: 'TRUE',
  WebhookDelivery: 'TRUE',
};

/** What such a row counts: it has no event. */
const pastWeight = 0.25;

/** More such rows are deleted before the change. */
const mostPast = 1_000;

/** How long a batch of them should take on SQLite, and how many rows it has at first and at most. */
const batch = { ms: 10, first: 10, most: 2_000 };

interface Belonging {
  model: Model;
  where(params: Params): string;
}

/** The rows that the database deletes with others, or whose reference to them it removes. Each model once, the nearest way. */
export function belongingTo({ model: root, ids }: Deleted): Belonging[] {
  const found: Belonging[] = [];
  const seen = new Set<Model>([root]);
  let parents: { model: Model; among(params: Params): string }[] = [
    { model: root, among: (params) => `SELECT key FROM ${params.keys(ids, root, 'id')}` },
  ];
  while (parents.length > 0) {
    const next: typeof parents = [];
    for (const parent of parents) {
      for (const model of Object.keys(tables) as Model[]) {
        if (seen.has(model)) continue;
        const references = tableOf(model).references.filter(
          ({ to, onDelete }) => to === parent.model && onDelete !== 'Restrict',
        );
        if (references.length === 0) continue;
        seen.add(model);
        const where = (params: Params) =>
          references
            .map(({ field }) => `"${columnOf(model, field).column}" IN (${parent.among(params)})`)
            .join(' OR ');
        found.push({ model, where });
        if (!('id' in tableOf(model).columns) || references.some(({ onDelete }) => onDelete !== 'Cascade'))
          continue;
        const { column } = columnOf(model, 'id');
        const among = (params: Params) =>
          `SELECT "${column}" FROM "${tableOf(model).table}" WHERE ${where(params)}`;
        next.push({ model, among });
      }
    }
    parents = next;
  }
  return found;
}

/** What deleted rows count with all that belongs to them, and how many rows of it are past. Neither is counted beyond `most` by far. */
export async function countDeleted(
  { dialect }: Pick<Database, 'dialect'>,
  read: Read,
  deleted: readonly Deleted[],
  weights: Weights,
  most: number,
): Promise<{ objects: number; pastRows: number }> {
  const params = new Params(dialect);
  const counts: string[] = [];
  let objects = 0;
  for (const rows of deleted) {
    if (rows.ids.length === 0) continue;
    const weightOf = (model: Model) => weights[model] ?? 1;
    objects += rows.ids.length * weightOf(rows.model);
    for (const { model, where } of belongingTo(rows)) {
      const { table } = tableOf(model);
      const some = (condition: string, limit: number) =>
        `(SELECT 1 FROM "${table}" WHERE (${where(params)})${condition} LIMIT ${limit}) AS found`;
      const over = past[model];
      const isOver = over === undefined ? '' : ` AND NOT (${over})`;
      const limit = Math.ceil(most / weightOf(model)) + 1;
      counts.push(
        `SELECT count(*) * ${weightOf(model)} AS objects, 0 AS past FROM ${some(isOver, limit)}`,
        ...(over === undefined
          ? []
          : [`SELECT 0, count(*) FROM ${some(` AND (${over})`, Math.ceil(most / pastWeight) + 1)}`]),
      );
    }
  }
  if (counts.length === 0) return { objects, pastRows: 0 };
  const text = `SELECT sum(objects), sum(past) FROM (${counts.join(' UNION ALL ')}) AS counts`;
  const [[more, pastRows]] = (await read(text, params.values)) as [[unknown, unknown]];
  return { objects: objects + Number(more), pastRows: Number(pastRows) };
}

/** What deleted rows count in a change with all that belongs to them. */
export async function deletedObjects(
  db: Pick<Database, 'dialect'>,
  read: Read,
  deleted: readonly Deleted[],
  { weights = {}, most }: { weights?: Weights; most: number },
): Promise<number> {
  const { objects, pastRows } = await countDeleted(db, read, deleted, weights, most);
  return objects + pastRows * pastWeight;
}

/**
 * Call before the transaction that deletes rows. LIMIT_EXCEEDED if more objects belong to them than one change may delete. Deletes in
 * batches what is past, unless it is little; `check` throws if the deletion would be refused.
 */
export async function prepareDeletion(
  context: ChangeContext,
  deleted: readonly Deleted[],
  { weights = {}, isDryRun, check }: { weights?: Weights; isDryRun: boolean; check(): Promise<unknown> },
): Promise<void> {
  const { db, budget } = context;
  const most = budget?.changeObjects ?? Number.MAX_SAFE_INTEGER;
  const read: Read = (text, params) => db.query(text, params);
  const { objects, pastRows } = await countDeleted(db, read, deleted, weights, most);
  budget?.requireChangeObjects(objects);
  if (pastRows <= mostPast || isDryRun) return;
  await check();
  for (const rows of deleted) {
    // What belongs to other rows first.
    for (const belonging of belongingTo(rows).reverse()) await deletePast(context, belonging);
  }
}

/** Others write between the batches. */
async function deletePast({ db, signal }: ChangeContext, { model, where }: Belonging): Promise<void> {
  const over = past[model];
  if (over === undefined) return;
  const { table } = tableOf(model);
  let size = batch.first;
  for (;;) {
    const params = new Params(db.dialect);
    const some = `SELECT id FROM "${table}" WHERE (${where(params)}) AND (${over}) LIMIT ${size}`;
    const startedAt = performance.now();
    const count = await db.transaction(
      (tx) => tx.$write(`DELETE FROM "${table}" WHERE id IN (${some})`, params.values),
      signal,
    );
    if (count < size) return;
    const isSlow = performance.now() - startedAt > batch.ms;
    size = isSlow ? Math.max(batch.first, size >> 1) : Math.min(batch.most, size * 2);
    await yieldToLoop(signal);
  }
}
