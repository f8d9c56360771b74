import { randomBytes } from 'node:crypto';
import type { Model, Row } from '../../src/db/tables.ts';
import { insertMany } from '../../src/db/write/bulk.ts';
import { probeColumnsOf } from '../../src/domain/component/health/model.ts';
import { placementColumnOf, placementOf } from '../../src/domain/component/placement/model.ts';
import type { Probe } from '../../src/drivers/region/health.ts';
import { probeDefaults } from '../../src/drivers/region/probe-model.ts';
import { createWorld, type World } from './surfaces-world.ts';

/** The number of items in each list: a full page. */
const page = 100;
const text = (length: number) => 'x'.repeat(length);
const id = () => randomBytes(16).toString('hex');

const keyed = (model: Model) => `${model[0]!.toLowerCase()}${model.slice(1)}`;

async function copy<M extends Model>(
  { trellis }: World,
  model: M,
  where: object,
  change: (index: number, row: Row<M>) => Partial<Row<M>>,
  count = page,
) {
  const { db } = trellis.services;
  await db.transaction(async (tx) => {
    const row = (await (tx as any)[keyed(model)].findFirstOrThrow({ where })) as Row<M>;
    const rows = Array.from({ length: count }, (_, index) => {
      const { id: own, ...rest } = row as Row<M> & { id: unknown };
      return { ...rest, ...(typeof own === 'string' && { id: id() }), ...change(index, row) };
    });
    await insertMany({ context: { db }, tx }, model, rows as never);
  });
}

async function set(world: World, table: string, where: object, data: object): Promise<void> {
  await world.trellis.services.db.transaction((tx) => (tx as any)[table].updateMany({ where, data }));
}

/** The changes of one request of a megabyte: every value twice, before and after. */
const changedVariables = Object.fromEntries(
  Array.from({ length: 480 }, (_, index) => [`VARIABLE_${index} environment`, [text(2_000), text(2_000)]]),
);
const upgradeChanges = Array.from({ length: 10_000 }, (_, index) => ({
  component: `part-${index % 500}`,
  kind: 'SET_VARIABLE',
  name: `VARIABLE_${index}`,
  before: 'x',
  after: 'y',
}));
const requiredVariables = Array.from({ length: 10_000 }, (_, index) => ({
  componentKey: `part-${index % 500}`,
  componentName: `part-${index % 500}`,
  name: `VARIABLE_${index}`,
  scope: 'environment',
}));
const headers = Array.from({ length: 100 }, (_, index) => ({ key: `x-${index}`, value: text(1_024) }));
const extensions = Array.from({ length: 100 }, (_, index) => `key-${index}:${text(1_000)}`);
const probe: Probe = {
  check: {
    kind: 'http',
    path: `/${text(1_023)}`,
    port: 1,
    scheme: 'http',
    headers: Array.from({ length: 20 }, (_, index) => ({ name: `x-${index}`, value: text(200) })),
  },
  ...probeDefaults,
};
const autoscaling = { minReplicas: 1, maxReplicas: 1, targetCpuPercent: 50, replicas: 1 };
const withoutAutoscaling = { minReplicas: null, maxReplicas: null, targetCpuPercent: null };
const probes = probeColumnsOf({ startup: probe, readiness: probe, liveness: probe });
const labelPart = (index: number) => `${text(60)}${String(index).padStart(3, '0')}`;
const placement = placementColumnOf(
  placementOf({
    nodeLabels: Array.from({ length: 20 }, (_, index) => ({
      key: `${Array(4).fill(text(62)).join('.')}/${labelPart(index)}`,
      value: text(63),
    })),
    tolerations: Array.from({ length: 20 }, (_, index) => ({ key: labelPart(index), value: text(63) })),
  }),
);
const tcpExtensions = headers.map(({ key, value }) => ({ key, value }));

/**
 * The world of the surfaces, with a page of everything, and one of each as large as requests can make it.
 * @param parts the number of components of the application
 */
