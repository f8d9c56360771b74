import { insertMany } from '../../src/db/write/bulk.ts';
import type { Place } from './fixtures.ts';
import { pendingJob } from './jobs.ts';
import type { Heavy } from './largest-requests.ts';
import type { World } from './surfaces-world.ts';
import type { Trellis } from './trellis.ts';

/** How many components of a page have as much as they can be deployed with. */
const full = { parts: 100, variables: 15, characters: 60_000 };

/** The application of the world, when each of its components has variables, ports and a file. */
export async function fillApplication({ trellis, team, regions, appId }: World): Promise<Heavy> {
  const { db } = trellis.services;
  const [application] = await db.application.findManyByKeys({ by: 'id', keys: [appId] });
  const components = await db.component.findManyByKeys({
    by: 'applicationId',
    keys: [appId],
    fields: ['id', 'name'],
  });
  const filled = components.filter(({ name }) => name.startsWith('copy-'));
  for (const [index, { id: componentId }] of filled.entries()) {
    const size =
      index < full.parts
        ? { count: full.variables, value: 'x'.repeat(full.characters) }
        : { count: 10, value: 'x' };
    await db.transaction(async (tx) => {
      const write = { context: { db }, tx };
      const variables = Array.from({ length: size.count }, (_, number) => ({
        ...{ componentId, name: `VARIABLE_${number}`, label: 'Variable', value: size.value, isSecret: false },
        ...{ sealedValue: null, scope: 'environment', isChangeable: true, portNumber: null },
      }));
      await insertMany(write, 'EnvironmentVariable', variables);
      const [path, type] = ['/etc/part.conf', 'config-file'];
      await insertMany(write, 'Volume', [
        { componentId, name: 'part', path, type, fileContent: 'x'.repeat(1_000) },
      ]);
    });
  }
  return {
    place: { team, region: regions.main } as Place,
    application: { appId, name: application!.name },
    components: filled.map(({ id, name }) => ({ componentId: id, name })),
  };
}

const parts = 6;
const fileBytes = 1_000_000;

export interface HeavySize {
  /** The number of files of a megabyte in the application whose components have more than they can be deployed with. */
  files: number;
  /** The bytes of a file that each of its components was deployed with. */
  deployedBytes: number;
}

const spec = (bytes: number) => ({
  ...{ image: 'nginx:1.29', version: '1.29', command: null, extendMethod: 'stateless', replicas: 1 },
  ...{ cpuMillicores: 1, memoryMiB: 1, gpuMemoryMiB: 0, variables: [], dependencies: [] },
  volumes: [{ name: 'large', path: '/etc/large', type: 'config-file', fileContent: 'x'.repeat(bytes) }],
});

/**
 * An application as an earlier version of Trellis allowed it: its components have many large files, and were deployed with them. A
 * job that deploys one waits for a gateway.
 */
export async function createHeavy(
  trellis: Trellis,
  place: Place,
  size: HeavySize,
): Promise<Heavy & { job: { id: number } }> {
  const { db, seal } = trellis.services;
  const application = await trellis.createApplication(place, 'heavy');
  const components: Heavy['components'] = [];
  for (let index = 0; index < parts; index++) {
    const name = `part-${index}`;
    const { componentId } = await trellis.createComponent(application.appId, { name });
    components.push({ componentId, name });
  }
  await trellis.succeed('deployApplication', { application: { appId: application.appId } }, '__typename');
  const [first] = components as [Heavy['components'][0]];
  // What may be loaded of a release, and more than may be loaded of a deployment.
  const sealedSpec = seal.close(JSON.stringify(spec(size.deployedBytes)));
  await db.transaction(async (tx) => {
    const write = { context: { db }, tx };
    const componentIds = components.map(({ componentId }) => componentId);
    await tx.release.updateMany({ where: { componentId: { in: componentIds } }, data: { sealedSpec } });
    await tx.deployment.create({
      data: { id: first.componentId, sealedSpec: seal.close('x'.repeat(6_000_000)), deployedAt: new Date() },
    });
    const fileContent = 'x'.repeat(fileBytes);
    for (let index = 0; index < size.files; index++) {
      const { componentId } = components[index % parts]!;
      const [name, path] = [`file-${index}`, `/etc/file-${index}`];
      await insertMany(write, 'Volume', [{ componentId, name, path, type: 'config-file', fileContent }]);
    }
  });
  const job = await pendingJob(trellis, { ...place, application, component: first });
  return { place, application, components, job: { id: job.jobId } };
}
