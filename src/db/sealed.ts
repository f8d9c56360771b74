import type { Database } from './open.ts';
import { tables } from './tables.ts';

/** Some sealed value of the database, whatever it belongs to; nothing when there is none yet. */
export async function anySealed(db: Database): Promise<string | undefined> {
  for (const { table, columns } of Object.values(tables)) {
    for (const { column } of Object.values(columns)) {
      if (!column.startsWith('sealed_')) continue;
      const [row] = await db.query(
        `SELECT "${column}" FROM "${table}" WHERE "${column}" IS NOT NULL LIMIT 1`,
        [],
      );
      if (row) return row[0] as string;
    }
  }
  return undefined;
}
