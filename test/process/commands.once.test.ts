import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { endCommands, run } from '../support/commands.ts';
import { runHere } from '../support/commands-here.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

afterAll(endCommands);

/** No database can be opened here: what is wrong with the arguments is told before. */
const settings = { DATABASE_URL: 'file:/dev/null/none' };

it.each(['token', 'migrate', 'seed', 'reset-fence', 'rotate-key', 'verify-record'])(
  'npm run %s prints its usage with --help',
  async (command) => {
    const printed = await runHere(command, ['--help'], settings);
    expect(printed).toMatchObject({ code: 0, stderr: '' });
    expect(printed.stdout).toMatch(new RegExp(`^usage: .*${command}`));
  },
);

describe('npm run token', () => {
  it.each([
    ['no user', [], '--user'],
    ['an unknown option', ['--user', 'admin@trellis.example', '--admin'], '--admin'],
    [
      'a number that is none',
      ['--user', 'admin@trellis.example', '--expires-in-days', '0'],
      '--expires-in-days',
    ],
    ['a blank name', ['--user', 'admin@trellis.example', '--name', ' '], '--name'],
  ])('refuses %s and writes to standard error only', async (_, args, message) => {
    const refused = await runHere('token', args, settings);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(message);
  });
});

describe('npm run migrate', () => {
  it('makes the database and its first administrator, and changes nothing the next time', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trellis-migrate-'));
    try {
      const given = { DATABASE_URL: `file:${join(folder, 'trellis.db')}`, LOG_LEVEL: 'info' };
      const first = await run('migrate', [], given);
      expect(first.code, first.stderr).toBe(0);
      expect(first.stdout).toContain('applying migrations');
      expect(first.stdout).toMatch(/access token, shown this once: trl_/);
      const again = await run('migrate', [], given);
      expect(again.code, again.stderr).toBe(0);
      expect(again.stdout).not.toMatch(/applying migrations|shown this once/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('refuses arguments and settings that it cannot use', async () => {
    expect(await runHere('migrate', ['--force'], settings)).toMatchObject({ code: 1, stdout: '' });
    const wrong = await runHere('migrate', [], { DATABASE_URL: 'mysql://a' });
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    expect(wrong.stderr).toContain('DATABASE_URL');
  });
});

describe('npm run seed', () => {
  const shape = { teams: 3, applications: 4, components: 13, ports: 2 };
  const argsOf = (of: object) => Object.entries(of).flatMap(([name, value]) => [`--${name}`, String(value)]);

  it.each([
    ['a number that is missing', ['--teams', '1', '--applications', '1', '--ports', '1'], '--components'],
    ['a number that is none', argsOf({ ...shape, ports: 'many' }), '--ports'],
    ['too much', argsOf({ teams: 99_999, applications: 999, components: 9, ports: 9 }), 'The limit is'],
  ])('refuses %s', async (_, args, message) => {
    const refused = await runHere('seed', args, settings);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(message);
  });
});
