import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { templateText } from '../templates.ts';
import { startTrellis, type Trellis } from '../trellis.ts';
import { kindNamed, kinds } from './api/kinds.ts';
import type { FakeServer } from './server.ts';
import { openTestCluster, type TestCluster, patienceMs as timeout } from './test-cluster.ts';

let trellis: Trellis;
let cluster: TestCluster;

const applied = [
  'Deployment',
  'StatefulSet',
  'Service',
  'ConfigMap',
  'Secret',
  'PersistentVolumeClaim',
  'HTTPRoute',
];

/** What the driver has applied last of everything that a namespace has. */
function manifests(
  { cluster: { store, applied: sent } }: FakeServer,
  namespace: string,
  teamId: string,
): string {
  const objects = applied.flatMap((name) => {
    const kind = kinds.find((each) => each.kind === name)!;
    const base = `/${kind.group ? `apis/${kind.group}` : 'api'}/${kind.version}/namespaces/${namespace}/${kind.plural}`;
    return store.list(kind, namespace).flatMap(({ metadata }) => sent.get(`${base}/${metadata.name}`) ?? []);
  });
  const ids = new Map<string, string>([[teamId, 'TEAM']]);
  const text = objects
    .map((object) => stringify(object, { lineWidth: 120, aliasDuplicateObjects: false }))
    .join('---\n');
  // Ids, passwords and versions are made anew in every run.
  return text
    .replaceAll(namespace, `trellis-${teamId}`)
    .replace(/\b[0-9a-f]{32}\b/g, (id) => ids.get(id) ?? ids.set(id, `ID-${ids.size}`).get(id)!)
    .replace(/^ {2}(resourceVersion|uid): .*\n/gm, '')
    .replace(/^ {4}trellis\.dev\/job: .*\n/gm, '')
    .replace(/application-\d+/g, 'application-N')
    .replace(/-(env|files)-[0-9a-f]{8}$/gm, '-$1-HASH')
    .replace(/trellis\.dev\/(config|applied): \S+/g, 'trellis.dev/$1: HASH');
}

/** What components run, as the API has it and as the cluster has it. */
interface Running {
  name: string;
  kind: string;
  image: string;
  replicas: number;
  memory: string;
  ports: number[];
  paths: string[];
  variables: string[];
  serves: boolean;
}
const byName = (one: Running, other: Running) => (one.name < other.name ? -1 : 1);

/** The components of an application in the API. */
async function wantedOf(appId: number): Promise<Running[]> {
  const { application } =
    await trellis.data(`{ application(by: { appId: ${appId} }) { components(first: 100) { nodes {
    clusterName extendMethod image replicas memoryMiB
    ports(first: 100) { nodes { number isInner isOuter } }
    volumes(first: 100) { nodes { path } }
    variables(first: 100) { nodes { name scope } }
    dependencies(first: 100) { nodes { variables(first: 100) { nodes { name scope } } } }
  } } } }`);
  const named = (nodes: any[], scope: string) =>
    nodes.filter((each) => each.scope === scope).map(({ name }) => name);
  return application.components.nodes
    .map((component: any): Running => {
      const ports = component.ports.nodes;
      const connections = component.dependencies.nodes.flatMap(({ variables }: any) =>
        named(variables.nodes, 'CONNECTION'),
      );
      return {
        name: component.clusterName,
        kind: component.extendMethod === 'STATE' ? 'StatefulSet' : 'Deployment',
        image: component.image,
        replicas: component.replicas,
        memory: `${component.memoryMiB}Mi`,
        ports: ports.map(({ number }: any) => number).sort(),
        paths: component.volumes.nodes.map(({ path }: any) => path).sort(),
        variables: [...new Set([...named(component.variables.nodes, 'ENVIRONMENT'), ...connections])].sort(),
        serves: ports.some(({ isInner, isOuter }: any) => isInner || isOuter),
      };
    })
    .sort(byName);
}

/** The same of a namespace in the cluster. */
function foundIn({ cluster: { store } }: FakeServer, namespace: string): Running[] {
  const list = (kind: string) => store.list(kindNamed(kind), namespace);
  const named = (kind: string, name: string) => list(kind).find(({ metadata }) => metadata.name === name);
  const idOf = (labels: Record<string, string>) => labels['trellis.dev/component'];
  return ['Deployment', 'StatefulSet']
    .flatMap((kind) => list(kind).map((workload) => ({ ...workload, kind })))
    .map(({ kind, metadata, spec }): Running => {
      const [main] = spec.template.spec.containers;
      const sources = (main.envFrom ?? []).map(({ configMapRef, secretRef }: any) =>
        configMapRef ? named('ConfigMap', configMapRef.name) : named('Secret', secretRef.name),
      );
      return {
        name: metadata.name,
        kind,
        image: main.image,
        replicas: spec.replicas,
        memory: main.resources.limits.memory,
        ports: (main.ports ?? []).map(({ containerPort }: any) => containerPort).sort(),
        paths: (main.volumeMounts ?? []).map(({ mountPath }: any) => mountPath).sort(),
        variables: [...new Set<string>(sources.flatMap(({ data }: any) => Object.keys(data)))].sort(),
        serves: list('Service').some(
          (service) => idOf(service.spec.selector) === idOf(spec.selector.matchLabels),
        ),
      };
    })
    .sort(byName);
}

