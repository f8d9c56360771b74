import { describe, expect, it } from 'vitest';
import type { DesiredComponent } from '../../../../src/drivers/region/desired.ts';
import { neededRights } from '../../../../src/drivers/region/kubernetes/cluster/rights.ts';
import { noFilter } from '../../../../src/drivers/region/log-filter.ts';
import { platform } from '../../../support/kubernetes/api/access.ts';
import { kinds } from '../../../support/kubernetes/api/kinds.ts';
import { type KubernetesUnderTest, kubernetesUnderTest } from '../../../support/kubernetes/driver.ts';
import { beforeNextCall } from '../../../support/kubernetes/next-call.ts';
import { desiredComponent } from '../../../support/region-driver-contract.ts';

const { signal } = new AbortController();
const reader = { callerId: 1, teamId: 'team' };
let works = 0;

async function carryOut(
  { driver, region }: KubernetesUnderTest,
  method: 'apply' | 'remove',
  component: DesiredComponent & { deletesVolumes?: boolean },
): Promise<void> {
  const id = ++works;
  for (let attempt = 1; ; attempt++) {
    const work = { id, job: id, attempt, elapsedMs: 0 };
    if ((await driver[method](region, component, work, signal)).isDone) return;
    await beforeNextCall();
  }
}

const certificate = { name: 'own', chain: 'chain', key: 'key' };

/** Components with everything that becomes an object. */
function components(): [DesiredComponent, DesiredComponent] {
  const stateless = desiredComponent('nginx:1.29', { replicas: 1 });
  const [rule] = stateless.httpRules as [DesiredComponent['httpRules'][number]];
  const httpRules = [
    { ...rule, certificate },
    { ...rule, id: rule.id + 10_000, domain: `issued-${rule.domain}`, autoSsl: true },
  ];
  const volume = {
    ...stateless.volumes[0]!,
    name: 'data',
    path: '/data',
    type: 'share-file',
    capacityGiB: 1,
  };
  const stateful = desiredComponent('nginx:1.29', {
    extendMethod: 'state',
    replicas: 1,
    volumes: [volume],
    httpRules: [],
    tcpRules: [],
    // Another component depends on it from its own namespace.
    ...{ applicationId: 7, namespaceId: 7 },
  });
  const autoscaling = { minReplicas: 2, maxReplicas: 3, cpuPercent: 80, memoryPercent: null };
  const dependencies = [stateful.id];
  const volumes = [...stateless.volumes, volume];
  return [{ ...stateless, httpRules, autoscaling, dependencies, volumes }, stateful];
}

/** Everything that a driver does in a cluster. */
async function doEverything(under: KubernetesUnderTest): Promise<void> {
  const { driver, region } = under;
  const { id: regionId, name } = region;
  await driver.check(region, signal);
  const [stateless, stateful] = components();
  for (const component of [stateless, stateful]) {
    under.components.set(component.id, component);
    await carryOut(under, 'apply', component);
  }
  const watching = new AbortController();
  const seen = { changed: () => {}, crashed: () => {} };
  const watched = driver.watchChanges(regionId, seen, watching.signal);
  const inspected = { ...stateless, regionId, deployState: 'running' };
  const instances = driver.instances!;
  const [instance] = await instances.list(inspected, signal);
  const query = { ...noFilter, reader, container: null, tail: 10 };
  await instances.logs(inspected, [instance!], query, signal);
  await instances.events({ ...inspected, namedSince: null }, reader, signal);
  const measured = { ...inspected, cpuMillicores: 100, memoryMiB: 64, createdAt: new Date() };
  await driver.usage!.now(regionId, [measured], signal);
  await instances.remove(inspected, instance!, signal);
  const capacity = { cpuCores: 1, memoryMiB: 1, diskGiB: 1 };
  const requested = { requestedCpuMillicores: 0, requestedMemoryMiB: 0 };
  await driver.figures([{ id: regionId, name, ...capacity, ...requested }], signal);
  await driver.drift(region, stateless, signal);
  await driver.drift(region, stateful, signal);
  await driver.routes!.problems(regionId, 'team', signal);
  await driver.routes!.tcpProblems(regionId, 'team', signal);
  await driver.certificates!.issued(regionId, 'team', signal);
  const timeoutSeconds = 60;
  const run = { id: 'run', command: ['true'], timeoutSeconds, createdAt: new Date(), startedAt: null };
  await driver.runs!.start(region, stateless, run, signal);
  await driver.runs!.look(region, stateless, run, signal);
  while (!(await driver.runs!.end(region, stateless, run, signal))) await beforeNextCall();
  await driver.namespaces!.read(regionId, 'trellis-team', signal);
  const { snapshots } = driver;
  const owner = { ...stateful, regionId };
  await snapshots!.create(owner, { volume: 'data', name: 'kept' }, signal);
  await snapshots!.list([owner], signal);
  await snapshots!.inUse(owner, signal);
  while (!(await snapshots!.list([owner], signal)).get(stateful.id)![0]!.isReady) await beforeNextCall();
  const { id: componentId, teamId, namespaceId } = stateful;
  const source = { componentId, teamId, namespaceId, snapshot: 'kept' };
  const volumes = stateful.volumes.map((volume) => ({ ...volume, source }));
  const copy = { ...stateful, id: 'copy', volumes, dependencies: [], applicationId: 8, namespaceId: 8 };
  under.components.set(copy.id, copy);
  await carryOut(under, 'apply', copy);
  await snapshots!.remove(owner, 'kept', signal);
  await driver.objects!.list(regionId, signal);
  for (const component of [stateful, stateless, copy]) {
    under.components.delete(component.id);
    await carryOut(under, 'remove', { ...component, deletesVolumes: true });
  }
  watching.abort();
  await watched;
}

