/** The data: made by the same command as a user's, in a Postgres of its own and in a SQLite file. */
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startPostgres } from '../../src/commands/migration.ts';
import { parentOf, tracked } from './processes.ts';
import { rightsInPostgres } from './rights.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Shape {
  teams: number;
  applications: number;
  components: number;
  ports: number;
}

/** A database with data in it, and someone who may ask for it. */
export interface Dataset {
  url: string;
  /** The token of a user who is a developer in every team and no administrator: rights are really checked. */
  token: string;
  /** What other callers come with, who may read the same. */
  tokens: Record<CallerKey, Credential>;
  /** What Trellis is started with. */
  settings: Record<string, string>;
}

export interface Databases {
  folder: string;
  postgresUrl: string;
  postgresVersion: string;
  /** The process whose children are the sessions. */
  postmaster: number;
  /** Makes an empty database and answers its address. */
  createDatabase(name: string): Promise<string>;
  close(): Promise<void>;
}

export async function openDatabases(): Promise<Databases> {
  const folder = mkdtempSync(join(tmpdir(), 'trellis-bench-'));
  // The driver of Postgres ends the process by itself on a signal, as soon as its server is down.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const { url, stop } = await startPostgres();
  const [{ version, pid }] = (await ask(
    url,
    "SELECT current_setting('server_version') AS version, pg_backend_pid() AS pid",
    [],
    ([row]) => [{ version: row.version, pid: parentOf(row.pid) }],
  )) as [{ version: string; pid: number }];
  return {
    folder,
    postgresUrl: url,
    postgresVersion: version,
    postmaster: pid,
    async createDatabase(name) {
      await ask(url, `CREATE DATABASE ${name}`);
      const made = new URL(url);
      made.pathname = `/${name}`;
      return made.href;
    },
    close: stop,
  };
}

/** One statement on a connection of its own. */
export async function ask<T = any[]>(
  url: string,
  text: string,
  params: unknown[] = [],
  use: (rows: any[]) => T = (rows) => rows as T,
): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return use((await client.query(text, params)).rows);
  } finally {
    await client.end();
  }
}

/** The user of the token. */
export const caller = 'developer@bench.example';

/** Other callers, with what is special about them. */
export const callers = [
  ['narrow', 'token limited to each team'],
  ['limited', 'role limited to each application'],
  ['session', 'session of a browser'],
] as const;
export type CallerKey = (typeof callers)[number][0];

/** An access token, or the session of a browser. */
export type Credential = string | { session: string };

/** Migrates and fills an empty database, and makes the user and the token that the load comes with. */
export async function fill(url: string, { teams, applications, components, ports }: Shape): Promise<Dataset> {
  const settings = {
    DATABASE_URL: url,
    SECRET_KEY: '0'.repeat(64),
    LOG_LEVEL: 'error',
    // Otherwise it would be printed.
    BOOTSTRAP_TOKEN: randomBytes(32).toString('hex'),
  };
  const counts = { teams, applications, components, ports };
  const args = Object.entries(counts).flatMap(([name, count]) => [`--${name}`, String(count)]);
  await run(['dist/commands/seed.js', ...args], settings);
  const token = await addCaller(url, settings, caller);
  const narrow = await addCaller(url, settings, 'narrow@bench.example', grantsForEachTeam(url));
  const limited = await addCaller(url, settings, 'limited@bench.example', limitsOfEachMember(url));
  const session = await addSession(url);
  await execute(url, url.startsWith('file:') ? [] : rightsInPostgres);
  if (!url.startsWith('file:')) await ask(url, 'VACUUM ANALYZE');
  return { url, token, tokens: { narrow, limited, session: { session } }, settings };
}

const jsonArray = (url: string, value: string) =>
  url.startsWith('file:') ? `json_group_array(${value})` : `json_agg(${value})::text`;

/** A grant for each team: it is checked against its place, and all of them together allow what the role does. */
const grantsForEachTeam = (url: string) => {
  const object = url.startsWith('file:') ? 'json_object' : 'json_build_object';
  const actions = url.startsWith('file:')
    ? `json_array('deployComponent')`
    : `json_build_array('deployComponent')`;
  const grant = `${object}('actions', ${actions}, 'teamId', t.id, 'applicationId', NULL, 'componentId', NULL)`;
  return `UPDATE access_token SET grants = (SELECT ${jsonArray(url, grant)} FROM team t)
    WHERE user_id = (SELECT id FROM user_account WHERE email = 'narrow@bench.example')`;
};

/** Every member is limited to the applications that there are: each list is filtered by them. */
const limitsOfEachMember = (url: string) =>
  `UPDATE membership SET applications = (SELECT ${jsonArray(url, 'a.id')} FROM application a WHERE a.team_id = membership.team_id)
    WHERE user_id = (SELECT id FROM user_account WHERE email = 'limited@bench.example')`;

/** By statements, for the API would need fifty requests for what is not measured. */
async function addCaller(
  url: string,
  settings: Record<string, string>,
  email: string,
  limit?: string,
): Promise<string> {
  await execute(url, [
    `INSERT INTO user_account (enterprise_id, email, nick_name, created_at, folded)
     SELECT id, '${email}', 'bench', created_at, '${email} bench' FROM enterprise`,
    `INSERT INTO membership (id, team_id, user_id, role, joined_at)
     SELECT u.id || '-' || t.id, t.id, u.id, 'developer', t.created_at
     FROM team t JOIN user_account u ON u.email = '${email}'`,
  ]);
  const token = await run(['dist/commands/token.js', '--user', email], settings);
  if (limit) await execute(url, [limit]);
  return token.trim();
}

/** A session of the user of the token. Returns the value of its cookie. */
async function addSession(url: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  const id = createHash('sha256').update(secret).digest('hex');
  await execute(url, [
    `INSERT INTO session (id, user_id, created_at, last_used_at, expires_at, address, browser)
     SELECT '${id}', id, created_at, created_at, '2100-01-01 00:00:00', '', 'bench'
     FROM user_account WHERE email = '${caller}'`,
  ]);
  return secret;
}

export async function execute(url: string, statements: readonly string[]): Promise<void> {
  if (!url.startsWith('file:')) {
    for (const statement of statements) await ask(url, statement);
    return;
  }
  const { default: Sqlite } = await import('better-sqlite3');
  const database = new Sqlite(url.slice('file:'.length));
  for (const statement of statements) database.exec(statement);
  database.close();
}

function run(args: string[], env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    tracked(child);
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve(said) : reject(new Error(`${args.join(' ')} ended with ${code}\n${said}`)),
    );
  });
}