const counted = [
  'Deployment',
  'StatefulSet',
  'Service',
  'ConfigMap',
  'Secret',
  'HTTPRoute',
  'Ingress',
] as const;

/** How many objects of each kind components have, and routes, which belong to their team. */
async function counts(namespace: string): Promise<Record<string, number>> {
  const { client, region } = cluster;
  const { signal } = new AbortController();
  const selectorOf = (kind: string) =>
    kind === 'HTTPRoute' ? 'app.kubernetes.io/managed-by=trellis' : 'trellis.dev/component';
  const has = (kind: string) => kind !== 'HTTPRoute' || region.cluster.gatewayClass !== null;
  const found = counted.filter(has).map(async (kind) => {
    const query = { namespace, labelSelector: selectorOf(kind) };
    return [kind, (await client.list(kind, signal, query)).items.length] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

/** Real applications, and two of their versions. */
const templates = [
  ['online-boutique', 'v0.9.0', 'v0.10.3'],
  ['sock-shop', '0.0.12', '0.3.0'],
  ['bookinfo', '1.4.0', '1.30.3'],
] as const;

/** Installs, upgrades and uninstalls real applications, or one of them, in a cluster. */
export function describeTemplatesInCluster(only?: (typeof templates)[number][0]): void {
  beforeAll(async () => {
    [trellis, cluster] = await Promise.all([startTrellis({ jobs: {} }), openTestCluster()]);
  });
  afterAll(async () => {
    await trellis?.close();
    await cluster?.close();
  });

  describe('an application of a template in a cluster', { timeout: 3 * timeout }, () => {
    it.each(templates.filter(([name]) => !only || name === only))(
      '%s is installed, deployed, upgraded, stopped and deleted',
      async (template, first, next) => {
        const namespacePrefix = `${cluster.region.cluster.namespacePrefix}${template[0]}-`;
        const region = await trellis.createRegion({
          driver: 'KUBERNETES',
          kubeconfig: cluster.kubeconfig,
          httpDomain: `${template}.apps.example`,
          cluster: { ...cluster.region.cluster, namespacePrefix },
        });
        const { team } = await trellis.succeed('createTeam', { name: template }, 'team { uid }');
        const teamId: string = team.uid;
        let aliases = 0;
        trellis.services.newAlias = () => `gr${String(++aliases).padStart(6, '0')}`;
        await trellis.succeed(
          'openTeamRegion',
          { team: { teamId }, region: { name: region.name } },
          '__typename',
        );
        const { appId } = await trellis.createApplication({ team: { teamId }, region } as any, template, {
          isolation: 'TEAM',
        });
        const application = { appId };
        const texts = [templateText(template, first), templateText(template, next)];
        for (const text of texts) await trellis.succeed('publishTemplate', { template: text }, '__typename');
        const templateId = JSON.parse(texts[0]!).group_key;
        const store = { url: trellis.url, domain: 'self', accessKey: trellis.adminToken };
        const statuses = async () => {
          const query = `{ application(by: { appId: ${appId} }) { components(first: 100) { nodes { status: state } } } }`;
          const { nodes } = (await trellis.data(query)).application.components;
          return [...new Set(nodes.map((node: any) => node.status))];
        };
        const namespace = `${namespacePrefix}${teamId}`;

        const install = { application, store, templateId, version: first, deploy: true };
        const { group } = await trellis.succeed('installApplication', install, 'group { uid }');
        await expect.poll(statuses, { timeout }).toEqual(['RUNNING']);

        const upgrades = [{ storeName: 'self', templateId, version: next }];
        await trellis.succeed('upgradeApplication', { application, upgrades }, '__typename');
        // What the new version no longer has was stopped.
        await trellis.succeed('deployApplication', { application, startStopped: true }, '__typename');
        await expect.poll(statuses, { timeout }).toEqual(['RUNNING']);
        if (cluster.fake) {
          const wanted = await wantedOf(appId);
          expect(wanted.length).toBeGreaterThan(5);
          expect(foundIn(cluster.fake, namespace)).toEqual(wanted);
        }
        if (cluster.fake && template === 'bookinfo') {
          await expect(manifests(cluster.fake, namespace, teamId)).toMatchFileSnapshot(
            `../../../support/kubernetes/expected/${template}.yaml`,
          );
        }

        await trellis.succeed('stopApplication', { application }, '__typename');
        await expect.poll(statuses, { timeout }).toEqual(['STOPPED']);
        const { HTTPRoute = 0, Ingress } = await counts(namespace);
        expect([HTTPRoute, Ingress]).toEqual([0, 0]);
        await trellis.succeed(
          'uninstallComponentGroup',
          { group: { groupId: group.uid }, force: true },
          '__typename',
        );
        const left = async () => Math.max(...Object.values(await counts(namespace)));
        await expect.poll(left, { timeout }).toBe(0);
      },
    );
  });
}
