import { describe, expect, it } from 'vitest';
import { unique } from '../../../support/fixtures.ts';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import { createClusterPlace, patience } from '../../../support/kubernetes/place.ts';
import { useClusterWorld } from '../../../support/kubernetes/world.ts';

const cluster = { gatewayClass: 'test', sharedStorageClass: 'nfs' };
const { trellis, server, place } = useClusterWorld({ jobs: {} }, { place: { token: 'platform', cluster } });

const base64 = (text: string) => Buffer.from(text).toString('base64');
const timing = { initialDelaySeconds: 3, periodSeconds: 7, timeoutSeconds: 4, failureThreshold: 9 };
const sizes = (cpu: string, memory: string, more: object = {}) => ({ cpu, memory, ...more });
const script = `printf '%s\\n' "it's $(MODE)"\nexec cat`;

/** A shop with every kind of object, as a cluster exports it. */
function shop(namespace: string): void {
  const put = (kind: string, name: string, more: object) =>
    server.cluster.store.put(kind, {
      metadata: { name, ...(kind !== 'Namespace' && { namespace }) },
      ...more,
    });
  const template = (app: string, container: object, pod: object = {}) => ({
    selector: { matchLabels: { app } },
    template: {
      metadata: { labels: { app } },
      spec: { containers: [{ name: app, image: `registry.example/${app}:1.2`, ...container }], ...pod },
    },
  });
  const claim = (storage: string, mode = 'ReadWriteOnce') => ({
    spec: { accessModes: [mode], resources: { requests: { storage } } },
  });
  put('Namespace', namespace, {});
  put('ConfigMap', 'settings', { data: { MODE: 'prod', LANGUAGE: 'en' } });
  put('ConfigMap', 'files', { data: { 'app.conf': 'a=b\n', 'extra.conf': 'c=d' } });
  put('Secret', 'keys', { data: { API_KEY: base64('hunter2'), token: base64('über') } });
  put('PersistentVolumeClaim', 'media-claim', claim('5Gi', 'ReadWriteMany'));
  put('PersistentVolumeClaim', 'index', claim('1500Mi'));
  const media = { name: 'media', persistentVolumeClaim: { claimName: 'media-claim' } };
  put('Deployment', 'web', {
    spec: {
      replicas: 3,
      ...template(
        'web',
        {
          command: ['/bin/tini', '--', 'sh', '-c'],
          args: [script, 'an argument', ''],
          ports: [{ name: 'http', containerPort: 8080 }, { containerPort: 9090 }],
          envFrom: [{ configMapRef: { name: 'settings' } }, { prefix: 'X_', secretRef: { name: 'keys' } }],
          env: [
            { name: 'URL', value: 'http://$(MODE).example/?a=1&b=$$2' },
            { name: 'KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'token' } } },
            { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
          ],
          resources: {
            requests: sizes('250m', '300Mi'),
            limits: sizes('1500m', '1Gi', { 'ephemeral-storage': '1Gi' }),
          },
          startupProbe: { tcpSocket: { port: 'http' }, ...timing, failureThreshold: 30 },
          readinessProbe: {
            httpGet: { path: '/ready?all', port: 'http', httpHeaders: [{ name: 'X-Probe', value: 'yes' }] },
            ...timing,
            successThreshold: 2,
          },
          livenessProbe: { exec: { command: ['sh', '-c', 'test -e /tmp/up'] }, ...timing },
          volumeMounts: [
            { name: 'files', mountPath: '/etc/web' },
            { name: 'files', mountPath: '/etc/one.conf', subPath: 'extra.conf' },
            { name: 'media', mountPath: '/media' },
            { name: 'cache', mountPath: '/cache' },
            { name: 'scratch', mountPath: '/scratch' },
          ],
        },
        {
          terminationGracePeriodSeconds: 75,
          volumes: [
            { name: 'files', configMap: { name: 'files' } },
            { name: 'cache', emptyDir: { medium: 'Memory' } },
            { name: 'scratch', emptyDir: {} },
            media,
          ],
          nodeSelector: { disktype: 'ssd' },
          tolerations: [
            { key: 'dedicated', operator: 'Equal', value: 'web', effect: 'NoSchedule' },
            { operator: 'Exists', effect: 'NoExecute' },
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
  put('Deployment', 'worker', {
    spec: {
      replicas: 1,
      ...template(
        'worker',
        {
          args: ['work', '--queue=a b'],
          resources: { requests: sizes('0.1', '64Mi'), limits: { memory: '100M' } },
          livenessProbe: { grpc: { port: 7000, service: 'live' } },
          ports: [{ containerPort: 7000 }],
          volumeMounts: [
            { name: 'media', mountPath: '/in' },
            { name: 'index', mountPath: '/index' },
          ],
        },
        { volumes: [media, { name: 'index', persistentVolumeClaim: { claimName: 'index' } }] },
      ),
    },
  });
  put('StatefulSet', 'dns', {
    spec: {
      replicas: 2,
      serviceName: 'dns',
      ...template('dns', {
        ports: ['TCP', 'UDP'].map((protocol) => ({ containerPort: 53, protocol })),
        resources: { requests: sizes('1', '1Gi'), limits: sizes('2', '2Gi') },
        readinessProbe: { tcpSocket: { port: 53 } },
        volumeMounts: [{ name: 'zones', mountPath: '/zones' }],
      }),
      volumeClaimTemplates: [{ metadata: { name: 'zones' }, ...claim('10Gi') }],
    },
  });
  put('CronJob', 'report', {
    spec: {
      schedule: '*/30 2 * * 1-5',
      timeZone: 'Europe/Berlin',
      concurrencyPolicy: 'Forbid',
      jobTemplate: {
        spec: {
          activeDeadlineSeconds: 600,
          backoffLimit: 0,
          ...template(
            'report',
            {
              command: ['report', '--to', 'a b'],
              resources: { requests: sizes('50m', '32Mi'), limits: sizes('100m', '64Mi') },
              envFrom: [{ secretRef: { name: 'keys' } }],
              volumeMounts: [{ name: 'media', mountPath: '/out' }],
            },
            { restartPolicy: 'Never', volumes: [media] },
          ),
        },
      },
    },
  });
  put('DaemonSet', 'agent', { spec: template('agent', {}) });
  put('Job', 'migrate', { spec: template('migrate', { command: ['migrate'] }) });
  put('Service', 'web', {
    spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 8080, targetPort: 'http' }] },
  });
  const both = ['TCP', 'UDP'].map((protocol) => ({ name: protocol.toLowerCase(), protocol, port: 53 }));
  put('Service', 'dns', { spec: { clusterIP: 'None', selector: { app: 'dns' }, ports: both } });
  put('Service', 'jobs', { spec: { selector: { app: 'worker' }, ports: [{ port: 7000 }] } });
  put('Service', 'work', { spec: { selector: { app: 'worker' }, ports: [{ port: 7000 }] } });
  const backend = { service: { name: 'web', port: { number: 8080 } } };
  put('Ingress', 'web', {
    spec: {
      rules: [
        {
          host: `${namespace}.example`,
          http: { paths: ['/', '/shop'].map((path) => ({ path, pathType: 'Prefix', backend })) },
        },
      ],
    },
  });
  put('HTTPRoute', 'canary', {
    spec: {
      parentRefs: [{ name: 'gateway' }],
      hostnames: [`${namespace}.example`],
      rules: [
        {
          matches: ['1', '2'].map((value) => ({
            path: { type: 'PathPrefix', value: '/beta' },
            headers: [{ name: 'X-Beta', value }],
          })),
          backendRefs: [
            { name: 'web', port: 8080, weight: 90 },
            { name: 'jobs', port: 7000, weight: 10 },
          ],
        },
      ],
    },
  });
  const usage = (name: string, averageUtilization: number) => ({
    type: 'Resource',
    resource: { name, target: { type: 'Utilization', averageUtilization } },
  });
  put('HorizontalPodAutoscaler', 'web', {
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      ...{ minReplicas: 3, maxReplicas: 8, metrics: [usage('cpu', 70), usage('memory', 85)] },
    },
  });
  put('PodDisruptionBudget', 'web', {
    spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } },
  });
  put('PodDisruptionBudget', 'dns', {
    spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'dns' } } },
  });
}

