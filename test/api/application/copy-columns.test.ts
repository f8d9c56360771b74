import { describe, expect, it } from 'vitest';
import { type Model, type Row, tableOf, tables } from '../../../src/db/tables.ts';
import { belongingTo } from '../../../src/db/write/deletion.ts';
import { describing } from '../../../src/domain/application/model.ts';
import { copy } from '../../support/copies.ts';
import { unique } from '../../support/fixtures.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

/** What happens to a column: `copied`, or why it is another one or has its first value. */
type Fates<M extends Model> = { readonly [F in keyof Row<M>]: string };

const ids = 'a row of its own';
const place = 'where the copy is';
const times = 'the copy is new';
const counted = 'the copy was not changed';
const noManifest = 'the manifest describes the original';
const address = 'an address of its own';

/** The columns that describe an application, each with the same value. */
const described = <Value>(value: Value) =>
  Object.fromEntries(describing.map((column) => [column, value])) as {
    [Column in (typeof describing)[number]]: Value;
  };

const fates = {
  Application: {
    ...{ id: ids, teamId: place, regionId: place, name: 'given', folded: 'follows from the name' },
    ...described('copied'),
    ...{ isDefault: 'one application is the default', orderIndex: 'copied' },
    ...{ appType: 'copied', storeName: 'copied', storeUrl: 'copied' },
    ...{ templateName: 'copied', version: 'copied', clusterName: 'follows from the id' },
    ...{ isolation: 'names stay in a namespace of its own', copyOfId: 'the original' },
    previews: 'the copy allows no previews',
    ...{ createdAt: times, updatedAt: times, revision: counted },
  },
  ComponentGroup: {
    ...{ id: ids, applicationId: place, name: 'copied', templateId: 'copied', templateVersion: 'copied' },
    ...{ offeredVersion: 'copied', template: 'copied', sealedTemplate: 'copied', storeId: 'copied' },
    ...{ createdAt: times, revision: counted },
  },
  Component: {
    ...{
      id: ids,
      applicationId: place,
      teamId: place,
      regionId: place,
      groupId: place,
      creatorId: 'who copies',
    },
    ...{ key: 'copied', alias: address, name: 'copied', clusterName: 'copied', namespaceId: place },
    ...{
      ownedClusterName: 'its cluster name',
      serviceName: 'copied',
      deployState: 'not deployed',
      description: 'copied',
    },
    ...{ category: 'copied', version: 'copied', updateVersion: 'not deployed', image: 'copied' },
    ...{
      entrypoint: 'copied',
      command: 'copied',
      replicas: 'copied',
      minReplicas: 'copied',
      maxReplicas: 'copied',
    },
    ...{ targetCpuPercent: 'copied', targetMemoryPercent: 'copied', cpuMillicores: 'copied' },
    ...{
      gpuMemoryMiB: 'copied',
      memoryMiB: 'copied',
      cpuLimitMillicores: 'copied',
      memoryLimitMiB: 'copied',
    },
    ...{ extendMethod: 'copied', startupProbe: 'copied', readinessProbe: 'copied', livenessProbe: 'copied' },
    ...{ placement: 'copied', checksPorts: 'copied', preStopSeconds: 'copied' },
    ...{
      terminationGracePeriodSeconds: 'copied',
      deployDeadlineSeconds: 'copied',
      preDeployCommand: 'copied',
    },
    ...{ preDeployTimeoutSeconds: 'copied', needsRoot: 'copied', sourceKind: 'copied', codeFrom: 'copied' },
    ...{ gitUrl: 'copied', gitProjectId: 'copied', codeVersion: 'copied', language: 'copied' },
    ...{ serverType: 'copied', oauthServiceId: 'copied', checkUuid: 'a check of the original' },
    ...{ checkEventId: 'a check of the original', containerCommand: 'copied', openWebhooks: 'copied' },
    ...{ componentType: 'copied', isInner: 'copied', origin: 'copied', createStatus: 'copied' },
    ...{ isUpgradable: 'copied', buildUpgrade: 'copied', generation: 'not deployed' },
    ...{ hasUndeployedChanges: 'not deployed', manifestId: noManifest, createdAt: times, updatedAt: times },
    ...{ folded: 'follows from the name and alias', revision: counted },
  },
  Port: {
    ...{
      id: ids,
      componentId: place,
      number: 'copied',
      protocol: 'copied',
      alias: 'copied',
      isInner: 'copied',
    },
    ...{
      isOuter: 'copied',
      additionalName: 'copied',
      manifestId: noManifest,
      createdAt: times,
      revision: counted,
    },
  },
  EnvironmentVariable: {
    ...{ id: ids, componentId: place, name: 'copied', label: 'copied', value: 'copied', isSecret: 'copied' },
    ...{ sealedValue: 'copied', scope: 'copied', isChangeable: 'copied', portNumber: 'copied' },
    ...{ manifestId: noManifest, revision: counted },
  },
  Volume: {
    ...{ id: ids, componentId: place, name: 'copied', path: 'copied', type: 'copied', fileContent: 'copied' },
    ...{ capacityGiB: 'copied', accessMode: 'copied', sharePolicy: 'copied', isShared: 'copied' },
    ...{ source: 'a snapshot, where that is asked for', manifestId: noManifest, revision: counted },
  },
  ComponentDependency: { componentId: place, dependencyId: place, manifestId: noManifest },
  HttpRule: {
    ...{ id: ids, key: ids, teamId: place, regionId: place, applicationId: place, componentId: place },
    ...{ portId: place, certificateId: 'the domain is another one', domain: address, path: 'copied' },
    ...{ cookie: 'copied', header: 'copied', weight: 'copied', isDefault: 'copied', wasDefault: 'copied' },
    ...{ isPublished: 'copied', autoSsl: 'copied', autoSslConfig: 'copied', pathRewrite: 'copied' },
    ...{ rewrites: 'copied', extensions: 'copied', configuration: 'copied', manifestId: noManifest },
    ...{ createdAt: times, revision: counted },
  },
  TcpRule: {
    ...{ id: ids, key: ids, teamId: place, regionId: place, applicationId: place, componentId: place },
    ...{ portId: place, address: 'that of default endpoints', portNumber: address, mappedIp: address },
    ...{ mappedPort: address, isDefault: 'copied', wasDefault: 'the endpoint is the default one' },
    ...{
      isPublished: 'copied',
      extensions: 'copied',
      manifestId: noManifest,
      createdAt: times,
      revision: counted,
    },
  },
} as const satisfies { [M in Model]?: Fates<M> };
type Copied = keyof typeof fates;

