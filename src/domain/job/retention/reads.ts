import type { Database } from '../../../db/open.ts';
import { Params } from '../../../db/query/statement.ts';
import { isUnfinished } from '../model.ts';

/** Some jobs in the order of their ids. */
interface JobPage {
  /** Those that ended before the time. */
  ended: number[];
  lastId: number;
  /** Whether later jobs can have ended before the time, too. */
  hasMore: boolean;
}

/** The jobs after an id. Jobs have their ids in the order in which they begin, so that none after a new one is old. */
export async function jobsEndedBefore(
  db: Database,
  before: Date,
  { after, limit }: { after: number; limit: number },
): Promise<JobPage> {
  const params = new Params(db.dialect);
  const text = `SELECT id, status, created_at, ended_at FROM job WHERE id > ${params.add(after)} ORDER BY id LIMIT ${limit}`;
  const rows = await db.query(text, params.values);
  const time = (value: unknown) => db.dialect.decode(value, 'DateTime') as Date | null;
  const isOver = ([, status, , endedAt]: readonly unknown[]) =>
    !isUnfinished(String(status)) && (time(endedAt) ?? before) < before;
  const last = rows.at(-1);
  return {
    ended: rows.filter(isOver).map(([id]) => Number(id)),
    lastId: Number(last?.[0] ?? after),
    hasMore: last !== undefined && time(last[2])! < before,
  };
}

/** The jobs that have the last work on a component that exists, from which its state follows. */
export async function jobsWithLastWork(db: Database, ids: readonly number[]): Promise<Set<number>> {
  const params = new Params(db.dialect);
  const rows = await db.query(
    `SELECT DISTINCT w.job_id FROM job_component w JOIN component c ON c.id = w.component_id
     WHERE w.job_id IN (${ids.map((id) => params.add(id)).join(', ')})
       AND NOT EXISTS (SELECT 1 FROM job_component n WHERE n.component_id = w.component_id AND n.id > w.id)`,
    params.values,
  );
  return new Set(rows.map(([id]) => Number(id)));
}

export async function partsOf(db: Database, ids: readonly number[]): Promise<number[]> {
  const parts = await db.jobComponent.findManyByKeys({ by: 'jobId', keys: [...ids], fields: ['id'] });
  return parts.map(({ id }) => id);
}
