import { openDatabase } from '../../src/db/open.ts';
import { tables } from '../../src/db/tables.ts';
import { endCommands, type Settings } from './commands.ts';
import { createDatabase } from './trellis.ts';

const databases: Awaited<ReturnType<typeof createDatabase>>[] = [];

/** The settings of an empty database, for commands. */
export async function freshSettings(): Promise<Settings & { DATABASE_URL: string }> {
  const database = await createDatabase();
  databases.push(database);
  return { DATABASE_URL: database.url, SECRET_KEY: 'c0ffee00'.repeat(8) };
}

/** Ends the commands that tests left behind, and removes their databases. */
export async function endCommandDatabases(): Promise<void> {
  endCommands();
  await Promise.all(databases.splice(0).map(({ drop }) => drop()));
}

/** Rows of every table, but for those that a start by itself adds to. */
export async function contents(url: string): Promise<{ counts: Record<string, number>; rows: unknown }> {
  const db = await openDatabase({ url, poolSize: 1 });
  const counts: Record<string, number> = {};
  for (const { table } of Object.values(tables)) {
    counts[table] = Number((await db.query(`SELECT count(*) FROM "${table}"`, []))[0]![0]);
  }
  const rows: unknown[] = [];
  for (const table of ['region', 'team_region', 'application', 'component', 'port']) {
    const [columns] = [Object.values(tables).find((each) => each.table === table)!.columns];
    const names = Object.values(columns as Record<string, { column: string }>)
      .map(({ column }) => column)
      .filter((name) => name !== 'enterprise_id');
    const list = names.map((name) => `"${name}"`).join(', ');
    rows.push(await db.query(`SELECT ${list} FROM "${table}" ORDER BY 1, 2`, []));
  }
  await db.close();
  return { counts, rows };
}