/** Tables of what belongs to an application and has no row for a copy, each with its reason. */
const omitted: { readonly [M in Model]?: string } = {
  Manifest: 'It describes the original.',
  Preview: 'They are copies of the original.',
  UpgradeRecord: 'The copy was never upgraded.',
  SnapshotSchedule: 'It keeps snapshots of the data of the original.',
  Schedule: 'It must not run twice.',
  DeployHook: 'Its URL deploys the original.',
  Deployment: 'What a component was deployed with.',
  PendingDeploy: 'What a component is about to be deployed with.',
  Release: 'The deploys of the original.',
  ComponentRun: 'The runs of the original.',
  RunLog: 'The runs of the original.',
  ComponentCrash: 'The crashes of the original.',
  Job: 'The work on the original.',
  JobComponent: 'The work on the original.',
  Event: 'The record of the original.',
  WebhookDelivery: 'What others were told of the original.',
};

/** Every column with a value that is not its default. */
async function fill(): Promise<{ appId: number; regionId: string }> {
  const { team, region, application } = await trellis.createAll();
  const { appId } = application;
  const at = { teamId: team.teamId, regionId: region.regionId };
  const now = new Date(2020, 1, 1);
  const { seal, db } = trellis.services;
  await db.transaction(async (tx) => {
    await tx.application.update({
      where: { id: appId },
      data: {
        ...described('a'),
        ...{ isDefault: true, orderIndex: 3, appType: 'd' },
        ...{ storeName: 'e', storeUrl: 'https://f.example', templateName: 'g', version: 'h' },
        ...{ createdAt: now, updatedAt: now },
      },
    });
    const store = await tx.storeConnection.create({
      data: {
        ...{ teamId: team.teamId, name: 's', url: 'https://s.example', domain: 's' },
        ...{ sealedAccessKey: seal.close('k'), createdAt: now, updatedAt: now },
      },
    });
    const group = await tx.componentGroup.create({
      data: {
        ...{ applicationId: appId, name: 'g', templateId: 't', templateVersion: '1', offeredVersion: '2' },
        ...{ template: '{}', sealedTemplate: seal.close('{}'), storeId: store.id, createdAt: now },
      },
    });
    const certificate = await tx.certificate.create({
      data: {
        ...{ teamId: team.teamId, name: 'c', chain: 'x', sealedKey: seal.close('k'), names: '[]' },
        ...{ issuer: 'i', expiresAt: now, createdAt: now },
      },
    });
    const manifest = await tx.manifest.create({
      data: { applicationId: appId, digest: 'x', appliedAt: now },
    });
    const { id: manifestId } = manifest;
    const [first] = await tx.component.findMany({ where: { applicationId: appId } });
    const component = await tx.component.update({
      where: { id: first!.id },
      data: {
        ...{ groupId: group.id, serviceName: unique('s'), deployState: 'running', description: 'd' },
        ...{ category: 'cache', version: '9', updateVersion: 4, entrypoint: 'e', command: 'c', replicas: 2 },
        ...{ minReplicas: 1, maxReplicas: 3, targetCpuPercent: 50, targetMemoryPercent: 60 },
        ...{
          cpuMillicores: 123,
          gpuMemoryMiB: 1,
          memoryMiB: 234,
          cpuLimitMillicores: 456,
          memoryLimitMiB: 567,
        },
        ...{ extendMethod: 'state', startupProbe: '{}', readinessProbe: '{}', livenessProbe: '{}' },
        ...{ placement: '{}', checksPorts: false, preStopSeconds: 7, terminationGracePeriodSeconds: 40 },
        ...{ deployDeadlineSeconds: 77, preDeployCommand: '["a"]', preDeployTimeoutSeconds: 8 },
        ...{ needsRoot: false, sourceKind: 'market', codeFrom: 'x', gitUrl: 'y', gitProjectId: 2 },
        ...{ codeVersion: 'z', language: 'l', serverType: 'svn', oauthServiceId: 3, checkUuid: 'u' },
        ...{ checkEventId: 'v', containerCommand: 'w', openWebhooks: true, componentType: 'web' },
        ...{ isInner: true, origin: 'o', createStatus: 'p', isUpgradable: true, buildUpgrade: false },
        ...{
          generation: 5,
          hasUndeployedChanges: true,
          manifestId,
          revision: 6,
          createdAt: now,
          updatedAt: now,
        },
      },
    });
    const componentId = component.id;
    const other = await tx.component.create({
      data: {
        ...{
          ...at,
          id: unique('c'),
          applicationId: appId,
          groupId: group.id,
          key: 'k',
          alias: unique('other'),
          name: 'other',
        },
        ...{
          clusterName: unique('other'),
          version: '1',
          image: 'x:1',
          createdAt: now,
          updatedAt: now,
          folded: 'x',
        },
      },
    });
    await tx.componentDependency.create({ data: { componentId, dependencyId: other.id, manifestId } });
    const variable = { componentId, label: 'l', isChangeable: false, portNumber: 80, manifestId };
    await tx.environmentVariable.createMany({
      data: [
        { ...variable, name: 'A', scope: 'connection', value: 'a' },
        { ...variable, name: 'B', scope: 'environment', isSecret: true, sealedValue: seal.close('b') },
      ],
    });
    const volume = await tx.volume.create({
      data: {
        ...{ componentId, name: 'v', path: '/v', type: 'share-file', fileContent: 'f', capacityGiB: 4 },
        ...{ accessMode: 'RWX', sharePolicy: 's', isShared: true, source: '{}', manifestId },
      },
    });
    await tx.snapshotSchedule.create({
      data: {
        id: unique('s'),
        volumeId: volume.id,
        cron: '0 0 1 1 *',
        timeZone: 'UTC',
        keep: 1,
        createdAt: now,
      },
    });
    await tx.schedule.create({
      data: {
        ...{ id: unique('s'), componentId, name: 'n', cron: '0 0 1 1 *', timeZone: 'UTC', command: '["a"]' },
        ...{ concurrency: 'forbid', timeoutSeconds: 1, createdAt: now },
      },
    });
    await tx.deployHook.create({
      data: { id: unique('h'), componentId, name: 'h', hash: unique('h'), createdAt: now },
    });
    const port = { componentId, isInner: true, isOuter: true, manifestId, createdAt: now };
    const [http, tcp] = [
      await tx.port.create({
        data: { ...port, number: 81, protocol: 'grpc', alias: 'P81', additionalName: unique('n') },
      }),
      await tx.port.create({ data: { ...port, number: 91, protocol: 'udp', alias: 'P91' } }),
    ];
    const rule = { ...at, applicationId: appId, componentId, manifestId, createdAt: now, isDefault: true };
    await tx.httpRule.create({
      data: {
        ...{
          ...rule,
          key: unique('k'),
          portId: http.id,
          certificateId: certificate.id,
          domain: 'was.example',
        },
        ...{ path: '/p', cookie: 'a=b', header: 'c=d', weight: 5, wasDefault: true, isPublished: true },
        ...{ autoSsl: true, autoSslConfig: 'x', pathRewrite: true, rewrites: '[1]', extensions: '["a:b"]' },
        configuration: '{"a":1}',
      },
    });
    await tx.tcpRule.create({
      data: {
        ...{ ...rule, key: unique('k'), portId: tcp.id, address: '0.0.0.0', portNumber: 30_001 },
        ...{ mappedIp: '10.0.0.1', mappedPort: 5, wasDefault: true, isPublished: true },
        extensions: '[{"key":"a","value":"b"}]',
      },
    });
  });
  return { appId, regionId: at.regionId };
}

