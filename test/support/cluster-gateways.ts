import { afterAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { clientOf } from './gateways.ts';
import { kindNamed } from './kubernetes/api/kinds.ts';
import { createClusterPlace, jobsOf, objectIn, somebody } from './kubernetes/place.ts';
import { startCluster } from './kubernetes/server.ts';
import { endProcesses, startProcess } from './process.ts';
import { createMigratedDatabase, databaseKind } from './trellis.ts';

const token = 'a-token-of-at-least-32-characters';
/** How long a busy machine may take. */
const patience = { timeout: 120_000, interval: 200 };

/** Two gateways of a cluster apply so many components, and one of them is killed. */
export function testClusterGateways(components: number): void {
  afterAll(endProcesses);

  // With SQLite, one process serves a database.
  describe.skipIf(databaseKind === 'sqlite')('gateways of a cluster', { timeout: 300_000 }, () => {
    it(`one puts back what others change, and ${components} components are applied although it is killed`, async () => {
      const [database, server] = await Promise.all([createMigratedDatabase(), startCluster()]);
      const settings = {
        DATABASE_URL: database.url,
        SECRET_KEY: 'ab'.repeat(32),
        BOOTSTRAP_TOKEN: token,
        RATE_LIMIT_PER_SECOND: '0',
        REGION_ALLOW_LOCAL: 'true',
        JOB_POLL_MS: '200',
        JOB_LEASE_MS: '3000',
        JOB_BACKOFF_MIN_MS: '20',
        JOB_BACKOFF_MAX_MS: '200',
      };
      const first = startProcess(settings);
      const firstUrl = await first.listening;
      const db = await openDatabase({ url: database.url, poolSize: 2 });
      const lease = async () => (await db.query('SELECT owner, until FROM region_lease', []))[0] ?? [];
      const owner = async () => (await lease())[0];
      const until = async () => Number(new Date((await lease())[1] as string));

      const place = await createClusterPlace(clientOf(firstUrl, token, db), server);
      await expect.poll(owner, patience).toEqual(expect.any(String));
      const holder = await owner();
      const second = startProcess(settings);
      const trellis = clientOf(await second.listening, token, db);
      const renewed = await until();
      await expect.poll(until, patience).toBeGreaterThan(renewed + 3_000);
      expect(await owner()).toBe(holder);
      const watches = server.cluster.log.filter(({ path }) => /networkpolicies\?.*watch/.test(path));
      expect(watches.length).toBe(1);

      const names = Array.from({ length: components }, (_, index) => `c${index}`);
      const inputs = names.map(
        (name) =>
          `${name}: createComponent(input: { application: { appId: ${place.appId} }, name: "${name}", alias: "${name}", image: "nginx:1.29", replicas: 1 }) { __typename }`,
      );
      await trellis.data(`mutation { ${inputs.join('\n')} }`);
      const { store } = server.cluster;
      await clientOf(firstUrl, token, db).succeed(
        'deployApplication',
        { application: { appId: place.appId } },
        '__typename',
      );
      const deployments = () => store.list(kindNamed('Deployment'), place.namespace).length;
      await expect.poll(deployments, patience).toBeGreaterThan(components / 8);
      const theirs = { name: `c${components - 1}-env`, namespace: place.namespace };
      store.put('ConfigMap', { metadata: theirs, data: { OWN: 'yes' } });
      first.child.kill('SIGKILL');
      expect(await first.ended).toBe('SIGKILL');

      const jobs = async () => (await jobsOf(trellis, place, 'DEPLOY')).map(({ status }) => status);
      await expect.poll(jobs, patience).toEqual(['SUCCEEDED']);
      const query = `{ application(by: { appId: ${place.appId} }) { components(first: 100) { nodes { status: state } } } }`;
      const statuses = async () => {
        const { nodes } = (await trellis.data(query)).application.components;
        return nodes.map(({ status }: { status: string }) => status);
      };
      await expect.poll(statuses, patience).toEqual(names.map(() => 'RUNNING'));
      expect(deployments()).toBe(components);
      expect(objectIn(place, 'ConfigMap', theirs.name).data).toEqual({ OWN: 'yes' });

      // The other gateway has taken over.
      await expect.poll(owner, patience).not.toBe(holder);
      somebody(place, 'DELETE', `/apis/apps/v1/namespaces/${place.namespace}/deployments/c7`);
      await expect.poll(() => objectIn(place, 'Deployment', 'c7')?.spec.replicas, patience).toBe(1);
      second.child.kill('SIGTERM');
      expect(await second.ended).toBe(0);
      // A gateway that stops gives the region up.
      expect(await lease()).toEqual([]);
      await db.close();
      await server.close();
      await database.drop();
    });
  });
}