export async function createLargestWorld(secretKey: Buffer, parts = page): Promise<World> {
  // So that its application can be copied.
  const world = await createWorld({ secretKey, limits: { changeObjects: 100_000 } });
  const { trellis, team, appId, componentId, installed, template, regions, viewer } = world;
  const upgrades = [{ storeName: 'self', templateId: template.key, version: '2.0.0' }];
  const input = { application: { appId: installed.appId }, upgrades };
  await trellis.succeed('upgradeApplication', input, '__typename');
  await set(world, 'region', { id: regions.failing.regionId }, { driver: 'simulated' });
  await Promise.all(Array.from({ length: page }, () => trellis.createSession(viewer.userId)));

  await set(
    world,
    'httpRule',
    {},
    {
      rewrites: JSON.stringify([{ regex: text(32_000), replacement: text(32_000), flag: 'last' }]),
      configuration: JSON.stringify({ setHeaders: headers }),
      extensions: JSON.stringify(extensions),
      header: text(1_024),
      cookie: text(1_024),
    },
  );
  await set(world, 'tcpRule', {}, { extensions: JSON.stringify(tcpExtensions) });
  await set(
    world,
    'certificate',
    {},
    {
      chain: text(65_536),
      names: JSON.stringify(Array.from({ length: 1_000 }, (_, index) => `www-${index}.shop.example`)),
    },
  );
  await set(
    world,
    'publishedVersion',
    {},
    {
      requiredVariables: JSON.stringify(requiredVariables),
      description: text(65_536),
    },
  );
  await set(world, 'application', { id: appId }, { note: text(2_048), logo: text(65_536) });
  await set(
    world,
    'component',
    { id: componentId },
    {
      description: text(2_048),
      command: text(4_096),
      extendMethod: 'stateless',
      ...probes,
      ...autoscaling,
      placement,
    },
  );

  const [group] = await trellis.services.db.componentGroup.findManyByKeys({
    by: 'applicationId',
    keys: [installed.appId],
  });
  const { templateId, templateVersion, storeId } = group!;
  await set(world, 'componentGroup', { applicationId: appId }, { templateId, templateVersion, storeId });

  const name = (index: number) => `copy-${String(index).padStart(3, '0')}`;
  await copy(world, 'Application', { id: appId }, (index) => ({ name: name(index), logo: '' }));
  const part = (index: number) => {
    const alias = name(index);
    const names = { alias, name: alias, clusterName: alias, ownedClusterName: alias, serviceName: null };
    return { ...names, ...withoutAutoscaling, key: id(), groupId: null };
  };
  await copy(world, 'Component', { id: componentId }, part, parts);
  await copy(world, 'Port', { componentId }, (index) => ({ number: 21_000 + index, alias: `COPY_${index}` }));
  await copy(world, 'EnvironmentVariable', {}, (index) => ({
    componentId,
    name: `COPY_${index}`,
    value: text(index === 0 ? 65_535 : 2_000),
    isSecret: false,
    sealedValue: null,
    scope: index % 2 ? 'environment' : 'connection',
    portNumber: null,
  }));
  await copy(world, 'Volume', {}, (index) => ({
    componentId,
    name: name(index),
    path: `/copies/${index}`,
    type: 'config-file',
    // With the variables, as much as a component can be deployed with.
    fileContent: text(index === 0 ? 650_000 : 1_000),
  }));
  await copy(world, 'HttpRule', { componentId }, (index) => ({
    key: id(),
    domain: `copy-${index}.example`,
    configuration: '{}',
    extensions: '[]',
    rewrites: '[]',
    isPublished: true,
  }));
  await copy(world, 'TcpRule', { componentId }, (index) => ({
    key: id(),
    portNumber: 40_000 + index,
    extensions: '[]',
    isPublished: true,
  }));
  await copy(world, 'UpgradeRecord', {}, (index) => ({
    applicationId: appId,
    changes: JSON.stringify(index === page - 1 ? upgradeChanges : []),
    rollbackId: null,
  }));
  await copy(world, 'Event', { teamId: team.teamId }, (index) => ({
    subjectType: 'Component',
    subjectId: componentId,
    changes: index === page - 1 ? JSON.stringify(changedVariables) : '{}',
  }));
  await copy(world, 'DeployHook', {}, () => ({ componentId }));
  const words = Array.from({ length: 100 }, () => text(1_000));
  await copy(world, 'ComponentRun', {}, () => ({ componentId, command: JSON.stringify(words) }));
  // The times of these are found slowest.
  const slow = { cron: '*/7 1-23/2 29 2 *', timeZone: 'America/New_York' };
  await copy(world, 'Schedule', {}, (index) => ({
    componentId,
    ...slow,
    name: String(index).padStart(100, 'x'),
    command: JSON.stringify(words),
  }));
  const volumes = await trellis.services.db.volume.findManyByKeys({ by: 'componentId', keys: [componentId] });
  await copy(world, 'SnapshotSchedule', {}, (index) => ({
    volumeId: volumes[index]!.id,
    ...{ ...slow, lastSkipMessage: text(500) },
  }));
  await copy(world, 'ServiceAccount', {}, (index) => ({ name: `z-${name(index)}` }));
  await copy(world, 'Trust', {}, () => ({
    claims: JSON.stringify(
      Array.from({ length: 20 }, (_, index) => ({ name: `claim-${index}`, pattern: text(1_000) })),
    ),
  }));
  return world;
}