/** The right that a request needed: `patch apps/deployments`. */
function rightsOf({ method, path, status }: { method: string; path: string; status: number }): string[] {
  const url = new URL(path, 'https://cluster');
  const found =
    /^\/(?:api\/v1|apis\/([^/]+)\/[^/]+)(?:\/namespaces\/[^/]+(?=\/))?\/([a-z]+)(?:\/([^/]+))?(?:\/([a-z]+))?$/.exec(
      url.pathname,
    );
  if (!found) return [];
  const [, group = '', resource, name, subresource] = found;
  if (!kinds.some((each) => each.group === group && each.plural === resource)) return [];
  const isWatch = ['true', '1'].includes(url.searchParams.get('watch') ?? '');
  const verbs = {
    GET: name ? ['get'] : [isWatch ? 'watch' : 'list'],
    POST: ['create'],
    PATCH: status === 201 ? ['create', 'patch'] : ['patch'],
    DELETE: ['delete'],
  }[method]!;
  const full = subresource ? `${resource}/${subresource}` : resource;
  return verbs.map((verb) => `${verb} ${group}/${full}`);
}

describe('the rights of the account of a region', () => {
  it('are those of the requests that the driver makes, and no others', async () => {
    const used = new Set<string>();
    for (const [settings, hasGatewayApi] of [
      [{}, true],
      [{ gatewayClass: null }, false],
    ] as const) {
      // A quota is applied, and removed by a driver of a team that has none.
      for (const quota of [
        { cpuMillicores: 8_000, memoryMiB: 8_192 },
        { cpuMillicores: 0, memoryMiB: 0 },
      ]) {
        const options = {
          hasGatewayApi,
          quota,
          issuers: ['test'],
          hasMetrics: true,
          hasSnapshots: true,
          stepMs: 1,
        };
        const under = await kubernetesUnderTest({ certificateIssuer: 'test', ...settings }, options);
        try {
          under.server.cluster.users.set('admin', platform());
          if (quota.cpuMillicores === 0) {
            under.server.cluster.store.put('Namespace', {
              metadata: { name: 'trellis-team', labels: { 'trellis.dev/team': 'team' } },
            });
            under.server.cluster.store.put('ResourceQuota', {
              metadata: {
                name: 'trellis',
                namespace: 'trellis-team',
                labels: { 'app.kubernetes.io/managed-by': 'trellis', 'trellis.dev/team': 'team' },
              },
              spec: { hard: { 'requests.cpu': '8' } },
            });
          }
          await doEverything(under);
          const { log } = under.server.cluster;
          expect(log.filter(({ status }) => status === 403)).toEqual([]);
          for (const request of log) for (const right of rightsOf(request)) used.add(right);
        } finally {
          await under.close();
        }
      }
    }
    const needed = neededRights.flatMap(({ group, resources, verbs }) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${group}/${resource}`)),
    );
    expect([...used].filter((right) => !needed.includes(right))).toEqual([]);
    expect(needed.filter((right) => !used.has(right))).toEqual([]);
  });
});
