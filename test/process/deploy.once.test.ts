import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { built } from '../support/built.ts';
import { blocksBelow, guide } from '../support/deploy-guide.ts';
import { freePort } from '../support/free-port.ts';
import { root, run, start, temporaryFolder } from '../support/production.ts';
import { startHere } from '../support/starts.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

const token = `trl_${'d'.repeat(43)}`;
const folders: { remove: () => void }[] = [];
afterAll(() => {
  for (const { remove } of folders) remove();
});

/** An installation of these sources in a folder of its own. */
function installation(): string {
  const folder = temporaryFolder('deploy');
  folders.push(folder);
  for (const name of ['node_modules', 'prisma', 'package.json']) {
    symlinkSync(join(root, name), join(folder.path, name));
  }
  cpSync(built(), join(folder.path, 'dist'), { recursive: true });
  return folder.path;
}

async function startTrellis(settings: Record<string, string>) {
  const { url, stop } = await startHere({ BOOTSTRAP_TOKEN: token, ...settings });
  const graphql = async (query: string): Promise<any> => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify({ query }),
    });
    return ((await response.json()) as any).data;
  };
  return { graphql, stop };
}
type Running = Awaited<ReturnType<typeof startTrellis>>;

const createRegion = `mutation { createRegion(input: { name: "north", alias: "North", url: "https://north.example",
  websocketUrl: "wss://north.example", httpDomain: "apps.north.example", tcpDomain: "tcp.north.example",
  credentials: { token: "of the region" } }) { __typename } }`;
const createTeam = (name: string) =>
  `mutation { createTeam(input: { name: "${name}", alias: "${name}" }) { __typename } }`;

/** Something that is encrypted, and a team. */
async function fill({ graphql }: Running): Promise<void> {
  expect(await graphql(createRegion)).toEqual({ createRegion: { __typename: 'CreateRegionPayload' } });
  expect(await graphql(createTeam('before'))).toEqual({ createTeam: { __typename: 'CreateTeamPayload' } });
}
const read = ({ graphql }: Running) =>
  graphql('{ teams { nodes { name } } region(by: { name: "north" }) { credentials { token } } }');
const filled = {
  teams: { nodes: [{ name: 'before' }] },
  region: { credentials: { token: 'of the region' } },
};

