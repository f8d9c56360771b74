import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { clientOf } from './gateways.ts';
import { kindNamed, kinds } from './kubernetes/api/kinds.ts';
import { createClusterPlace } from './kubernetes/place.ts';
import { startCluster } from './kubernetes/server.ts';
import { endProcesses, startProcess, type TrellisProcess } from './process.ts';
import { createMigratedDatabase, type Trellis } from './trellis.ts';

const token = 'a-token-of-at-least-32-characters';
const mebibyte = 2 ** 20;
/** How many components are created at once. */
const atOnce = 8;

interface Carried {
  seconds: number;
  requests: number;
  /** The most that the heap of the gateway had when it was looked at. */
  heapMiB: number;
}

/** The heap of a gateway that serves its metrics, in MiB. */
async function heapOf({ log }: TrellisProcess): Promise<number> {
  const { url } = log().find(({ msg }) => msg === 'metrics are served')!;
  const text = await (await fetch(url)).text();
  return Number(/^nodejs_heap_size_used_bytes (\S+)$/m.exec(text)![1]) / mebibyte;
}

/** A component with one port, one volume and one secret. */
async function createPlain(trellis: Trellis, appId: number, index: number): Promise<void> {
  const alias = `c${index}`;
  const { component } = await trellis.succeed(
    'createComponent',
    { application: { appId }, name: alias, alias, image: 'nginx:1.29', replicas: 1, cpuMillicores: 10 },
    'component { uid }',
  );
  const ref = { component: { componentId: component.uid } };
  await trellis.addPort(component.uid, 8080, { isInner: true });
  await trellis.succeed(
    'setVariables',
    { ...ref, set: [{ name: 'PASSWORD', value: 'hunter2' }] },
    '__typename',
  );
  const volume = { name: 'data', path: '/data', type: 'share-file', capacityGiB: 1 };
  await trellis.succeed('addVolume', { ...ref, ...volume }, '__typename');
}

/** An application of so many components is deployed and deleted by a gateway whose heap is limited. */
export function testLargeCluster(components: number, limitMiB: number): void {
  afterAll(endProcesses);

  it(`deploys and removes ${components} components with ${limitMiB} MiB of heap`, async () => {
    const [database, server] = await Promise.all([createMigratedDatabase(), startCluster()]);
    const gateway = startProcess({
      DATABASE_URL: database.url,
      SECRET_KEY: 'ab'.repeat(32),
      BOOTSTRAP_TOKEN: token,
      RATE_LIMIT_PER_SECOND: '0',
      REGION_ALLOW_LOCAL: 'true',
      METRICS_PORT: '0',
      // By default, one change deploys at most 750 components.
      LIMIT_CHANGE_OBJECTS: '20000',
      NODE_OPTIONS: `--max-old-space-size=${limitMiB}`,
    });
    const url = await gateway.listening;
    const db = await openDatabase({ url: database.url, poolSize: 2 });
    const trellis = clientOf(url, token, db);
    const { appId, namespace, teamId } = await createClusterPlace(trellis, server);
    const left = Array.from({ length: components }, (_, index) => index);
    const create = async () => {
      for (let index = left.pop(); index !== undefined; index = left.pop())
        await createPlain(trellis, appId, index);
    };
    await Promise.all(Array.from({ length: atOnce }, create));

    const { cluster } = server;
    const newestJob = `{ team(by: { teamId: "${teamId}" }) { jobs(first: 1) { nodes { kind status error } } } }`;
    const carryOut = async (mutation: string, kind: string, input: object): Promise<Carried> => {
      const [startedAt, before] = [performance.now(), cluster.log.length];
      let heapMiB = 0;
      await trellis.succeed(mutation, { application: { appId }, ...input }, '__typename');
      for (;;) {
        expect(gateway.child.exitCode).toBeNull();
        heapMiB = Math.max(heapMiB, await heapOf(gateway));
        const { team } = await trellis.data(newestJob);
        const [job] = team.jobs.nodes;
        if (!['PENDING', 'RUNNING'].includes(job.status)) {
          expect(job).toEqual({ kind, status: 'SUCCEEDED', error: null });
          break;
        }
        // Waits on time: more looks would take the processor from what is looked at.
        await sleep(250);
      }
      const seconds = (performance.now() - startedAt) / 1_000;
      return { seconds, requests: cluster.log.length - before, heapMiB };
    };
    const countOf = (kind: string) => cluster.store.list(kindNamed(kind), namespace).length;
    const deployed = await carryOut('deployApplication', 'DEPLOY', {});
    expect(countOf('Deployment')).toBe(components);
    const removed = await carryOut('deleteApplication', 'DELETE', { force: true, deleteVolumes: true });
    const isOwn = ({ metadata }: any) => metadata.labels?.['trellis.dev/component'] !== undefined;
    const rest = kinds.flatMap((kind) => cluster.store.list(kind, namespace).filter(isOwn));
    expect(rest).toEqual([]);
    for (const [what, { seconds, requests, heapMiB }] of Object.entries({ deployed, removed })) {
      const each = `${(components / seconds).toFixed(1)}/s, ${(requests / components).toFixed(1)} requests each`;
      process.stdout.write(
        `${components} components ${what} in ${seconds.toFixed(0)} s: ${each}, heap at most ${heapMiB.toFixed(0)} MiB\n`,
      );
    }
    gateway.child.kill('SIGTERM');
    expect(await gateway.ended).toBe(0);
    await db.close();
    await server.close();
    await database.drop();
  }, 1_200_000);
}
