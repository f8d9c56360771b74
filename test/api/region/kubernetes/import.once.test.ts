import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { unique } from '../../../support/fixtures.ts';
import { platform } from '../../../support/kubernetes/api/access.ts';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import { type FakeServer, startCluster } from '../../../support/kubernetes/server.ts';
import { startTrellis, type Trellis } from '../../../support/trellis.ts';

let trellis: Trellis;
let server: FakeServer;
let team: { teamId: string; name: string };
let region: { name: string };

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A shop that somebody has applied by hand. */
function shop(namespace: string): void {
  const { store } = server.cluster;
  const put = (kind: string, name: string, more: object) =>
    store.put(kind, { metadata: { name, ...(kind !== 'Namespace' && { namespace }) }, ...more });
  const template = (app: string, container: object, pod: object = {}) => ({
    selector: { matchLabels: { app } },
    template: {
      metadata: { labels: { app } },
      spec: { containers: [{ name: app, image: `${app}:1.2`, ...container }], ...pod },
    },
  });
  put('Namespace', namespace, {});
  put('ConfigMap', 'web-settings', { data: { MODE: 'prod', 'bad name': 'x' } });
  put('ConfigMap', 'web-files', { data: { 'app.conf': 'a=b' } });
  put('Secret', 'web-keys', { data: { key: base64('hunter2'), image: '/9j/' } });
  put('PersistentVolumeClaim', 'uploads', {
    spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '5Gi' } } },
  });
  put('Deployment', 'web', {
    spec: {
      replicas: 3,
      ...template(
        'web',
        {
          command: ['tini', '--'],
          args: ['serve', '--title', 'My shop'],
          ports: [{ name: 'http', containerPort: 8080 }],
          envFrom: [{ configMapRef: { name: 'web-settings' } }],
          env: [
            { name: 'HOST', value: 'db' },
            { name: 'URL', value: 'pg://$(HOST):5432/$$(x)' },
            { name: 'KEY', valueFrom: { secretKeyRef: { name: 'web-keys', key: 'key' } } },
            { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
          ],
          resources: { requests: { cpu: '250m', memory: '0.5Gi' } },
          livenessProbe: { httpGet: { path: '/', port: 'http' } },
          volumeMounts: [
            { name: 'files', mountPath: '/etc/web' },
            { name: 'uploads', mountPath: '/uploads' },
            { name: 'cache', mountPath: '/cache' },
            { name: 'host', mountPath: '/host' },
          ],
        },
        {
          volumes: [
            { name: 'files', configMap: { name: 'web-files' } },
            { name: 'uploads', persistentVolumeClaim: { claimName: 'uploads' } },
            { name: 'cache', emptyDir: { medium: 'Memory' } },
            { name: 'host', hostPath: { path: '/' } },
          ],
          nodeSelector: { disktype: 'ssd', 'example.com/pool': 'web' },
          tolerations: [
            { key: 'dedicated', value: 'web', effect: 'NoSchedule' },
            { operator: 'Exists', effect: 'NoExecute' },
            { key: 'node.kubernetes.io/unreachable', operator: 'Exists', tolerationSeconds: 300 },
          ],
          topologySpreadConstraints: [
            {
              ...{
                maxSkew: 1,
                topologyKey: 'topology.kubernetes.io/zone',
                whenUnsatisfiable: 'ScheduleAnyway',
              },
              labelSelector: { matchLabels: { app: 'web' } },
            },
          ],
        },
      ),
    },
  });
  const scaler = (target: object, metrics: object[], more: object = {}) => ({
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', ...target }, maxReplicas: 8, metrics, ...more },
  });
  const usage = (name: string, averageUtilization: number) => ({
    type: 'Resource',
    resource: { name, target: { type: 'Utilization', averageUtilization } },
  });
  const byPods = {
    type: 'Pods',
    pods: { metric: { name: 'requests' }, target: { type: 'AverageValue', averageValue: '10' } },
  };
  put(
    'HorizontalPodAutoscaler',
    'web-scaler',
    scaler({ kind: 'Deployment', name: 'web' }, [usage('cpu', 70), byPods], { minReplicas: 4 }),
  );
  put('HorizontalPodAutoscaler', 'db', scaler({ kind: 'StatefulSet', name: 'db' }, [usage('memory', 60)]));
  put('HorizontalPodAutoscaler', 'gone', scaler({ kind: 'Deployment', name: 'gone' }, [usage('cpu', 60)]));
  const job = (command: string[], envFrom: object[] = []) => ({
    template: { spec: { containers: [{ name: 'job', image: 'web:1.2', command, envFrom }] } },
  });
  put('CronJob', 'clean-up', {
    spec: {
      schedule: '*/30 * * * *',
      suspend: true,
      jobTemplate: { spec: job(['clean', '--all'], [{ secretRef: { name: 'web-keys' } }]) },
    },
  });
  put('Job', 'migrate', { spec: job(['migrate']) });
  const { object: cronJob } = store.get(kindNamed('CronJob'), namespace, 'clean-up')!;
  put('Job', 'clean-up-1', {
    metadata: {
      ...{ name: 'clean-up-1', namespace },
      ownerReferences: [{ kind: 'CronJob', name: 'clean-up', uid: cronJob.metadata.uid }],
    },
    spec: job(['clean']),
  });
  put('DaemonSet', 'agent', { spec: template('agent', {}) });
  put('PodDisruptionBudget', 'web', {
    spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } },
  });
  put('StatefulSet', 'db', {
    spec: {
      replicas: 1,
      serviceName: 'db',
      ...template(
        'db',
        { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
        { securityContext: { runAsNonRoot: true } },
      ),
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } },
        },
      ],
    },
  });
  put('Service', 'web', {
    spec: { type: 'LoadBalancer', selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }] },
  });
  const ports = ['TCP', 'UDP'].map((protocol) => ({ name: protocol.toLowerCase(), protocol, port: 5432 }));
  put('Service', 'db', { spec: { clusterIP: 'None', selector: { app: 'db' }, ports } });
  put('Service', 'elsewhere', { spec: { selector: { app: 'none' }, ports: [{ port: 1 }] } });
  const backend = { service: { name: 'web', port: { number: 80 } } };
  const host = `${namespace}.example`;
  put('Ingress', 'web', {
    spec: {
      rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
      tls: [{ hosts: [host], secretName: 'none' }],
    },
  });
  put('HTTPRoute', 'beta', {
    spec: {
      hostnames: [host],
      rules: [
        {
          matches: [
            { path: { type: 'PathPrefix', value: '/beta' }, headers: [{ name: 'X-Beta', value: '1' }] },
            { path: { type: 'RegularExpression', value: '/.*' } },
          ],
          backendRefs: [{ name: 'web', port: 80 }],
        },
      ],
    },
  });
}

