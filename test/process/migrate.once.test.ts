import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { gatewayTimes } from '../../src/db/gateways.ts';
import { lostTriggers, withCollation } from '../../src/db/migrate/amend-script.ts';
import {
  type DatabaseKind,
  MigrationError,
  migrate,
  migrationsDirectory,
} from '../../src/db/migrate/migrate.ts';
import { schemaDifference, withEngine } from '../../src/db/migrate/schema-engine.ts';
import { openDatabase } from '../../src/db/open.ts';
import { actorOf, actorWithin, hashToken } from '../../src/domain/access-token/reads.ts';
import { sealStored } from '../../src/domain/app-store/seal-operations.ts';
import { allows } from '../../src/kernel/access.ts';
import type { Action } from '../../src/kernel/actions.ts';
import { createSeal } from '../../src/kernel/seal.ts';
import { builtModules } from '../support/built.ts';
import { startsProcesses } from '../support/starts-processes.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/trellis.ts';

startsProcesses();

const folder = mkdtempSync(join(tmpdir(), 'trellis-migrate-test-'));
const databases: TestDatabase[] = [];
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await Promise.all(databases.map(({ drop }) => drop()));
});

const models = readFileSync(new URL('../../prisma/models.prisma', import.meta.url), 'utf8');

/** The url of an empty database that nothing else uses. */
async function emptyDatabase(kind: DatabaseKind): Promise<string> {
  const name = `migrate_${randomUUID().replaceAll('-', '')}`;
  if (kind === 'sqlite') return `file:${join(folder, name, 'trellis.db')}`;
  await run(inject('postgresUrl'), `CREATE DATABASE ${name}`);
  const url = new URL(inject('postgresUrl'));
  url.pathname = name;
  return url.href;
}

/** The url of a database with all migrations: a copy, since most tests are not about how it got them. */
async function migratedDatabase(kind: DatabaseKind): Promise<string> {
  const database = await createMigratedDatabase(kind);
  databases.push(database);
  return database.url;
}

