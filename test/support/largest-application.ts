import { insertMany } from '../../src/db/write/bulk.ts';
import type { Place } from './fixtures.ts';
import type { Heavy } from './largest-requests.ts';
import type { World } from './surfaces-world.ts';

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