beforeAll(async () => {
  [trellis, server] = await Promise.all([startTrellis({ jobs: {} }), startCluster()]);
  server.cluster.users.set('platform', platform());
  region = await trellis.createRegion({
    driver: 'KUBERNETES',
    url: server.url,
    credentials: { token: 'platform', caCertificate: server.caCertificate },
    cluster: { gatewayClass: 'test' },
  });
  team = await trellis.createTeam();
  const opened = { team: { teamId: team.teamId }, region: { name: region.name } };
  await trellis.succeed('openTeamRegion', opened, '__typename');
});
afterAll(async () => {
  await trellis?.close();
  await server?.close();
});

const inputOf = (namespace: string) => ({
  team: { teamId: team.teamId },
  region: { name: region.name },
  namespace,
});

const selection = `application { appId: uid name } omitted { kind name what } plan { action name }`;

const components = async (appId: number) => {
  const query = `{ application(by: { appId: ${appId} }) { components(orderBy: { field: NAME }) { nodes { uid name clusterName image version entrypoint command replicas
    cpuMillicores memoryMiB cpuLimitMillicores memoryLimitMiB extendMethod needsRoot autoscaling { minReplicas maxReplicas cpuPercent memoryPercent }
    probes { liveness { http { port path } } } schedules { nodes { name cron command concurrency timeoutSeconds isPaused } } placement { nodeLabels { key value } tolerations { key operator value effect } spread minAvailable } serviceName deployState: desiredState
    variables { nodes { name value isSecret isDerived } } volumes { nodes { name path type fileContent capacityGiB accessMode } }
    ports { nodes { number protocol isInner isOuter } } gatewayRules { http { nodes { domain path domainHeader weight isPublished } } } } } } }`;
  return (await trellis.data(query)).application.components.nodes;
};