/** Runs one statement; gives its rows. */
async function run(url: string, sql: string): Promise<Record<string, unknown>[]> {
  if (url.startsWith('file:')) {
    const database = new Sqlite(url.slice('file:'.length));
    try {
      const statement = database.prepare(sql);
      if (statement.reader) return statement.all() as Record<string, unknown>[];
      statement.run();
      return [];
    } finally {
      database.close();
    }
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const insertEvent =
  'INSERT INTO event (enterprise_id, at, request_id, action, subject_type, subject_id, changes) ' +
  "VALUES ('e', '2026-01-01T00:00:00.000+00:00', 'r', 'a', 't', 's', '{}')";

/** What an earlier version left behind: a component of a template whose inner domain somebody has changed since. */
const at = "'2026-01-01T00:00:00.000+00:00'";
const changes = JSON.stringify([
  { component: 'c', kind: 'SET_VARIABLE', name: 'DB_password', before: 'hunter1', after: 'hunter2' },
  { component: 'c', kind: 'ADD_VARIABLE', name: 'MODE', before: null, after: 'fast' },
]);
const earlierRows = [
  `INSERT INTO enterprise (id, name, alias, created_at) VALUES ('e', 'e', 'e', ${at})`,
  `INSERT INTO team (id, enterprise_id, name, alias, created_at, folded) VALUES ('t', 'e', 't', 't', ${at}, 't')`,
  `INSERT INTO region (id, enterprise_id, name, alias, url, websocket_url, http_domain, tcp_domain, status, created_at, folded) VALUES ('r', 'e', 'r', 'r', '', '', '', '', 'enabled', ${at}, 'r')`,
  `INSERT INTO application (id, team_id, region_id, name, created_at, updated_at, folded) VALUES (1, 't', 'r', 'a', ${at}, ${at}, 'a')`,
  `INSERT INTO component_group (id, application_id, name, template, created_at) VALUES (1, 1, 'g', '{"installed":"hunter2"}', ${at})`,
  `INSERT INTO component (id, application_id, team_id, region_id, group_id, key, alias, name, cluster_name, service_name, version, image, created_at, updated_at, folded) VALUES ('c', 1, 't', 'r', 1, 'k', 'c', 'c', 'c', 'renamed', '1', 'i', ${at}, ${at}, 'c')`,
  `INSERT INTO port (id, component_id, number, protocol, alias, is_inner, created_at) VALUES (1, 'c', 3306, 'mysql', 'DB', true, ${at})`,
  ...[
    ['MODE', 'fast', 'environment'],
    ['DB_password', 'hunter2', 'environment'],
    ['DB_HOST', 'gone', 'connection'],
    ['DB_PORT', '3306', 'connection'],
    ['OTHER_HOST', 'db.example', 'connection'],
  ].map(
    ([name, value, scope], index) =>
      `INSERT INTO environment_variable (id, component_id, name, value, scope) VALUES (${index + 1}, 'c', '${name}', '${value}', '${scope}')`,
  ),
  `INSERT INTO upgrade_record (id, application_id, group_id, template_id, from_version, to_version, changes, at) VALUES (1, 1, 1, 'x', '1', '2', '${changes}', ${at})`,
];

describe.each(['sqlite', 'postgres'] as const)('migrations on %s', (kind) => {
  const shipped = readdirSync(migrationsDirectory(kind), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();

  /** Those that earlier versions applied, whose history can have an open end. */
  const formerly = shipped.slice(0, 3);

  /** A copy of the migrations that a test may spoil. */
  function migrationsCopy(): string {
    const copy = join(folder, randomUUID());
    cpSync(migrationsDirectory(kind), copy, { recursive: true });
    return copy;
  }

  function addMigration(directory: string, name: string, sql: string): void {
    mkdirSync(join(directory, name));
    writeFileSync(join(directory, name, 'migration.sql'), sql);
  }

  it('are all applied to an empty database, once', async () => {
    const url = await emptyDatabase(kind);
    const messages: string[] = [];
    const log = (message: string) => void messages.push(message);
    expect(await migrate({ url, log })).toEqual(shipped);
    expect(messages).toEqual([`applying migrations: ${shipped.join(', ')}`]);
    expect(await migrate({ url, log })).toEqual([]);
    expect(messages).toHaveLength(1);
  });

  it('encrypt the secrets of earlier versions, and keep everything else', async () => {
    const url = await emptyDatabase(kind);
    const earlier = migrationsCopy();
    const added = shipped.slice(
      shipped.findIndex((name) => name.endsWith('_secret_variables_and_names_of_ports')),
    );
    for (const name of added) rmSync(join(earlier, name), { recursive: true });
    await migrate({ url, directory: earlier });
    for (const row of earlierRows) await run(url, row);
    expect(await migrate({ url })).toEqual(added);
    const db = await openDatabase({ url });
    try {
      const seal = createSeal(randomBytes(32));
      // Two processes of the new version that start at once.
      await Promise.all([sealStored(db, seal), sealStored(db, seal)]);
      const variables = await db.query(
        'SELECT id, name, value, is_secret, sealed_value FROM environment_variable ORDER BY id',
        [],
      );
      expect(variables.map(([id, name, value, isSecret]) => [id, name, value, Boolean(isSecret)])).toEqual([
        [1, 'MODE', 'fast', false],
        [2, 'DB_password', null, true],
        [5, 'OTHER_HOST', 'db.example', false],
      ]);
      expect(seal.open(variables[1]![4] as string)).toBe('hunter2');
      const [group] = await db.query('SELECT template, sealed_template FROM component_group', []);
      expect(group![0]).toBeNull();
      expect(JSON.parse(seal.open(group![1] as string))).toEqual({ installed: 'hunter2' });
      const [record] = await db.query('SELECT changes FROM upgrade_record', []);
      expect(JSON.parse(record![0] as string)).toEqual([
        {
          component: 'c',
          kind: 'SET_VARIABLE',
          name: 'DB_password',
          before: '[redacted]',
          after: '[redacted]',
        },
        { component: 'c', kind: 'ADD_VARIABLE', name: 'MODE', before: null, after: 'fast' },
      ]);
      expect(await db.query('SELECT alias, additional_name FROM port', [])).toEqual([['DB', null]]);
      // What runs goes on as before.
      const rows = [
        ...(await db.query('SELECT needs_root FROM component', [])),
        ...(await db.query('SELECT allows_root FROM region', [])),
      ];
      expect(new Set(rows.flat().map(Boolean))).toEqual(new Set([true]));
    } finally {
      await db.close();
    }
  });

  it('keep the tokens and the roles of earlier versions', async () => {
    const url = await emptyDatabase(kind);
    const earlier = migrationsCopy();
    const added = shipped.slice(shipped.findIndex((name) => name.endsWith('_narrow_rights')));
    for (const name of added) rmSync(join(earlier, name), { recursive: true });
    await migrate({ url, directory: earlier });
    const user = (id: number, isAdministrator: boolean) =>
      `INSERT INTO user_account (id, enterprise_id, email, nick_name, is_administrator, created_at, folded) VALUES (${id}, 'e', '${id}@e.example', 'n', ${isAdministrator}, ${at}, 'n')`;
    const token = (id: string, userId: number) =>
      `INSERT INTO access_token (id, user_id, name, hash, created_at) VALUES ('${id}', ${userId}, 'n', '${hashToken(`secret of ${id}`)}', ${at})`;
    for (const row of [
      ...earlierRows.slice(0, 2),
      user(1, true),
      user(2, false),
      token('one', 1),
      token('two', 2),
      `INSERT INTO membership (id, team_id, user_id, role, joined_at) VALUES ('m', 't', 2, 'developer', ${at})`,
    ]) {
      await run(url, row);
    }
    expect(await migrate({ url })).toEqual(added);
    const db = await openDatabase({ url });
    try {
      const [administrator, developer] = await Promise.all(
        ['one', 'two'].map(async (id) => (await actorOf(db, `secret of ${id}`))!.actor),
      );
      const place = { enterpriseId: 'e', teamId: 't', applicationId: 1, componentId: 'c' };
      const may = (action: Action) =>
        [administrator!, developer!].map((actor) => allows(actor, action, place));
      expect(may('deleteTeam')).toEqual([true, false]);
      expect(may('deployComponent')).toEqual([true, true]);
      expect(may('readSecrets')).toEqual([true, true]);
      expect([administrator, developer].map((actor) => [actor!.grants, actor!.isPartial])).toEqual([
        [null, false],
        [null, false],
      ]);
      // Inside of a transaction, they are read by another statement.
      const within = await db.transaction((tx) => actorWithin(db, tx, 'two'));
      expect(within).toEqual(developer);
    } finally {
      await db.close();
    }
  });

  it('keep the names that several components have in a cluster: the oldest owns each', async () => {
    const url = await emptyDatabase(kind);
    const copy = migrationsCopy();
    const added = shipped.slice(shipped.findIndex((name) => name.endsWith('_unique_cluster_names')));
    for (const name of added) rmSync(join(copy, name), { recursive: true });
    await migrate({ url, directory: copy });
    const component = (id: string, clusterName: string, day: number, team = 't') =>
      `INSERT INTO component (id, application_id, team_id, region_id, key, alias, name, cluster_name, version, image, created_at, updated_at, folded) VALUES ('${id}', 1, '${team}', 'r', '${id}', '${id}', '${id}', '${clusterName}', '1', 'i', ${at.replace('-01T', `-0${day}T`)}, ${at}, '${id}')`;
    for (const row of [
      ...earlierRows.slice(0, 4),
      earlierRows[1]!.replaceAll("'t'", "'u'"),
      component('younger', 'web', 3),
      component('oldest', 'web', 2),
      component('same', 'web', 3),
      component('other', 'api', 1),
      component('of-another-team', 'web', 1, 'u'),
    ]) {
      await run(url, row);
    }
    expect(await migrate({ url })).toEqual(added);
    const rows = await run(url, 'SELECT id, cluster_name, owned_cluster_name FROM component ORDER BY id');
    expect(rows.map((row) => Object.values(row))).toEqual([
      ['of-another-team', 'web', 'web'],
      ['oldest', 'web', 'web'],
      ['other', 'api', 'api'],
      ['same', 'web', null],
      ['younger', 'web', null],
    ]);
    const second = component('second', 'api', 4).replace(
      'cluster_name,',
      'cluster_name, owned_cluster_name,',
    );
    await expect(run(url, second.replace("'api'", "'api', 'api'"))).rejects.toThrow(/unique/i);
  });

  it('are applied by one of several that start at once', async () => {
    const url = await emptyDatabase(kind);
    const results = await Promise.all([1, 2, 3, 4].map(() => migrate({ url })));
    expect(results.flat()).toEqual(shipped);
  });

  it('are applied by one of two processes that begin at once', async () => {
    const url = await emptyDatabase(kind);
    const module = join(builtModules(), 'db/migrate/migrate.js');
    const script = `import { migrate } from ${JSON.stringify(module)};
      process.once('message', async (url) => {
        process.send(await migrate({ url }));
        process.disconnect();
      });
      process.send('loaded');`;
    const other = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: new URL('../..', import.meta.url),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const ended = once(other, 'close');
    // Loading takes longer than to migrate: both begin when that is done.
    await once(other, 'message');
    const theirs = once(other, 'message');
    other.send(url);
    const [own, [others]] = await Promise.all([migrate({ url }), theirs]);
    expect([...own, ...others]).toEqual(shipped);
    expect(await ended).toEqual([0, null]);
  });

  it('make what models.prisma says', async () => {
    const url = await migratedDatabase(kind);
    expect(await schemaDifference(url, models)).toBe('');
    const extended = `${models}\nmodel Extra {\n  id String @id\n}\n`;
    expect(await schemaDifference(url, extended)).toContain('CREATE TABLE "Extra"');
  });

  it('add a pending one to a database in use, whatever stands in it', async () => {
    const url = await migratedDatabase(kind);
    await run(url, insertEvent);
    const directory = migrationsCopy();
    addMigration(
      directory,
      '29990101000000_more',
      'CREATE TABLE more (id INTEGER);\nINSERT INTO more VALUES (1);\n',
    );
    expect(await migrate({ url, directory })).toEqual(['29990101000000_more']);
    expect(await run(url, 'SELECT id FROM more')).toEqual([{ id: 1 }]);
    expect(await run(url, 'SELECT action FROM event')).toEqual([{ action: 'a' }]);
  });

  /** A gateway that gave its last sign of life so long ago. */
  const registerGateway = (url: string, name: string, silentMs = 0) => {
    const seenAt = `'${new Date(Date.now() - silentMs).toISOString().replace('Z', '+00:00')}'`;
    return run(
      url,
      `INSERT INTO gateway (id, name, version, key_ids, started_at, seen_at) VALUES ('${name}', '${name}', '0.0.9', '[]', ${seenAt}, ${seenAt})`,
    );
  };

  it('are refused while gateways of an earlier version are running, unless they are forced', async () => {
    const url = await migratedDatabase(kind);
    const directory = migrationsCopy();
    addMigration(directory, '29990101000000_more', 'CREATE TABLE more (id INTEGER);\n');
    await registerGateway(url, 'web-1/7');
    await registerGateway(url, 'killed/7', gatewayTimes.lapseMs + 60_000);
    const refused = migrate({ url, directory, waitMs: 0 });
    await expect(refused).rejects.toThrow(MigrationError);
    await expect(refused).rejects.toThrow(
      /gateways of an earlier version are running.*: web-1\/7 \(0\.0\.9\)\. .*--force/,
    );
    await expect(run(url, 'SELECT * FROM more')).rejects.toThrow(/more/);
    expect(await migrate({ url, directory, waitMs: 0, force: true })).toEqual(['29990101000000_more']);
    // Nothing is pending, so that further gateways of this version start.
    expect(await migrate({ url, directory, waitMs: 0 })).toEqual([]);
  });

  it('wait until the gateways of an earlier version have ended', async () => {
    const url = await migratedDatabase(kind);
    const directory = migrationsCopy();
    addMigration(directory, '29990101000000_more', 'CREATE TABLE more (id INTEGER);\n');
    await registerGateway(url, 'web-1/7');
    const messages: string[] = [];
    const migrating = migrate({ url, directory, log: (message) => void messages.push(message) });
    await expect
      .poll(() => messages)
      .toEqual(['waiting for gateways of an earlier version to end: web-1/7 (0.0.9)']);
    await run(url, 'DELETE FROM gateway');
    expect(await migrating).toEqual(['29990101000000_more']);
  });

  it('do not wait for a gateway that was killed a minute ago', () => {
    expect(gatewayTimes.lapseMs).toBeLessThan(60_000);
    // A sign of life that is late once does no harm.
    expect(gatewayTimes.lapseMs).toBeGreaterThan(3 * gatewayTimes.aliveEveryMs);
  });

  it('are refused when an applied one was edited', async () => {
    const url = await migratedDatabase(kind);
    const directory = migrationsCopy();
    appendFileSync(join(directory, shipped[0]!, 'migration.sql'), '\n-- edited\n');
    addMigration(directory, '29990101000000_more', 'CREATE TABLE more (id INTEGER);\n');
    const refused = migrate({ url, directory });
    await expect(refused).rejects.toThrow(MigrationError);
    await expect(refused).rejects.toThrow(`migration ${shipped[0]} was edited`);
    await expect(run(url, 'SELECT * FROM more')).rejects.toThrow(/more/);
  });

  it('are not edited by other line ends', async () => {
    const url = await migratedDatabase(kind);
    const directory = migrationsCopy();
    const file = join(directory, shipped[0]!, 'migration.sql');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('\n', '\r\n'));
    expect(await migrate({ url, directory })).toEqual([]);
  });

  it('are refused when an applied one is missing', async () => {
    const url = await migratedDatabase(kind);
    const directory = migrationsCopy();
    addMigration(directory, '29990101000000_more', 'CREATE TABLE more (id INTEGER);\n');
    await migrate({ url, directory });
    const refused = migrate({ url });
    await expect(refused).rejects.toThrow(MigrationError);
    await expect(refused).rejects.toThrow('migration 29990101000000_more has been applied');
  });

  it('fail by name, leave nothing half done, and go on once the cause is removed', async () => {
    const url = await migratedDatabase(kind);
    const directory = migrationsCopy();
    const name = '29990101000000_broken';
    addMigration(directory, name, 'CREATE TABLE half (id INTEGER);\nCREATE TABLE half (id INTEGER);\n');
    for (let times = 0; times < 2; times++) {
      const failing = migrate({ url, directory });
      await expect(failing).rejects.toThrow(MigrationError);
      await expect(failing).rejects.toThrow(new RegExp(`migration ${name} failed: .*half`, 's'));
      await expect(run(url, 'SELECT * FROM half')).rejects.toThrow(/half/);
    }
    writeFileSync(join(directory, name, 'migration.sql'), 'CREATE TABLE half (id INTEGER);\n');
    expect(await migrate({ url, directory })).toEqual([name]);
    expect(await migrate({ url, directory })).toEqual([]);
  });

  /** A migration as earlier versions began one: with a row that says so, in a transaction of its own. */
  const begin = (url: string, name: string) =>
    run(
      url,
      `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('${randomUUID()}', 'c', '${name}')`,
    );

  it.each(formerly)(
    'that were interrupted before their changes were committed are applied: %s',
    async (name) => {
      const url = await emptyDatabase(kind);
      const directory = migrationsCopy();
      for (const each of shipped.slice(shipped.indexOf(name))) {
        rmSync(join(directory, each), { recursive: true });
      }
      const before = await migrate({ url, directory });
      if (before.length === 0) {
        addMigration(directory, '1_table', 'SELECT 1;');
        await migrate({ url, directory });
        await run(url, 'DELETE FROM _prisma_migrations');
      }
      await begin(url, name);
      const messages: string[] = [];
      const log = (message: string) => void messages.push(message);
      expect(await migrate({ url, log })).toEqual(shipped.slice(shipped.indexOf(name)));
      expect(messages[0]).toBe(`migration ${name} was interrupted before its changes were committed`);
      expect(await schemaDifference(url, models)).toBe('');
      expect(await migrate({ url, log })).toEqual([]);
    },
  );

  it.each(formerly)(
    'that were interrupted after their changes were committed are not applied again: %s',
    async (name) => {
      const url = await emptyDatabase(kind);
      const directory = migrationsCopy();
      for (const each of shipped.slice(shipped.indexOf(name) + 1)) {
        rmSync(join(directory, each), { recursive: true });
      }
      await migrate({ url, directory });
      await run(url, `UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = '${name}'`);
      const messages: string[] = [];
      const log = (message: string) => void messages.push(message);
      expect(await migrate({ url, log })).toEqual(shipped.slice(shipped.indexOf(name) + 1));
      expect(messages[0]).toBe(`migration ${name} was interrupted after its changes were committed`);
      expect(await schemaDifference(url, models)).toBe('');
    },
  );

  it('that another tool left half done need a backup', async () => {
    const url = await migratedDatabase(kind);
    const directory = migrationsCopy();
    const name = '29990101000000_two';
    addMigration(directory, name, 'CREATE TABLE "one" (id INTEGER);\nCREATE TABLE "two" (id INTEGER);\n');
    await begin(url, name);
    await run(url, 'CREATE TABLE "one" (id INTEGER)');
    await expect(migrate({ url, directory })).rejects.toThrow(
      `migration ${name} was started on this database`,
    );
  });

  it('leave a history that the schema engine of Prisma takes over', async () => {
    const url = await migratedDatabase(kind);
    const migrationDirectories = shipped.map((name) => ({
      path: name,
      migrationFile: {
        path: 'migration.sql',
        content: {
          tag: 'ok' as const,
          value: readFileSync(join(migrationsDirectory(kind), name, 'migration.sql'), 'utf8'),
        },
      },
    }));
    const lock = readFileSync(join(migrationsDirectory(kind), 'migration_lock.toml'), 'utf8');
    const diagnosed = await withEngine(url, undefined, (engine) =>
      engine.applyMigrations({
        migrationsList: {
          baseDir: migrationsDirectory(kind),
          lockfile: { path: 'migration_lock.toml', content: lock },
          shadowDbInitScript: '',
          migrationDirectories,
        },
        filters: { externalTables: [], externalEnums: [] },
      }),
    );
    expect(diagnosed.appliedMigrationNames).toEqual([]);
  });

  it('refuse a folder without migrations', async () => {
    const url = await emptyDatabase(kind);
    const directory = join(folder, 'nowhere');
    await expect(migrate({ url, directory })).rejects.toThrow(/no migrations: .*nowhere/);
  });

  it('let no event be changed or deleted', async () => {
    const url = await migratedDatabase(kind);
    await run(url, insertEvent);
    await expect(run(url, "UPDATE event SET action = 'b'")).rejects.toThrow('events are only ever added');
    await expect(run(url, 'DELETE FROM event')).rejects.toThrow('events are only ever added');
    expect(await run(url, 'SELECT action FROM event')).toEqual([{ action: 'a' }]);
  });
});

describe('on sqlite', () => {
  it('the files of the database are for their owner alone', async () => {
    const url = await emptyDatabase('sqlite');
    await migrate({ url });
    const db = await openDatabase({ url });
    await db.transaction((tx) => tx.enterprise.count());
    const path = url.slice('file:'.length);
    for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-migrate.lock`]) {
      expect([file, (statSync(file).mode & 0o777).toString(8)]).toEqual([file, '600']);
    }
    await db.close();
  });

  it('a table is written anew without losing what refers to it', async () => {
    const url = await emptyDatabase('sqlite');
    const directory = join(folder, randomUUID());
    const parent = 'CREATE TABLE parent (id INTEGER PRIMARY KEY);\nINSERT INTO parent VALUES (1);\n';
    const child = 'CREATE TABLE child (id INTEGER REFERENCES parent (id) ON DELETE CASCADE);\n';
    const anew =
      'CREATE TABLE new_parent (id INTEGER PRIMARY KEY, name TEXT);\n' +
      'INSERT INTO new_parent (id) SELECT id FROM parent;\n' +
      'DROP TABLE parent;\nALTER TABLE new_parent RENAME TO parent;\n';
    for (const [name, sql] of Object.entries({
      '1_first': `${parent}${child}INSERT INTO child VALUES (1);\n`,
      '2_anew': anew,
    })) {
      mkdirSync(join(directory, name), { recursive: true });
      writeFileSync(join(directory, name, 'migration.sql'), sql);
    }
    expect(await migrate({ url, directory })).toEqual(['1_first', '2_anew']);
    expect(await run(url, 'SELECT id FROM child')).toEqual([{ id: 1 }]);

    mkdirSync(join(directory, '3_orphan'));
    writeFileSync(join(directory, '3_orphan', 'migration.sql'), 'INSERT INTO child VALUES (7);\n');
    await expect(migrate({ url, directory })).rejects.toThrow(/3_orphan failed: .*child/s);
    expect(await run(url, 'SELECT id FROM child')).toEqual([{ id: 1 }]);
  });

  it('a table that is written anew gets its triggers again', async () => {
    const url = await migratedDatabase('sqlite');
    expect(lostTriggers(url, 'ALTER TABLE "new_team" RENAME TO "team";')).toEqual([]);
    const triggers = lostTriggers(url, 'ALTER TABLE "new_event" RENAME TO "event";');
    expect(triggers).toHaveLength(2);
    const anew =
      'CREATE TABLE new_event AS SELECT * FROM event;\nDROP TABLE event;\n' +
      'ALTER TABLE "new_event" RENAME TO "event";\n';
    const directory = join(folder, randomUUID());
    cpSync(migrationsDirectory('sqlite'), directory, { recursive: true });
    mkdirSync(join(directory, '29990101000000_anew'));
    writeFileSync(join(directory, '29990101000000_anew', 'migration.sql'), [anew, ...triggers].join('\n'));
    await migrate({ url, directory });
    await run(url, insertEvent);
    await expect(run(url, 'DELETE FROM event')).rejects.toThrow('events are only ever added');
  });

  it('a path that cannot be a database is named', async () => {
    const path = join(folder, 'a-folder.db');
    mkdirSync(path);
    await expect(migrate({ url: `file:${path}` })).rejects.toThrow(`cannot open the database ${path}`);
    writeFileSync(join(folder, 'text.db'), 'no database, and long enough to tell'.repeat(50));
    await expect(migrate({ url: `file:${join(folder, 'text.db')}` })).rejects.toThrow(
      'cannot open the database',
    );
  });

  it('the lock of a process that died is no obstacle', async () => {
    const url = await emptyDatabase('sqlite');
    const lock = `${url.slice('file:'.length)}-migrate.lock`;
    mkdirSync(join(lock, '..'), { recursive: true });
    const script = `import Sqlite from 'better-sqlite3';
      globalThis.held = new Sqlite(process.argv[1]).exec('BEGIN EXCLUSIVE');
      process.stdout.write('locked');
      // Waits on time: it keeps the process until it is killed.
      setInterval(() => {}, 1000);`;
    const args = ['--input-type=module', '--eval', script, lock];
    const holder = spawn(process.execPath, args, { cwd: new URL('../..', import.meta.url) });
    await new Promise((resolve) => holder.stdout.once('data', resolve));

    const messages: string[] = [];
    const waiting = migrate({ url, log: (message) => void messages.push(message) });
    await expect.poll(() => messages).toEqual(['waiting for another process that migrates the database']);
    holder.kill('SIGKILL');
    expect(await waiting).not.toEqual([]);
    expect(existsSync(lock)).toBe(true);
  });
});

describe('on postgres', () => {
  it('all text sorts by code point', async () => {
    const url = await migratedDatabase('postgres');
    const columns = await run(
      url,
      `SELECT c.relname || '.' || a.attname AS name, l.collname AS collation
       FROM pg_attribute a
       JOIN pg_class c ON c.oid = a.attrelid AND c.relkind = 'r' AND c.relname <> '_prisma_migrations'
       JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'public'
       LEFT JOIN pg_collation l ON l.oid = a.attcollation
       WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attcollation <> 0`,
    );
    expect(columns.length).toBeGreaterThan(50);
    expect(columns.filter(({ collation }) => collation !== 'C')).toEqual([]);
  });

  it('a migration that meets a deadlock is tried again', async () => {
    const url = await emptyDatabase('postgres');
    await run(url, 'CREATE SEQUENCE attempt');
    const directory = join(folder, randomUUID());
    const meets = (times: number) =>
      `DO $$ BEGIN IF nextval('attempt') <= ${times} THEN RAISE deadlock_detected; END IF; END $$;\n`;
    const addMigration = (name: string, sql: string) => {
      mkdirSync(join(directory, name), { recursive: true });
      writeFileSync(join(directory, name, 'migration.sql'), sql);
    };
    addMigration('1_first', `CREATE TABLE one (id INTEGER);\n${meets(2)}`);
    const messages: string[] = [];
    expect(await migrate({ url, directory, log: (message) => void messages.push(message) })).toEqual([
      '1_first',
    ]);
    const again = 'migration 1_first met a deadlock and is tried again';
    expect(messages).toEqual(['applying migrations: 1_first', again, again]);
    addMigration('2_always', meets(1_000));
    await expect(migrate({ url, directory })).rejects.toThrow('migration 2_always failed: deadlock_detected');
    expect(await run(url, 'SELECT last_value::int AS last FROM attempt')).toEqual([{ last: 9 }]);
  });

  it('a changed text column keeps the collation', () => {
    expect(
      withCollation(
        'ALTER TABLE "a" ADD COLUMN     "b" TEXT NOT NULL DEFAULT \'\',\nADD COLUMN     "c" TEXT;',
      ),
    ).toBe(
      'ALTER TABLE "a" ADD COLUMN     "b" TEXT COLLATE "C" NOT NULL DEFAULT \'\',\nADD COLUMN     "c" TEXT COLLATE "C";',
    );
    expect(withCollation('ALTER TABLE "a" ALTER COLUMN "b" SET DATA TYPE TEXT;')).toBe(
      'ALTER TABLE "a" ALTER COLUMN "b" SET DATA TYPE TEXT COLLATE "C";',
    );
  });

  it('a server that is not there is named, and its password is not', async () => {
    const refused = migrate({ url: 'postgres://trellis:secret@localhost:1/none' });
    await expect(refused).rejects.toThrow(/^cannot connect to the database localhost:1\/none: .+/);
    await expect(refused).rejects.not.toThrow('secret');
  });
});