/** The rows of a model that belong to an application, in the order in which they are compared. */
async function rowsOf<M extends Copied>(model: M, applicationId: number): Promise<Row<M>[]> {
  const { db } = trellis.services;
  const delegate = `${model[0]!.toLowerCase()}${model.slice(1)}` as 'port';
  const within = { component: { applicationId } };
  const where =
    model === 'Application'
      ? { id: applicationId }
      : 'applicationId' in tables[model].columns
        ? { applicationId }
        : within;
  const rows = await db.transaction((tx) => tx[delegate].findMany({ where: where as object }));
  const named = (row: Record<string, unknown>) => `${row.scope} ${row.number} ${row.name}`;
  return (rows as unknown as Row<M>[]).sort((one, other) => (named(one) < named(other) ? -1 : 1));
}

describe('a copy', () => {
  it('has every table and column that belongs to an application, or leaves it out for a reason', () => {
    const belonging = belongingTo({ model: 'Application', ids: [] }).map(({ model }) => model);
    const named = (Object.keys(tables) as Model[]).filter((model) =>
      ['applicationId', 'componentId'].some((field) => field in tableOf(model).columns),
    );
    const parts = [
      'Application',
      'JobComponent',
      'ComponentCrash',
      'Deployment',
      'PendingDeploy',
      ...belonging,
      ...named,
    ];
    expect([...Object.keys(fates), ...Object.keys(omitted)].sort()).toEqual([...new Set(parts)].sort());
    for (const [model, columns] of Object.entries(fates)) {
      expect([model, ...Object.keys(columns).sort()]).toEqual([
        model,
        ...Object.keys(tableOf(model as Model).columns).sort(),
      ]);
    }
  });

  it('has the values of the columns that are copied', async () => {
    const { appId } = await fill();
    const made = await copy(trellis, { application: { appId }, name: 'copy' });
    const copyId = made.application!.appId;
    for (const [model, columns] of Object.entries(fates) as [Copied, Record<string, string>][]) {
      const [originals, copies] = [await rowsOf(model, appId), await rowsOf(model, copyId)];
      expect([model, copies.length]).toEqual([model, originals.length]);
      for (const [field, fate] of Object.entries(columns)) {
        const valuesOf = (rows: readonly object[]) =>
          rows.map((row) => (row as Record<string, unknown>)[field]);
        const at = `${model}.${field}`;
        if (fate === 'copied') {
          expect([at, ...valuesOf(copies)]).toEqual([at, ...valuesOf(originals)]);
          expect([at, valuesOf(originals).some((value) => value !== null)]).toEqual([at, true]);
        } else if ([ids, address, times].includes(fate)) {
          const both = valuesOf(copies).filter(
            (value, index) => JSON.stringify(value) === JSON.stringify(valuesOf(originals)[index]),
          );
          expect([at, both]).toEqual([at, []]);
        }
      }
    }
  });
});