describe('importNamespace', () => {
  it('makes an application of what a namespace has, and lists what it cannot express', async () => {
    const namespace = unique('shop');
    shop(namespace);
    const { store } = server.cluster;
    const before = store.contentOf(namespace).map(([, { metadata }]) => metadata.uid);
    server.cluster.log.length = 0;

    const counts = await trellis.counts();
    const planned = await trellis.succeed(
      'importNamespace',
      { ...inputOf(namespace), dryRun: true },
      selection,
    );
    expect(await trellis.counts()).toEqual(counts);
    expect(planned.application).toBeNull();
    const made = await trellis.succeed('importNamespace', inputOf(namespace), selection);
    expect(made.application.name).toBe(namespace);
    expect(made.plan).toEqual(planned.plan);
    expect(made.omitted).toEqual(planned.omitted);
    expect(made.omitted.map(({ kind, name, what }: any) => `${kind} ${name}: ${what}`).sort()).toEqual([
      'Component db: the autoscaling, because its instances cannot share the volume data',
      'Component web: the variable bad name',
      'CronJob clean-up: No size is written: an instance requests 500 millicores and 512 MiB, and has no such limit.',
      'CronJob clean-up: that runs are not ended after 86400 seconds',
      'CronJob clean-up: that runs that fail are repeated',
      'DaemonSet agent: the DaemonSet: instances are not started on each node',
      'Deployment web: that it has no readiness probe: instances are ready once they accept connections at a port',
      'Deployment web: the toleration of node.kubernetes.io/unreachable, because it has tolerationSeconds',
      'Deployment web: the variable NODE, whose value comes from the pod',
      'Deployment web: the volume host at /host (hostPath)',
      'HTTPRoute beta: the match of /.* by a regular expression',
      'HorizontalPodAutoscaler gone: the autoscaler, because it scales no workload that is imported',
      'HorizontalPodAutoscaler web-scaler: a metric of the type Pods, which is no usage in percent',
      'Ingress web: the certificate',
      'Job migrate: the Job: run its command by hand',
      'PersistentVolumeClaim data: the data, because the new volume is empty',
      'PersistentVolumeClaim uploads: the data, because the new volume is empty',
      'Secret web-keys: the value of image, which is not a text in base64',
      'Service elsewhere: the Service, because it leads to no workload that is imported',
      'Service web: that it is reached from outside (LoadBalancer)',
      'Service web: the port 80: it is reached by that of the container, 8080',
      'StatefulSet db: No size is written: an instance requests 500 millicores and 512 MiB, and has no such limit.',
      'StatefulSet db: that it has no readiness probe: instances are ready once they accept connections at a port',
    ]);

    const filter = `action: "application.import", objectUid: "${made.application.appId}"`;
    const recorded = `{ events(${filter}) { nodes { changes { field after: newValue } } } }`;
    expect((await trellis.data(recorded)).events.nodes).toEqual([
      {
        changes: [
          { field: 'namespace', after: namespace },
          { field: 'components', after: ['web', 'db', 'clean-up'] },
        ],
      },
    ]);

    const [cleanUp, db, web] = await components(made.application.appId);
    const host = `${namespace}.example`;
    expect(web).toMatchObject({
      ...{ name: 'web', clusterName: 'web', serviceName: 'web', image: 'web:1.2', version: '1.2' },
      needsRoot: true,
      probes: { liveness: { http: { port: 8080, path: '/' } } },
      ...{
        entrypoint: 'tini --',
        command: `serve --title 'My shop'`,
        replicas: 4,
        cpuMillicores: 250,
        memoryMiB: 512,
      },
      ...{ cpuLimitMillicores: null, memoryLimitMiB: null },
      ...{ extendMethod: 'STATELESS', deployState: 'NOT_DEPLOYED' },
      autoscaling: { minReplicas: 4, maxReplicas: 8, cpuPercent: 70, memoryPercent: null },
      placement: {
        nodeLabels: [
          { key: 'disktype', value: 'ssd' },
          { key: 'example.com/pool', value: 'web' },
        ],
        tolerations: [
          { key: 'dedicated', operator: 'EQUAL', value: 'web', effect: 'NO_SCHEDULE' },
          { key: null, operator: 'EXISTS', value: null, effect: 'NO_EXECUTE' },
        ],
        ...{ spread: 'ZONE', minAvailable: 2 },
      },
      ports: { nodes: [{ number: 8080, protocol: 'HTTP', isInner: true, isOuter: true }] },
      gatewayRules: {
        http: {
          nodes: [
            { domain: host, path: '/', domainHeader: '', weight: 100, isPublished: true },
            { domain: host, path: '/beta', domainHeader: 'X-Beta=1', weight: 100, isPublished: true },
          ],
        },
      },
    });
    const own = web.variables.nodes.filter((each: any) => !each.isDerived);
    expect(own.map(({ name, value, isSecret }: any) => [name, value, isSecret])).toEqual([
      ['HOST', 'db', false],
      ['KEY', 'hunter2', true],
      ['MODE', 'prod', false],
      ['URL', 'pg://db:5432/$(x)', false],
    ]);
    const empty = { fileContent: '', accessMode: null, capacityGiB: null };
    expect(web.volumes.nodes).toEqual([
      { ...empty, name: 'cache', path: '/cache', type: 'memoryfs' },
      {
        ...empty,
        name: 'files-app.conf',
        path: '/etc/web/app.conf',
        type: 'config-file',
        fileContent: 'a=b',
      },
      {
        ...empty,
        name: 'uploads',
        path: '/uploads',
        type: 'share-file',
        capacityGiB: 5,
        accessMode: 'ReadWriteMany',
      },
    ]);
    expect(cleanUp).toMatchObject({
      ...{ image: 'web:1.2', command: null, replicas: 0 },
      variables: {
        nodes: expect.arrayContaining([expect.objectContaining({ name: 'key', isSecret: true })]),
      },
      schedules: {
        nodes: [
          {
            ...{ name: 'clean-up', cron: '*/30 * * * *', command: ['clean', '--all'], isPaused: true },
            ...{ concurrency: 'ALLOW', timeoutSeconds: 86_400 },
          },
        ],
      },
    });
    expect(db).toMatchObject({
      ...{
        name: 'db',
        clusterName: 'db',
        serviceName: 'db',
        extendMethod: 'STATE',
        ...{ memoryMiB: 512, memoryLimitMiB: null },
        autoscaling: null,
      },
      needsRoot: false,
      ports: { nodes: [{ number: 5432, protocol: 'TCP_UDP', isInner: true, isOuter: false }] },
    });

    // The namespace was read, and nothing else; deploying makes new objects with the same names.
    const changing = server.cluster.log.filter(({ method }) => method !== 'GET');
    expect(changing).toEqual([]);
    const application = { appId: made.application.appId };
    await trellis.succeed('deployApplication', { application }, '__typename');
    const target = () =>
      store
        .list(kindNamed('Namespace'))
        .find(({ metadata }) => metadata.labels?.['trellis.dev/application'] === String(application.appId))
        ?.metadata.name ?? 'none';
    const pods = () => store.list(kindNamed('Pod'), target()).length;
    await vi.waitUntil(() => pods() === 5, { timeout: 90_000, interval: 20 });
    expect(store.get(kindNamed('Deployment'), target(), 'web')).toBeDefined();
    const after = new Set(store.contentOf(namespace).map(([, { metadata }]) => metadata.uid));
    expect(before.filter((uid) => !after.has(uid))).toEqual([]);

    // A second import has the names in a namespace of its own.
    const again = await trellis.succeed(
      'importNamespace',
      { ...inputOf(namespace), name: 'again' },
      selection,
    );
    const names = await components(again.application.appId);
    expect(names.map((each: any) => [each.clusterName, each.serviceName])).toEqual([
      ['clean-up', null],
      ['db', 'db'],
      ['web', 'web'],
    ]);
    const own2 = inputOf(target());
    const managed = await trellis.attempt(
      'importNamespace',
      { ...own2, name: 'own', dryRun: true },
      selection,
    );
    expect(managed.omitted).toContainEqual({
      kind: 'Deployment',
      name: 'web',
      what: 'the workload, because it is a component already',
    });
  });

  it('refuses what is not there, and says when the cluster refuses', async () => {
    const namespace = unique('none');
    const code = async (more: object = {}) =>
      (await trellis.attempt('importNamespace', { ...inputOf(namespace), ...more })).code;
    expect(await code()).toBe('NOT_FOUND');
    expect(await code({ namespace: '../kube-system' })).toBe('INVALID_INPUT');
    const declared = await trellis.createRegion();
    expect(await code({ region: { name: declared.name } })).toBe('NOT_FOUND');
    const place = { team: { teamId: team.teamId }, region: { name: declared.name } };
    await trellis.succeed('openTeamRegion', place, '__typename');
    expect(await code({ region: { name: declared.name } })).toBe('CONFLICT');
    const taken = unique('taken');
    shop(taken);
    await trellis.succeed('importNamespace', inputOf(taken), '__typename');
    expect(await code({ namespace: taken })).toBe('CONFLICT');
    server.cluster.users.set('platform', platform('deployments'));
    try {
      const input = { ...inputOf(taken), name: 'other' };
      const query = `mutation M($input: ImportNamespaceInput!) { importNamespace(input: $input) { __typename } }`;
      const { errors } = await trellis.graphql(query, { input });
      expect(errors?.[0]).toMatchObject({
        message: expect.stringContaining('cannot list resource "deployments"'),
        extensions: { code: 'REGION_UNAVAILABLE' },
      });
      // Accounts that were set up for an earlier version have fewer rights.
      server.cluster.users.set('platform', platform('cronjobs', 'horizontalpodautoscalers', 'secrets'));
      const { omitted } = await trellis.succeed(
        'importNamespace',
        { ...input, dryRun: true },
        'omitted { kind name what }',
      );
      for (const kind of ['CronJob', 'HorizontalPodAutoscaler']) {
        const what = `each ${kind}, because the account of the region cannot list them`;
        expect(omitted).toContainEqual({ kind, name: '*', what });
      }
      const what = 'the Secret, because the account of the region cannot read it';
      expect(omitted).toContainEqual({ kind: 'Secret', name: 'web-keys', what });
    } finally {
      server.cluster.users.set('platform', platform());
    }
  });

  it('leaves out the rules of a domain that another team has', async () => {
    const namespace = unique('shop');
    shop(namespace);
    const other = await trellis.createTeam();
    const opened = { team: { teamId: other.teamId }, region: { name: region.name } };
    await trellis.succeed('openTeamRegion', opened, '__typename');
    await trellis.succeed('importNamespace', { ...inputOf(namespace), ...opened }, '__typename');
    const { application, omitted } = await trellis.succeed('importNamespace', inputOf(namespace), selection);
    expect(omitted).toContainEqual(
      expect.objectContaining({
        name: `${namespace}.example`,
        what: expect.stringContaining('another team'),
      }),
    );
    const found = await components(application.appId);
    expect(found.flatMap((each: any) => each.gatewayRules.http.nodes)).toEqual([]);
  });
});