const get = (namespace: string, kind: string, name: string): any =>
  server.cluster.store.get(kindNamed(kind), namespace, name)?.object;
const list = (namespace: string, kind: string): any[] =>
  server.cluster.store.list(kindNamed(kind), namespace);

const amount = (text: string) => {
  const [, number, unit] = /^([\d.]+)(.*)$/.exec(text)!;
  return Number(number) * { '': 1, m: 1e-3, M: 1e6, Mi: 2 ** 20, Gi: 2 ** 30 }[unit!]!;
};
/** Sizes are in whole units, and never less than before. */
const wholes = (bytes: number, unit: number) => Math.ceil(bytes / unit);
const rest = (object: any, ...left: string[]) =>
  Object.fromEntries(Object.entries(object ?? {}).filter(([key]) => !left.includes(key)));

/** What instances see of a workload: what is referred to is resolved, and what has a name of its own has none. */
function seenIn(namespace: string, kind: string, name: string): any {
  const { spec } = get(namespace, kind, name) ?? expect.fail(`There is no ${kind} ${name}.`);
  const { spec: pod, metadata } = (spec.jobTemplate?.spec ?? spec).template;
  const [main] = pod.containers;
  const variables: Record<string, { value: string; isSecret: boolean }> = {};
  const read = (kind: 'ConfigMap' | 'Secret', of: string) =>
    Object.entries<string>(get(namespace, kind, of).data).map(([key, text]) => ({
      ...{ key, isSecret: kind === 'Secret' },
      value: kind === 'Secret' ? Buffer.from(text, 'base64').toString() : text,
    }));
  for (const { prefix = '', configMapRef, secretRef } of main.envFrom ?? [])
    for (const { key, ...value } of read(
      configMapRef ? 'ConfigMap' : 'Secret',
      (configMapRef ?? secretRef).name,
    ))
      variables[prefix + key] = value;
  for (const { name, value, valueFrom } of main.env ?? []) {
    const secret = valueFrom?.secretKeyRef;
    if (secret) {
      const { key: _, ...found } = read('Secret', secret.name).find(({ key }) => key === secret.key)!;
      variables[name] = found;
    } else if (!valueFrom) {
      const text = value.replace(/\$\$|\$\((\w+)\)/g, (_: string, of?: string) =>
        of ? variables[of]?.value : '$',
      );
      variables[name] = { value: text, isSecret: false };
    }
  }
  const files: Record<string, string> = {};
  const data: Record<string, object> = {};
  for (const { name, mountPath, subPath } of main.volumeMounts ?? []) {
    const volume = pod.volumes?.find((each: any) => each.name === name);
    const claimed = volume?.persistentVolumeClaim?.claimName;
    const template = spec.volumeClaimTemplates?.find((each: any) => each.metadata.name === name);
    if (volume?.configMap) {
      for (const { key, value } of read('ConfigMap', volume.configMap.name)) {
        if (!subPath) files[`${mountPath}/${key}`] = value;
        else if (subPath === key) files[mountPath] = value;
      }
    } else if (volume?.emptyDir?.medium) data[mountPath] = { medium: volume.emptyDir.medium };
    else if (template || claimed) {
      const { accessModes, resources } = (template ?? get(namespace, 'PersistentVolumeClaim', claimed)).spec;
      const isIn = (each: any) => JSON.stringify(each).includes(`"claimName":"${claimed}"`);
      const workloads = ['Deployment', 'StatefulSet', 'CronJob'].flatMap((kind) => list(namespace, kind));
      data[mountPath] = {
        ...{ accessModes, storage: wholes(amount(resources.requests.storage), 2 ** 30) },
        users: template
          ? 'each instance'
          : workloads
              .filter(isIn)
              .map((each) => each.metadata.name)
              .sort(),
      };
    }
  }
  const portNamed = (of: any) => main.ports?.find(({ name }: any) => name === of)?.containerPort ?? of;
  const probe = (found: any) => {
    if (!found) return undefined;
    const [[kind, check]] = Object.entries<any>(
      rest(found, ...Object.keys(timing), 'successThreshold'),
    ) as any;
    const {
      initialDelaySeconds = 0,
      periodSeconds,
      timeoutSeconds,
      failureThreshold,
      successThreshold,
    } = found;
    const every = { initialDelaySeconds, periodSeconds, timeoutSeconds, failureThreshold, successThreshold };
    const port = check.port === undefined ? {} : { port: portNamed(check.port) };
    const scheme = kind === 'httpGet' ? { scheme: check.scheme ?? 'HTTP' } : {};
    return { [kind]: { ...check, ...port, ...scheme }, ...every };
  };
  const numbers = (of: object = {}) =>
    Object.fromEntries(
      Object.entries<string>(of as any).map(([key, text]) => [
        key,
        key === 'memory' ? wholes(amount(text), 2 ** 20) : amount(text),
      ]),
    );
  return {
    ...{ image: main.image, command: main.command, args: main.args, variables, files, data },
    ports: new Set((main.ports ?? []).map((each: any) => `${each.containerPort}/${each.protocol}`)),
    requests: numbers(main.resources?.requests),
    limits: numbers(main.resources?.limits),
    startup: probe(main.startupProbe),
    readiness: probe(main.readinessProbe),
    liveness: probe(main.livenessProbe),
    gracePeriod: pod.terminationGracePeriodSeconds ?? 30,
    ...{ nodeSelector: pod.nodeSelector, tolerations: pod.tolerations },
    spread: (pod.topologySpreadConstraints ?? []).map((each: any) => {
      const { matchLabels } = each.labelSelector;
      const isOfPods = Object.entries(matchLabels).every(([key, value]) => metadata.labels[key] === value);
      return { ...rest(each, 'labelSelector'), isOfPods };
    }),
  };
}

