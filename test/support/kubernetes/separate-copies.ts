import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { converted } from '../converted.ts';
import { componentsOf, type copiedTemplates, copiesOf } from '../copies-of-templates.ts';
import { over } from '../deployed-images.ts';
import { kindNamed } from './api/kinds.ts';
import { NetworkPolicies, type Peer } from './network-policies.ts';
import { useClusterWorld } from './world.ts';

const ports = [80, 3306, 5432, 6379, 7070, 8080, 27017, 1].flatMap((port) =>
  ['TCP', 'UDP'].map((protocol) => ({ port, protocol })),
);

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

/** Compose files, and copies of these templates, beside each other in one team and region: nothing reaches what another one has. */
export function testSeparateCopies(templates: readonly (typeof copiedTemplates)[number][]): void {
  const { trellis, server, place } = useClusterWorld(
    { jobs: { backoffMaxMs: 100 } },
    { place: { token: 'platform' } },
  );

  const at = () => ({ team: { teamId: place.teamId }, region: { regionId: place.region.regionId } });

  const podsOf = (componentId: string): any[] =>
    server.cluster.store
      .list(kindNamed('Pod'))
      .filter(({ metadata }) => metadata.labels?.['trellis.dev/component'] === componentId);

  /** The pods of applications, named by them. */
  async function peersOf(applications: Record<string, number>): Promise<Peer[]> {
    const peers: Peer[] = [];
    for (const [name, appId] of Object.entries(applications)) {
      for (const { uid, name: component } of await componentsOf(trellis, appId)) {
        for (const { metadata } of podsOf(uid)) {
          peers.push({ metadata: { ...metadata, name: `${name}-${component}` } });
        }
      }
    }
    return peers;
  }

  const crossings = async (applications: Record<string, number>) =>
    new NetworkPolicies(server.cluster.store).crossings(await peersOf(applications), ports);

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
        expect((await componentsOf(trellis, appId)).map(({ name, state }) => [name, state])).toEqual([
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
    it.each(templates)('%s, its copy and its preview reach nothing of each other', async (...template) => {
      const applications = await copiesOf(trellis, at(), template);
      expect(await crossings(applications)).toEqual([]);
      const preview = await componentsOf(trellis, applications.preview);
      const input = { application: { appId: applications.original }, key: 'pr-1' };
      const closed = await trellis.succeed('closePreview', input, 'job { uid }');
      await over(trellis, closed.job.uid);
      expect(preview.flatMap(({ uid }) => podsOf(uid))).toEqual([]);
    });
  });
}
