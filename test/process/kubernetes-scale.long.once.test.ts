import { afterAll, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { addPort, succeed } from '../support/fixtures.ts';
import { clientOf } from '../support/gateways.ts';
import { kindNamed } from '../support/kubernetes/kinds.ts';
import { createClusterPlace } from '../support/kubernetes/place.ts';
import { startCluster } from '../support/kubernetes/server.ts';
import { endProcesses, startProcess } from '../support/process.ts';
import { startsProcesses } from '../support/starts-processes.ts';
import { createMigratedDatabase } from '../support/trellis.ts';

startsProcesses();
afterAll(endProcesses);

const token = 'a-token-of-at-least-32-characters';
const patience = { timeout: 1_500_000, interval: 1_000 };
const count = 1_000;
/** As many mutations fit into one request. */
const atOnce = 50;

it('a gateway deploys and removes 1,000 components within a heap of 512 MiB', async () => {
  const [database, server] = await Promise.all([createMigratedDatabase(), startCluster({ stepMs: 50 })]);
  const gateway = startProcess({
    NODE_OPTIONS: '--max-old-space-size=512',
    DATABASE_URL: database.url,
    SECRET_KEY: 'ab'.repeat(32),
    BOOTSTRAP_TOKEN: token,
    RATE_LIMIT_PER_SECOND: '0',
    REGION_ALLOW_LOCAL: 'true',
  });
  let exit: number | string | undefined;
  void gateway.ended.then((code) => {
    exit = code;
  });
  const url = await gateway.listening;
  const db = openDatabase({ url: database.url, poolSize: 2 });
  const trellis = clientOf(url, token, db);
  try {
    const { appId, namespace } = await createClusterPlace(trellis, server);
    for (let from = 0; from < count; from += atOnce) {
      const inputs = Array.from({ length: atOnce }, (_, index) => {
        const name = `c${from + index}`;
        const volumes = '[{ name: "data", path: "/data", type: "share-file", capacityGiB: 1 }]';
        const variables = '[{ name: "PASSWORD", value: "hunter2", isSecret: true }]';
        return `${name}: createComponent(input: { application: { appId: ${appId} }, name: "${name}", alias: "${name}", image: "nginx:1.29", replicas: 1, volumes: ${volumes}, variables: ${variables} }) { ... on CreateComponentPayload { component { uid } } ... on Error { message } }`;
      });
      const made = await trellis.data(`mutation { ${inputs.join('\n')} }`);
      for (const { component } of Object.values<any>(made)) {
        await addPort(trellis, component.uid, 8080, { isInner: true });
      }
    }
    const application = { appId };
    const { store, log } = server.cluster;
    const deployments = () => exit ?? store.list(kindNamed('Deployment'), namespace).length;
    await succeed(trellis, 'deployApplication', { application }, '__typename');
    await expect.poll(deployments, patience).toBe(count);
    const open = async () =>
      exit ??
      (
        await db.query("SELECT count(*) FROM job_component WHERE status IN ('pending', 'running')", [])
      )[0]![0];
    await expect.poll(async () => Number(await open()), patience).toBe(0);
    const before = log.length;
    const startedAt = performance.now();
    await succeed(
      trellis,
      'deleteApplication',
      { application, deleteVolumes: true, force: true },
      '__typename',
    );
    await expect.poll(deployments, patience).toBe(0);
    await expect.poll(async () => Number(await open()), patience).toBe(0);
    const seconds = (performance.now() - startedAt) / 1_000;
    process.stderr.write(
      `${count} components removed in ${Math.round(seconds)} s, ${log.length - before} requests\n`,
    );
    expect(exit).toBeUndefined();
  } finally {
    await db.close();
    await endProcesses();
    await server.close();
    await database.drop();
  }
}, 3_600_000);
