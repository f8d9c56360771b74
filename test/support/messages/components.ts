import { type Refusal, refused, unread, volumeAt } from './world.ts';

const command = ['true'];
const nightly = { name: 'nightly', command, cron: '0 3 * * *' };

/** Requests that fail because of a component or of what belongs to it. */
export const componentRefusals: Refusal[] = [
  refused(
    'starts what runs',
    'startComponent',
    ({ web }) => web,
    () => ['Front end'],
  ),
  refused(
    'restarts what was never deployed',
    'restartComponent',
    ({ idle }) => idle,
    () => ['Left alone'],
  ),
  refused(
    'stops what others depend on',
    'stopComponent',
    ({ db }) => db,
    () => ['Data base', 'Front end'],
  ),
  refused(
    'deletes what runs',
    'deleteComponent',
    ({ web }) => web,
    () => ['Front end'],
  ),
  refused(
    'deletes what others depend on',
    'deleteComponent',
    ({ db }) => db,
    () => ['Data base'],
  ),
  refused(
    'adds a second port',
    'addPort',
    ({ web }) => ({ ...web, number: 8080, protocol: 'HTTP' }),
    () => ['Front end', '8080'],
  ),
  refused(
    'adds a port with the alias of another',
    'addPort',
    ({ web }) => ({ ...web, number: 8081, protocol: 'HTTP', alias: 'MAIN' }),
    () => ['Front end', 'MAIN'],
  ),
  refused(
    'adds a volume of the same name',
    'addVolume',
    ({ db }) => ({ ...db, name: 'data', path: '/b', type: 'local' }),
    () => ['Data base', 'data'],
  ),
  refused(
    'adds a volume at the same path',
    'addVolume',
    ({ db }) => ({ ...db, name: 'b', path: '/data', type: 'local' }),
    () => ['Data base', '/data'],
  ),
  refused(
    'adds a volume with the same name in the cluster',
    'addVolume',
    ({ db }) => ({ ...db, name: 'Data', path: '/b', type: 'local' }),
    () => ['Data', 'data'],
  ),
  refused(
    'shares a volume without data',
    'addVolume',
    ({ db }) => ({ ...db, name: 'shm', path: '/shm', type: 'memoryfs', isShared: true }),
    () => ['shm', 'memoryfs'],
  ),
  refused(
    'adds a schedule of the same name',
    'createSchedule',
    ({ web }) => ({ ...web, ...nightly }),
    () => ['Front end', 'nightly'],
  ),
  refused(
    'runs a command in what was never deployed',
    'runComponent',
    ({ idle }) => ({ ...idle, command }),
    () => ['Left alone'],
  ),
  refused(
    'runs a command without a cluster',
    'runComponent',
    ({ still }) => ({ ...still, command }),
    ({ quiet }) => ['Stands still', quiet.region.name],
  ),
  refused(
    'creates a hook where hooks are off',
    'createDeployHook',
    ({ web }) => web,
    () => ['Front end'],
  ),
  refused(
    'scales what its load scales',
    'scaleComponent',
    ({ web }) => ({ ...web, replicas: 2 }),
    () => ['Front end'],
  ),
  refused(
    'scales by load what requests no CPU',
    'setAutoscaling',
    ({ lean }) => ({ ...lean, minReplicas: 1, maxReplicas: 2, cpuPercent: 50 }),
    () => ['Needs nothing'],
  ),
  refused(
    'scales by load what cannot share its volume',
    'setAutoscaling',
    ({ db }) => ({ ...db, minReplicas: 1, maxReplicas: 2, cpuPercent: 50 }),
    () => ['Data base', 'disk'],
  ),
  refused(
    'changes how instances are deployed',
    'updateComponent',
    ({ web }) => ({ ...web, extendMethod: 'STATE' }),
    () => ['Front end'],
  ),
  refused(
    'sets a variable that is fixed',
    'setVariables',
    ({ web }) => ({ ...web, set: [{ name: 'FIXED', value: '2' }] }),
    () => ['Front end', 'FIXED'],
  ),
  refused(
    'needs root where the region does not allow it',
    'createComponent',
    ({ shop }) => ({ ...shop, name: 'Wants root', image: 'nginx:1', needsRoot: true }),
    ({ place }) => [place.region.name],
  ),
  refused(
    'deploys what needs root',
    'deployComponent',
    ({ rooted }) => rooted,
    ({ place }) => ['Needs root', place.region.name],
  ),
  refused(
    'takes the alias of another component',
    'createComponent',
    ({ depot }) => ({ ...depot, name: 'Late', alias: 'taken-alias', image: 'nginx:1' }),
    ({ place }) => ['taken-alias', place.team.name, place.region.name],
  ),
  refused(
    'takes the cluster name of another component',
    'createComponent',
    ({ depot }) => ({ ...depot, name: 'Late', clusterName: 'taken-alias', image: 'nginx:1' }),
    () => ['taken-alias'],
  ),
  refused(
    'takes the service name of another component',
    'changePortAlias',
    ({ main }) => ({ ...main, alias: 'MAIN', serviceName: 'taken-service' }),
    () => ['taken-service'],
  ),
  refused(
    'takes the name of another Service',
    'changePortAlias',
    ({ main }) => ({ ...main, alias: 'MAIN', serviceName: 'taken-alias-backend' }),
    () => ['taken-alias-backend'],
  ),
  refused(
    'moves what is deployed to another namespace',
    'updateApplication',
    ({ shop }) => ({ ...shop, isolation: 'OWN' }),
    () => ['The namespace of the application', 'the component'],
  ),
  refused(
    'changes a variable that was removed',
    'setVariables',
    ({ web }) => ({ ...web, set: [{ name: 'GONE', value: '2', expectedRevision: 7 }] }),
    () => ['GONE'],
  ),
  refused(
    'saves a volume under a name that is taken',
    'createVolumeSnapshot',
    ({ db }) => ({ ...volumeAt(db, 'data'), name: 'before' }),
    () => ['Data base', 'before'],
  ),
  refused(
    'ends an instance without a cluster',
    'deleteInstance',
    ({ still }) => ({ ...still, instance: 'stands-still-0' }),
    ({ quiet }) => ['Stands still', quiet.region.name],
  ),
  refused(
    'saves a volume without data',
    'createVolumeSnapshot',
    ({ db }) => volumeAt(db, 'scratch'),
    () => ['scratch'],
  ),
  refused(
    'saves a volume without a cluster',
    'createVolumeSnapshot',
    ({ still }) => volumeAt(still, 'data'),
    ({ quiet }) => [quiet.region.name],
  ),
  refused(
    'restores a volume of what runs',
    'restoreVolumeSnapshot',
    ({ db }) => ({ ...volumeAt(db, 'data'), name: 'before' }),
    () => ['Data base'],
  ),
  refused(
    'goes back to a release that is missing',
    'rollbackComponent',
    ({ web }) => ({ ...web, release: 9 }),
    () => ['Front end', '9'],
  ),
  refused(
    'goes back to a time before the first release',
    'rollbackApplication',
    ({ shop }) => ({ ...shop, at: '2020-01-01T00:00:00Z' }),
    () => ['Corner shop'],
  ),
  refused(
    'promotes a release to an application without the component',
    'promoteRelease',
    ({ web, depot }) => ({ release: { at: { ...web, number: 1 } }, to: depot.application }),
    () => ['Spare parts', 'Front end'],
  ),
  refused(
    'promotes a release to one of two components',
    'promoteRelease',
    async ({ trellis, web, depot }) => {
      const twin = { ...depot, name: 'Front end', image: 'nginx:1' };
      for (const _ of [1, 2]) await trellis.succeed('createComponent', twin, '__typename');
      return { release: { at: { ...web, number: 1 } }, to: depot.application };
    },
    () => ['Spare parts', 'Front end'],
  ),
];

