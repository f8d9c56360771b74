import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { migrate } from '../../../src/db/migrate/migrate.ts';
import { openDatabase } from '../../../src/db/open.ts';
import { createMigratedDatabase, startTrellis, type Trellis } from '../trellis.ts';
import { contentsOf } from '../unchanged.ts';
import { platform } from './api/access.ts';
import type { Cluster } from './cluster.ts';
import { startCluster } from './server.ts';
import {
  contentOf,
  deployAll,
  deployTeamApplications,
  objectsOf,
  ownObjects,
  recordOf,
} from './team-applications.ts';

/** What the last version from before wrote, by the number of applications. */
const records = JSON.parse(
  readFileSync(new URL('recorded-team-applications.json', import.meta.url), 'utf8'),
) as Record<number, Record<string, string>>;

/** Brings a database to the schema from before applications had namespaces of their own. */
async function undoIsolation(url: string): Promise<void> {
  const db = await openDatabase({ url, poolSize: 1 });
  const columns = ['team_id', 'region_id'];
  const uniqueNames = ['service_name', 'owned_cluster_name'].flatMap((name) => {
    const indexOf = (names: string[]) => `"component_${[...names, name].join('_')}_key"`;
    return [
      `DROP INDEX ${indexOf([...columns, 'namespace_id'])}`,
      `CREATE UNIQUE INDEX ${indexOf(columns)} ON component (${[...columns, name].join(', ')})`,
    ];
  });
  await db.transaction(async (tx) => {
    for (const statement of [
      'DROP TABLE preview',
      ...['previews', 'copy_of_id', 'isolation'].map((name) => `ALTER TABLE application DROP COLUMN ${name}`),
      ...uniqueNames,
      'ALTER TABLE component DROP COLUMN namespace_id',
      `DELETE FROM _prisma_migrations WHERE migration_name BETWEEN '20261129155000' AND '20261129163610'`,
    ]) {
      await tx.$executeRawUnsafe(statement);
    }
  });
  await db.close();
}

/** Every row but those of leases. */
const rowsOf = (trellis: Trellis) => contentsOf(trellis, (table) => !table.endsWith('_lease'));

/** The paths of what a gateway has looked at, which are dry runs of writes, and its writes. */
function requestsSince({ log }: Cluster, from: number) {
  const looks = new Set<string>();
  const writes: string[] = [];
  for (const { method, path } of log.slice(from)) {
    const [name, query = ''] = path.split('?') as [string, string?];
    if (method === 'GET' || name.includes('authorization.k8s.io')) continue;
    if (query.includes('dryRun=All')) looks.add(name);
    else writes.push(`${method} ${name}`);
  }
  return { looks, writes };
}

/**
 * So many applications that share the namespace of their team are the same in a cluster as they were before applications had
 * namespaces of their own. The record was made by the last version from before.
 */
export function testTeamApplications(count: 6 | 108): void {
  it(`${count} applications from before stay as they are in their cluster`, {
    timeout: 1_800_000,
  }, async () => {
    const [database, server] = await Promise.all([
      createMigratedDatabase(),
      startCluster({ issuers: ['test'] }),
    ]);
    const { cluster } = server;
    cluster.users.set('platform', platform());
    // A deploy of all of them takes long on a busy machine.
    const options = { database: { url: database.url }, jobs: {}, limits: { requestTimeoutMs: 600_000 } };
    const before = await startTrellis(options);
    const { adminToken } = before;
    await deployTeamApplications(before, server, count);
    expect(recordOf(cluster)).toEqual(records[count]);
    const rows = await rowsOf(before);
    await before.close();
    const objects = objectsOf(cluster);

    await undoIsolation(database.url);
    expect((await migrate({ url: database.url })).length).toBeGreaterThanOrEqual(3);
    let from = cluster.log.length;
    const trellis = await startTrellis({ ...options, adminToken, reconciles: true });
    expect(await rowsOf(trellis)).toEqual(rows);
    // Every object is looked at, and none is written. The claims of StatefulSets are their controllers'.
    const paths = ownObjects(cluster).flatMap(({ path }) => (cluster.applied.has(path) ? path : []));
    const left = () => {
      const { looks } = requestsSince(cluster, from);
      return paths.filter((path) => !looks.has(path));
    };
    await expect.poll(left, { timeout: 900_000, interval: 500 }).toEqual([]);
    expect(requestsSince(cluster, from).writes).toEqual([]);

    from = cluster.log.length;
    await deployAll(trellis);
    const { writes } = requestsSince(cluster, from);
    expect(new Set(writes)).toEqual(new Set(paths.map((path) => `PATCH ${path}`)));
    expect(contentOf(objectsOf(cluster))).toEqual(contentOf(objects));
    await trellis.close();
    await server.close();
    await database.drop();
  });
}
