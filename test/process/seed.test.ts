import { afterAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { tables } from '../../src/db/tables.ts';
import { endCommands, run, type Settings } from '../support/commands.ts';
import { createDatabase } from '../support/trellis.ts';

/** Each starts several processes, on a machine that may be busy with the other suites. */
const processes = { timeout: 120_000 };

const databases: Awaited<ReturnType<typeof createDatabase>>[] = [];

/** The settings of an empty database of its own. */
async function freshSettings(): Promise<Settings & { DATABASE_URL: string }> {
  const database = await createDatabase();
  databases.push(database);
  return { DATABASE_URL: database.url, SECRET_KEY: 'c0ffee00'.repeat(8) };
}

afterAll(async () => {
  endCommands();
  for (const { drop } of databases) await drop();
});

/** Rows of every table, but for those that a start by itself adds to. */
async function contents(url: string): Promise<{ counts: Record<string, number>; rows: unknown }> {
  const db = openDatabase({ url, poolSize: 1 });
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

describe('npm run seed', processes, () => {
  const shape = { teams: 3, applications: 4, components: 13, ports: 2 };
  const argsOf = (of: object) => Object.entries(of).flatMap(([name, value]) => [`--${name}`, String(value)]);

  it('writes the same data on every database, and only once', async () => {
    const [one, other] = [await freshSettings(), await freshSettings()];
    const first = await run('seed', argsOf(shape), one);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toContain('Wrote 483 ');
    const before = await contents(one.DATABASE_URL);
    expect(before.counts).toMatchObject({
      team: 3,
      membership: 3,
      application: 12,
      component: 156,
      port: 312,
      event: 2,
    });

    const second = await run('seed', argsOf(shape), one);
    expect(second).toMatchObject({ code: 0, stderr: '' });
    expect(second.stdout).toContain('already exists');
    expect(await contents(one.DATABASE_URL)).toEqual(before);

    // On another database in two steps: whole teams are added to those that are there.
    await run('seed', argsOf({ ...shape, teams: 1 }), other);
    await run('seed', argsOf(shape), other);
    expect((await contents(other.DATABASE_URL)).rows).toEqual(before.rows);

    const refused = await run('seed', argsOf({ ...shape, ports: 3 }), one);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('4 applications × 13 components × 2 ports per team');
    expect(await contents(one.DATABASE_URL)).toEqual(before);
  });
});