/** Runs commands as they are written, and fails when one does. */
async function carryOut(folder: string, commands: string, settings: Record<string, string> = {}) {
  const { code, stdout, stderr } = await run(folder, ['sh', '-euc', commands], settings);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

describe('the deployment guide', () => {
  it('has a table of contents with every section', () => {
    const anchor = (heading: string) =>
      heading
        .toLowerCase()
        .replaceAll(/[^a-z ]/g, '')
        .replaceAll(' ', '-');
    const headings = [...guide.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading!);
    const contents = [...guide.matchAll(/^- \[(.+)\]\(#(.+)\)$/gm)].map(([, name, link]) => [name, link]);
    expect(contents).toEqual(headings.map((heading) => [heading, anchor(heading)]));
  });

  it('names settings and scripts that there are', () => {
    const config = readFileSync(join(root, 'src/settings.ts'), 'utf8');
    const known = [...config.matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map(([, name]) => name!);
    // Settings of Node.js, of compose.yaml and of OpenTelemetry, error codes, and commands of Postgres.
    const others =
      /^(NODE_OPTIONS|OTEL_(SERVICE_NAME|RESOURCE_ATTRIBUTES|EXPORTER_OTLP_HEADERS|TRACES_SAMPLER(_ARG)?)|TRELLIS_PORT|NEW_SECRET_KEY|INVALID_\w+|\w+_(EXCEEDED|LIMITED|REFUSED|UNAVAILABLE)|UNAVAILABLE|LISTEN|NOTIFY)$/;
    const named = [...guide.matchAll(/`([A-Z][A-Z_]{3,})(?:=[^`]*)?`/g)].map(([, name]) =>
      name!.replace(/_FILE$/, ''),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !known.includes(name) && !others.test(name))).toEqual([]);
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const run = [...guide.matchAll(/npm run (?:-s )?([\w-]+)/g)].map(([, name]) => name!);
    expect(run.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('names tests that there are', () => {
    const named = [...guide.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path!);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('quotes messages of the source code', () => {
    const source = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.includes('generated'))
      .map((file) => readFileSync(join(root, 'src', file), 'utf8'))
      .join('\n');
    const [, section] = /^## Troubleshooting\n([\s\S]*)/m.exec(guide)!;
    const quoted = [...section!.matchAll(/`([A-Za-z][^`]* [^`…]*)…?[^`]*`/g)]
      .map(([, text]) => text!.trim())
      // Commands, and messages of Postgres.
      .filter((text) => !/^(npm run|prepared statement|too many clients)/.test(text));
    expect(quoted.length).toBeGreaterThan(3);
    expect(quoted.filter((text) => !source.includes(text))).toEqual([]);
  });

  it('makes keys that are accepted', async () => {
    const keys = (await carryOut(installation(), blocksBelow('The secret key')[0]!)).trim().split('\n');
    expect(keys).toHaveLength(2);
    for (const SECRET_KEY of keys) expect(readConfig({ SECRET_KEY }).secretKey).toHaveLength(32);
  });

  it('makes the secrets that compose.yaml reads', async () => {
    const folder = installation();
    const commands = blocksBelow('Containers').find((block) => block.includes('secrets/'))!;
    await carryOut(folder, commands.replace(/^docker .*$/gm, ''));
    expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
    const compose = readFileSync(join(root, 'compose.yaml'), 'utf8');
    const named = [...compose.matchAll(/file: \.\/secrets\/(\w+)/g)].map(([, name]) => name!);
    expect(readdirSync(join(folder, 'secrets'))).toEqual(named.sort());
    const config = readConfig({
      DATABASE_URL_FILE: join(folder, 'secrets/database_url'),
      SECRET_KEY_FILE: join(folder, 'secrets/secret_key'),
      BOOTSTRAP_TOKEN_FILE: join(folder, 'secrets/bootstrap_token'),
    });
    const { hostname, password, pathname } = new URL(config.databaseUrl);
    expect([hostname, pathname]).toEqual(['database', '/trellis']);
    expect(password).toBe(readFileSync(join(folder, 'secrets/database_password'), 'utf8').trim());
  });

  it('backs up an SQLite database with its key while it runs, and restores both', async () => {
    const folder = installation();
    const settings = { DATABASE_URL: `file:${join(folder, 'data/trellis.db')}` };
    const [backup, key, restore, ...more] = blocksBelow('SQLite');
    expect(more).toEqual([]);

    const trellis = await startTrellis(settings);
    await fill(trellis);
    const environment = { DATABASE: join(folder, 'data/trellis.db') };
    await carryOut(folder, `${backup}\n${key}`, environment);
    await trellis.graphql(createTeam('after'));
    await trellis.stop();
    // As if the disk was lost.
    await carryOut(folder, 'rm -r data');
    mkdirSync(join(folder, 'data'));

    await carryOut(folder, restore!, environment);
    const restored = await startTrellis(settings);
    expect(await read(restored)).toEqual(filled);
    await restored.stop();
    expect(statSync(join(folder, 'data/trellis.db.key')).mode & 0o777).toBe(0o600);
    expect(existsSync(join(folder, 'backup/trellis.db-wal'))).toBe(false);
  });
});

/** Programs of an installed PostgreSQL, whose server and pg_dump are of one version. */
const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql').map(Number) : [];
const programs = `/usr/lib/postgresql/${Math.max(0, ...versions)}/bin`;
const isInstalled = ['initdb', 'postgres', 'pg_dump', 'pg_restore'].every((name) =>
  existsSync(join(programs, name)),
);
if (!isInstalled)
  process.stderr.write('Backup of Postgres: skipped, no PostgreSQL server with pg_dump is installed\n');

describe.skipIf(!isInstalled)('the deployment guide on Postgres', () => {
  let server: ReturnType<typeof start>;
  let port: number;
  /** PostgreSQL refuses to run as root. */
  const asPostgres =
    process.getuid?.() === 0 ? (['runuser', '-u', 'postgres', '--'] as const) : (['env'] as const);
  const urlOf = (name: string) => `postgres://postgres@127.0.0.1:${port}/${name}`;

  beforeAll(async () => {
    const folder = temporaryFolder('postgres');
    folders.push(folder);
    if (asPostgres[0] === 'runuser') spawnSync('chown', ['postgres', folder.path]);
    const data = join(folder.path, 'data');
    const made = await run('/', [
      ...asPostgres,
      join(programs, 'initdb'),
      '-D',
      data,
      '-U',
      'postgres',
      '--no-sync',
      '-E',
      'UTF8',
      '--locale=C.UTF-8',
    ]);
    expect(made.code, made.stderr).toBe(0);
    port = await freePort();
    server = start('/', [
      ...asPostgres,
      join(programs, 'postgres'),
      '-D',
      data,
      '-p',
      String(port),
      '-k',
      folder.path,
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'fsync=off',
    ]);
    await vi.waitFor(async () => expect(await attempt('postgres', 'SELECT 1')).toBeUndefined(), 60_000);
  });
  afterAll(() => server?.stop('SIGINT'));

  async function attempt(database: string, statement: string): Promise<unknown> {
    const client = new pg.Client({ connectionString: urlOf(database) });
    try {
      await client.connect();
      await client.query(statement);
      return undefined;
    } catch (error) {
      return error;
    } finally {
      await client.end().catch(() => {});
    }
  }

  it('backs up a database while it runs, and restores it with its key', async () => {
    const folder = installation();
    for (const name of ['live', 'restored'])
      expect(await attempt('postgres', `CREATE DATABASE ${name}`)).toBeUndefined();
    const settings = { DATABASE_URL: urlOf('live'), SECRET_KEY: 'ab'.repeat(32) };
    const [backup, restore] = blocksBelow('Postgres');

    const trellis = await startTrellis(settings);
    await fill(trellis);
    const environment = {
      ...settings,
      RESTORED_URL: urlOf('restored'),
      PATH: `${programs}:${process.env.PATH}`,
    };
    await carryOut(folder, backup!, environment);
    await trellis.graphql(createTeam('after'));
    await trellis.stop();

    await carryOut(folder, restore!, environment);
    const restored = await startTrellis({ ...settings, DATABASE_URL: urlOf('restored') });
    expect(await read(restored)).toEqual(filled);
    await restored.stop();
  });
});
