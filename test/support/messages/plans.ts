import { refsOf } from '../fixtures.ts';
import { createTemplate } from '../installs.ts';
import { type Refusal, refused, type World } from './world.ts';

const image = 'registry.example.com/a/b:1';

/** A manifest of components and routes. */
const documentOf = (components: object, rest: object = {}) =>
  JSON.stringify({ application: 'Corner shop', components, ...rest });

const applied = (
  title: string,
  document: string | ((world: World) => string),
  names: (world: World) => string[],
) =>
  refused(
    title,
    'applyManifest',
    (world) => ({ ...world.refs, document: typeof document === 'string' ? document : document(world) }),
    names,
  );

const front = (options: object) => documentOf({ 'Front end': { image, ...options } });
const taking = { cron: '0 3 * * *', command: ['true'] };

/** Requests that fail because of a plan. */
export const planRefusals: Refusal[] = [
  applied('depends on what is not there', front({ dependsOn: ['No one'] }), () => ['No one']),
  applied(
    'routes to what is not there',
    documentOf({}, { routes: [{ domain: 'nowhere.example.org', component: 'No one', port: 80 }] }),
    () => ['No one'],
  ),
  applied(
    'routes to a port that is not there',
    documentOf({}, { routes: [{ domain: 'nowhere.example.org', component: 'Front end', port: 81 }] }),
    () => ['Front end', '81'],
  ),
  applied(
    'routes HTTP to a TCP port',
    documentOf({}, { routes: [{ domain: 'nowhere.example.org', component: 'Data base', port: 5432 }] }),
    () => ['5432'],
  ),
  applied(
    'routes with a certificate that is not there',
    documentOf(
      {},
      {
        routes: [{ domain: 'nowhere.example.org', component: 'Front end', port: 8080, certificate: 'None' }],
      },
    ),
    () => ['None'],
  ),
  applied('changes how instances are deployed', front({ extendMethod: 'state' }), () => ['Front end']),
  applied('sets the instances that load sets', front({ replicas: 2 }), () => ['Front end']),
  applied(
    'scales by load what requests no CPU',
    JSON.stringify({
      application: 'Spare parts',
      components: {
        'Needs nothing': { image, autoscaling: { minReplicas: 1, maxReplicas: 2, cpuPercent: 50 } },
      },
    }),
    () => ['Needs nothing'],
  ),
  applied(
    'scales by load what cannot share its volume',
    documentOf({ 'Data base': { image, autoscaling: { minReplicas: 1, maxReplicas: 2, cpuPercent: 50 } } }),
    () => ['Data base'],
  ),
  applied('changes a variable that is fixed', front({ variables: { FIXED: '2' } }), () => [
    'Front end',
    'FIXED',
  ]),
  applied(
    'takes the alias of another component',
    documentOf({ 'Brand new': { image, alias: 'taken-alias' } }),
    () => ['Spare parts', 'Takes the alias'],
  ),
  applied(
    'takes the service name of another component',
    documentOf({ 'Brand new': { image, serviceName: 'taken-service', ports: { 80: { protocol: 'http' } } } }),
    () => ['Spare parts', 'Takes the alias'],
  ),
  applied(
    'gives two volumes the same name in the cluster',
    documentOf({
      'Brand new': {
        image,
        volumes: { Data: { path: '/1', type: 'share-file' }, data: { path: '/2', type: 'share-file' } },
      },
    }),
    () => ['Brand new', 'Data', 'data'],
  ),
  applied(
    'gives two ports the same alias',
    front({ ports: { 81: { protocol: 'http', alias: 'MAIN' } } }),
    () => ['8080', 'MAIN'],
  ),
  applied(
    'mounts two volumes at the same path',
    documentOf({ 'Data base': { image, volumes: { late: { path: '/data', type: 'share-file' } } } }),
    () => ['data'],
  ),
  applied(
    'changes the protocol of a port that has rules',
    documentOf({ 'Front end': { image, ports: { 8080: { protocol: 'tcp' } } } }),
    () => ['Front end', '8080'],
  ),
  applied(
    'needs root where the region does not allow it',
    documentOf({ 'Brand new': { image, needsRoot: true } }),
    ({ place }) => [place.region.name],
  ),
  refused(
    'schedules runs without a cluster',
    'applyManifest',
    ({ quiet }) => ({
      ...refsOf(quiet),
      document: JSON.stringify({
        application: 'Second shop',
        components: { 'Stands still': { image, schedules: { nightly: taking } } },
      }),
    }),
    ({ quiet }) => ['Stands still', quiet.region.name],
  ),
  refused(
    'destroys data without saying so',
    'applyManifest',
    async ({ trellis, refs }) => {
      const volumes = { data: { path: '/data', type: 'share-file' } };
      const first = JSON.stringify({ application: 'Doomed', components: { 'Has data': { image, volumes } } });
      await trellis.succeed('applyManifest', { ...refs, document: first, deploy: 'NONE' }, '__typename');
      const document = JSON.stringify({ application: 'Doomed', components: {} });
      return { ...refs, document, prune: 'OWNED' };
    },
    () => ['Has data'],
  ),
  refused(
    'opens a preview where none are allowed',
    'openPreview',
    ({ shop }) => ({ ...shop, key: 'pr-1' }),
    () => ['Corner shop'],
  ),
  refused(
    'opens a preview with a component that is not there',
    'openPreview',
    async ({ trellis, depot }) => {
      await trellis.succeed('updateApplication', { ...depot, previews: { most: 1 } }, '__typename');
      return { ...depot, key: 'pr-1', images: [{ component: 'No one', image }] };
    },
    () => ['No one', 'Needs nothing'],
  ),
  refused(
    'opens more previews than allowed',
    'openPreview',
    async ({ trellis, depot }) => {
      await trellis.succeed('openPreview', { ...depot, key: 'pr-1' }, '__typename');
      return { ...depot, key: 'pr-2' };
    },
    () => ['Spare parts', 'pr-1'],
  ),
  refused(
    'deletes what has previews',
    'deleteApplication',
    ({ depot }) => depot,
    () => ['Spare parts', 'pr-1'],
  ),
];

/** A group of a template, installed from the store of this gateway. */
async function install({ trellis, depot }: World) {
  const { ring, install: input } = await createTemplate(trellis, depot.application.appId);
  const { group } = await trellis.succeed('installApplication', input, 'group { id }');
  return { ring, group: { id: group.id as string } };
}

/** Requests that fail because of an installed template. */
export const storeRefusals: Refusal[] = [
  refused(
    'rolls back what was not upgraded',
    'rollbackUpgrade',
    async (world) => ({ group: (await install(world)).group }),
    () => ['Ring of 1'],
  ),
  refused(
    'upgrades to a version that the store does not have',
    'upgradeApplication',
    async (world) => {
      const { ring } = await install(world);
      return { ...world.depot, upgrades: [{ storeName: 'self', templateId: ring.key, version: '9.0.0' }] };
    },
    () => ['Ring of 1', '9.0.0', '2.0.0'],
  ),
  refused(
    'writes a component of a template in a manifest',
    'applyManifest',
    ({ refs }) => ({
      ...refs,
      document: JSON.stringify({ application: 'Spare parts', components: { 'part-0': { image } } }),
    }),
    () => ['part-0', 'Ring of 1'],
  ),
];
