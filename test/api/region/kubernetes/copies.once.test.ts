import { beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { converted } from '../../../support/converted.ts';
import { copy } from '../../../support/copies.ts';
import { over } from '../../../support/deployed-images.ts';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import { NetworkPolicies, type Peer } from '../../../support/kubernetes/network-policies.ts';
import { useClusterWorld } from '../../../support/kubernetes/world.ts';
import { open } from '../../../support/previews.ts';
import { templateText } from '../../../support/templates.ts';

const { trellis, server, place } = useClusterWorld(
  { jobs: { backoffMaxMs: 100 } },
  { place: { token: 'platform' } },
);

const at = () => ({ team: { teamId: place.teamId }, region: { regionId: place.region.regionId } });

/** The names, states and addresses of the components of an application. */
async function componentsOf(
  appId: number,
): Promise<{ uid: string; name: string; state: string; accessUrls: string[] }[]> {
  const { application } = await trellis.data(
    'query ($by: ApplicationRef!) { application(by: $by) { components(first: 100) { nodes { uid name state accessUrls } } } }',
    { by: { appId } },
  );
  return application.components.nodes;
}

const podsOf = (componentId: string): any[] =>
  server.cluster.store
    .list(kindNamed('Pod'))
    .filter(({ metadata }) => metadata.labels?.['trellis.dev/component'] === componentId);

/** The pods of applications, named by them. */
async function peersOf(applications: Record<string, number>): Promise<Peer[]> {
  const peers: Peer[] = [];
  for (const [name, appId] of Object.entries(applications)) {
    for (const { uid, name: component } of await componentsOf(appId)) {
      for (const { metadata } of podsOf(uid)) {
        peers.push({ metadata: { ...metadata, name: `${name}-${component}` } });
      }
    }
  }
  return peers;
}

const ports = [80, 3306, 5432, 6379, 7070, 8080, 27017, 1].flatMap((port) =>
  ['TCP', 'UDP'].map((protocol) => ({ port, protocol })),
);
const crossings = async (applications: Record<string, number>) =>
  new NetworkPolicies(server.cluster.store).crossings(await peersOf(applications), ports);

/** Three files whose services have the same names, and reach each other by them. */
const composeFiles = ['postgres:17', 'mysql:9', 'mariadb:11'].map(
  (image, index) => `
services:
  web:
    image: nginx:1.29
    environment: { DATABASE_HOST: db }
    ports: ["${8080 + index}:80"]
    depends_on: [db]
  db:
    image: ${image}
    volumes: ["data:/data"]
volumes: { data: }
`,
);

describe('Compose files whose services have equal names', { timeout: 240_000 }, () => {
  it('run side by side in one team and region', async () => {
    const applications: Record<string, number> = {};
    for (const [index, text] of composeFiles.entries()) {
      const { told, ...manifest } = converted({ 'compose.yaml': text });
      const document = stringify({ ...manifest, application: `compose-${index}` });
      const { job, application } = await trellis.succeed(
        'applyManifest',
        { ...at(), document, deploy: 'ALL' },
        'job { uid } application { uid }',
      );
      await over(trellis, job.uid);
      applications[`file-${index}`] = application.uid;
    }
    for (const appId of Object.values(applications)) {
      expect((await componentsOf(appId)).map(({ name, state }) => [name, state])).toEqual([
        ['db', 'RUNNING'],
        ['web', 'RUNNING'],
      ]);
    }
    const hosts = server.cluster.store
      .list(kindNamed('Service'))
      .filter(
        ({ metadata }) => metadata.name === 'web' && metadata.labels?.['trellis.dev/team'] === place.teamId,
      );
    expect(hosts).toHaveLength(3);
    expect(await crossings(applications)).toEqual([]);
  });
});

describe('copies of real applications', { timeout: 480_000 }, () => {
  const store = () => ({ url: trellis.url, domain: 'self', accessKey: trellis.adminToken });
  const versions = { 'online-boutique': 'v0.10.3', 'sock-shop': '0.3.0' } as const;
  beforeAll(async () => {
    for (const [name, version] of Object.entries(versions)) {
      await trellis.succeed('publishTemplate', { template: templateText(name, version) }, '__typename');
    }
  });

  it.each(Object.entries(versions))(
    '%s, its copy and its preview reach nothing of each other',
    async (name, version) => {
      const { application } = await trellis.succeed(
        'createApplication',
        { ...at(), name, previews: { secrets: 'COPY' } },
        'application { uid isolation }',
      );
      expect(application.isolation).toBe('OWN');
      const templateId = JSON.parse(templateText(name, version)).group_key;
      const original = { appId: application.uid as number };
      const install = { application: original, store: store(), templateId, version, isDeployed: true };
      const installed = await trellis.succeed('installApplication', install, 'job { uid }');
      await over(trellis, installed.job.uid);
      const made = await copy(trellis, { application: original, name: `${name} copy`, deploy: true });
      await over(trellis, made.job!.uid);
      const opened = await open(trellis, { application: original, key: 'pr-1' });
      await over(trellis, opened.job.uid);
      const applications = {
        original: original.appId,
        copy: made.application!.appId,
        preview: opened.preview.application.appId as number,
      };
      const components = await Promise.all(Object.values(applications).map(componentsOf));
      const namesOf = (all: (typeof components)[number]) => all.map(({ name: of, state }) => [of, state]);
      expect(new Set(components[0]!.map(({ state }) => state))).toEqual(new Set(['RUNNING']));
      for (const others of components.slice(1)) expect(namesOf(others)).toEqual(namesOf(components[0]!));
      const addresses = components.flatMap((all) => all.flatMap(({ accessUrls }) => accessUrls));
      expect(addresses.length).toBeGreaterThanOrEqual(3);
      expect(new Set(addresses).size).toBe(addresses.length);
      expect(await crossings(applications)).toEqual([]);
      const closed = await trellis.succeed(
        'closePreview',
        { application: original, key: 'pr-1' },
        'job { uid }',
      );
      await over(trellis, closed.job.uid);
      const left = components[2]!.flatMap(({ uid }) => podsOf(uid));
      expect(left).toEqual([]);
    },
  );
});