const far = ({ away }: { away: { component: object } }) => ({ by: away.component });

/** Requests that fail because a cluster does not respond. */
export const clusterRefusals: Refusal[] = [
  unread('reads its state', 'query($by: ComponentRef!) { component(by: $by) { state } }', far, () => [
    'Far away',
  ]),
  unread(
    'reads its instances',
    'query($by: ComponentRef!) { component(by: $by) { instances { name } } }',
    far,
    () => ['Far away'],
  ),
  unread(
    'reads its usage',
    'query($by: ComponentRef!) { component(by: $by) { usage { instances { name } } } }',
    far,
    () => ['Far away'],
  ),
  unread(
    'reads the snapshots of its volumes',
    'query($by: ComponentRef!) { component(by: $by) { volumes { nodes { snapshots { name } } } } }',
    far,
    ({ lost }) => [lost.region.name],
  ),
  unread(
    'reads the usage of the region',
    'query($by: RegionRef!) { region(by: $by) { usage { __typename usedCpuCores } } }',
    ({ lost }) => ({ by: { regionId: lost.region.regionId } }),
    ({ lost }) => [lost.region.name],
  ),
  unread(
    'reads what is left in the cluster',
    'query($by: RegionRef!) { region(by: $by) { orphans { __typename } } }',
    ({ lost }) => ({ by: { regionId: lost.region.regionId } }),
    ({ lost }) => [lost.region.name],
  ),
  refused(
    'removes what is left without a cluster',
    'removeRegionOrphans',
    ({ quiet }) => ({ region: { regionId: quiet.region.regionId } }),
    ({ quiet }) => [quiet.region.name],
  ),
];