/** Where the requests for a domain go, by what they match: to which ports, in which shares. */
function routesIn(namespace: string, domain: string): Record<string, Record<string, number>> {
  const routes: Record<string, Record<string, number>> = {};
  const to = (name: string, port: number) => {
    const { selector, ports } = get(namespace, 'Service', name).spec;
    const workload = list(namespace, 'Deployment').find(({ spec }) =>
      Object.entries(selector).every(([key, value]) => spec.template.metadata.labels[key] === value),
    );
    const { targetPort } = ports.find((each: any) => each.port === port);
    const [{ ports: own }] = workload.spec.template.spec.containers;
    const number = own.find((each: any) => each.name === targetPort)?.containerPort ?? targetPort;
    return `${workload.metadata.name}:${number}`;
  };
  for (const { spec } of list(namespace, 'Ingress')) {
    for (const { host, http } of spec.rules.filter((each: any) => each.host === domain))
      for (const { path, backend } of http.paths)
        routes[`${host}${path} []`] = { [to(backend.service.name, backend.service.port.number)]: 1 };
  }
  for (const { spec } of list(namespace, 'HTTPRoute')) {
    if (!spec.hostnames.includes(domain)) continue;
    for (const { matches, backendRefs } of spec.rules) {
      const sum = backendRefs.reduce((total: number, { weight = 1 }) => total + weight, 0);
      for (const { path, headers = [] } of matches) {
        const match = JSON.stringify(headers.map(({ name, value }: any) => `${name}=${value}`));
        routes[`${domain}${path.value} ${match}`] = Object.fromEntries(
          backendRefs.map(({ name, port, weight = 1 }: any) => [
            to(name, port),
            Math.round((weight / sum) * 100) / 100,
          ]),
        );
      }
    }
  }
  return routes;
}

