import { afterAll, describe, expect, it } from 'vitest';
import { contents, endCommandDatabases, freshSettings } from '../support/command-databases.ts';
import { run } from '../support/commands.ts';
import { runHere } from '../support/commands-here.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

afterAll(endCommandDatabases);

describe('npm run seed', () => {
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

    const second = await runHere('seed', argsOf(shape), one);
    expect(second).toMatchObject({ code: 0, stderr: '' });
    expect(second.stdout).toContain('already exists');
    expect(await contents(one.DATABASE_URL)).toEqual(before);

    // On another database in two steps: whole teams are added to those that are there.
    await runHere('seed', argsOf({ ...shape, teams: 1 }), other);
    await runHere('seed', argsOf(shape), other);
    expect((await contents(other.DATABASE_URL)).rows).toEqual(before.rows);

    const refused = await runHere('seed', argsOf({ ...shape, ports: 3 }), one);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('4 applications × 13 components × 2 ports per team');
    expect(await contents(one.DATABASE_URL)).toEqual(before);
  });
});