/** The ports of a Service with their transports. */
const portsOf = (namespace: string, name: string) => {
  const { spec } = get(namespace, 'Service', name) ?? expect.fail(`There is no Service ${name}.`);
  return new Set<string>(spec.ports.map(({ port, protocol }: any) => `${port}/${protocol}`));
};

describe('importNamespace', () => {
  it('makes what runs as it did, and tells everything else', async () => {
    const namespace = unique('shop');
    const target = place.namespace;
    const domain = `${namespace}.example`;
    shop(namespace);
    const { application, omitted } = await trellis.succeed(
      'importNamespace',
      { team: { teamId: place.teamId }, region: { name: place.region.name }, namespace },
      'application { uid } omitted { kind name what }',
    );
    const own = { application: { appId: application.uid } };
    // So that routes and Services are in one namespace, as they were.
    await trellis.succeed('updateApplication', { ...own, isolation: 'TEAM' }, '__typename');
    await trellis.succeed('deployApplication', own, '__typename');
    const query = `{ application(by: { appId: ${application.uid} }) { components { nodes { name state
      schedules { nodes { cron timeZone command concurrency timeoutSeconds isPaused } } } } } }`;
    const components = async () => (await trellis.data(query)).application.components.nodes;
    await expect
      .poll(async () => (await components()).map(({ state }: any) => state), patience)
      .toEqual(Array(4).fill('RUNNING'));

    for (const kind of ['Deployment', 'StatefulSet']) {
      for (const { metadata } of list(namespace, kind)) {
        const { name } = metadata;
        const { limits, ...before } = seenIn(namespace, kind, name);
        const { readiness, ...after } = seenIn(target, kind, name);
        const isTold = omitted.some((each: any) => each.name === name && /readiness/.test(each.what));
        expect({ ...after, readiness: isTold ? undefined : readiness }, name).toEqual({
          ...before,
          limits: rest(limits, 'ephemeral-storage'),
        });
        expect(get(target, kind, name).spec.replicas, name).toBe(get(namespace, kind, name).spec.replicas);
      }
    }
    const { command, args, ...job } = seenIn(namespace, 'CronJob', 'report');
    expect(seenIn(target, 'Deployment', 'report')).toEqual({ ...job, command: undefined, args: undefined });
    const schedules = (await components()).flatMap((each: any) => each.schedules.nodes);
    expect(schedules).toEqual([
      {
        ...{ cron: '*/30 2 * * 1-5', timeZone: 'Europe/Berlin', command, concurrency: 'FORBID' },
        ...{ timeoutSeconds: 600, isPaused: false },
      },
    ]);
    for (const { metadata } of list(namespace, 'Service')) {
      const { name } = metadata;
      expect(portsOf(target, name), name).toEqual(portsOf(namespace, name));
    }
    // A port has one rule for a path of a domain.
    expect(routesIn(target, domain)).toEqual(
      rest(routesIn(namespace, domain), `${domain}/beta ["X-Beta=2"]`),
    );
    const specOf = (of: string, kind: string, name: string) => get(of, kind, name)?.spec;
    expect(specOf(target, 'HorizontalPodAutoscaler', 'web')).toEqual(
      specOf(namespace, 'HorizontalPodAutoscaler', 'web'),
    );
    expect(specOf(target, 'PodDisruptionBudget', 'web').minAvailable).toBe(2);
    expect(specOf(target, 'PodDisruptionBudget', 'dns').minAvailable).toBe(1);
    const told = omitted.map(({ kind, name, what }: any) => `${kind} ${name}: ${what}`);
    expect([...new Set(told)].sort()).toEqual([
      `Component web: the rule for ${domain}/beta`,
      `Component worker: the rule for ${domain}/beta`,
      'DaemonSet agent: the DaemonSet: instances are not started on each node',
      'Deployment web: containers[].resources.limits.ephemeral-storage: Instances have CPU and memory alone.',
      'Deployment web: the variable NODE, whose value comes from the pod',
      'Deployment web: the volume scratch at /scratch (emptyDir)',
      'Deployment worker: that it has no readiness probe: instances are ready once they accept connections at a port',
      'Job migrate: the Job: run its command by hand',
      'PersistentVolumeClaim index: its size: it has 2 GiB',
      'PersistentVolumeClaim index: the data, because the new volume is empty',
      'PersistentVolumeClaim media-claim: that components share it wherever they run: the region needs a storage class for that',
      'PersistentVolumeClaim media-claim: the data, because the new volume is empty',
      'PersistentVolumeClaim zones: the data, because the new volume is empty',
    ]);
  });

  it('gives components volumes of their own where a region has no storage class for shared ones', async () => {
    const namespace = unique('shop');
    shop(namespace);
    const { region, teamId } = await createClusterPlace(trellis, server, { token: 'platform' });
    const { application, omitted } = await trellis.succeed(
      'importNamespace',
      { team: { teamId }, region: { name: region.name }, namespace },
      `application { components { nodes { name volumes { nodes { path type isShared } } } } }
        omitted { kind name what }`,
    );
    const reason = `The volume media-claim cannot be shared: the region ${region.name} has no storage class for volumes that components share. An administrator can set one as \`cluster.sharedStorageClass\`.`;
    const what = `that others have the data of the volume. ${reason}`;
    for (const name of ['web', 'worker', 'report'])
      expect(omitted).toContainEqual({ kind: 'Component', name, what });
    const volumes = application.components.nodes.flatMap((each: any) => each.volumes.nodes);
    expect(volumes.filter(({ isShared }: any) => isShared)).toEqual([]);
    const paths = volumes.flatMap((each: any) => (each.type === 'share-file' ? each.path : []));
    expect(paths.sort()).toEqual(['/in', '/index', '/media', '/out', '/zones']);
  });
});
