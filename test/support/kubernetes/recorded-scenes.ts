import { kindNamed } from './api/kinds.ts';
import type { Cluster } from './cluster.ts';

const pod = { containers: [{ name: 'main', image: 'nginx:1.0', ports: [{ containerPort: 8080 }] }] };
const workload = (name: string, more: object = {}) => ({
  selector: { matchLabels: { app: name } },
  template: { metadata: { labels: { app: name } }, spec: pod },
  ...more,
});

const paths = { ConfigMap: '/api/v1', Deployment: '/apis/apps/v1' };

/** An apply, by `trellis` unless another manager is given. */
function apply(
  cluster: Cluster,
  kind: keyof typeof paths,
  namespace: string,
  name: string,
  more: object,
  manager = 'trellis',
) {
  const { plural } = kindNamed(kind);
  const path = `${paths[kind]}/namespaces/${namespace}/${plural}/${name}?fieldManager=${manager}&force=true`;
  const body = { apiVersion: paths[kind].replace(/^\/apis?\//, ''), kind, metadata: { name }, ...more };
  cluster.handle({ method: 'PATCH', path, contentType: 'application/apply-patch+yaml', body }, 'admin');
}

function scale(cluster: Cluster, name: string, replicas: number) {
  const path = `/apis/apps/v1/namespaces/del/deployments/${name}/scale?fieldManager=hpa`;
  cluster.handle(
    { method: 'PATCH', path, contentType: 'application/merge-patch+json', body: { spec: { replicas } } },
    'admin',
  );
}

const claim = (name: string, storageClassName: string) => ({
  metadata: {
    name,
    namespace: 'imm',
    annotations: { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' },
    finalizers: ['kubernetes.io/pvc-protection'],
  },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '2Gi' } },
    storageClassName,
    volumeName: 'v',
  },
  status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '2Gi' } },
});

const held = (namespace: string, name: string, more: object = {}) => ({
  metadata: { name, namespace, finalizers: ['trellis.dev/hold'] },
  ...more,
});

/** What stood in the cluster before a recorded exchange and was not recorded itself, by the exchange's step. */
export const scenes: { [step: string]: (cluster: Cluster) => void } = {
  'ssa: conflict in a list keyed by name (container image)': (cluster) => {
    const containers = [{ name: 'main', image: 'nginx:3.0' }];
    apply(
      cluster,
      'Deployment',
      'ssa',
      'web',
      { spec: workload('web', { template: { spec: { containers } } }) },
      'other',
    );
  },
  'namespace: delete while an object in it has a finalizer': ({ store }) => {
    store.put('Namespace', { metadata: { name: 'dying' } });
    store.put('ConfigMap', held('dying', 'hold'));
  },
  'patch: json-patch replace of an absent path adds it': ({ store }) => {
    const { object } = store.get(kindNamed('ConfigMap'), 'ssa', 'c1')!;
    store.save(kindNamed('ConfigMap'), { ...object, data: { a: '1' } });
  },
  'ssa: empty apply gives up all fields': (cluster) =>
    apply(cluster, 'ConfigMap', 'ssa', 'nul', { data: { a: '1' } }),
  'scale: PATCH changes replicas': (cluster) =>
    apply(cluster, 'Deployment', 'ssa', 'sc', {
      metadata: { name: 'sc', labels: { app: 'sc' } },
      spec: workload('sc', { replicas: 1 }),
    }),
  'scale: replicas owned by nobody, then PATCH scale': (cluster) =>
    apply(cluster, 'Deployment', 'del', 'sc2', { spec: workload('sc2') }),
  'ssa: replicas applied with the value the other manager set: no conflict': (cluster) => {
    apply(cluster, 'Deployment', 'del', 'sc3', { spec: workload('sc3', { replicas: 1 }) });
    scale(cluster, 'sc3', 2);
  },
  'delete: object with a finalizer': ({ store }) => store.put('ConfigMap', held('crud', 'fin')),
  'deletecollection: by label': ({ store }) => {
    for (const [name, grp] of Object.entries({ x1: 'x', x2: 'x', y1: 'y' })) {
      store.put('ConfigMap', { metadata: { name, namespace: 'crud', labels: { grp } } });
    }
  },
  ...Object.fromEntries(
    ['Background', 'Foreground', 'Orphan', 'no propagationPolicy'].map((policy) => [
      `delete Deployment: ${policy}`,
      (cluster: Cluster) => {
        const name = policy.startsWith('no') ? 'd-default' : `d-${policy.toLowerCase()}`;
        apply(cluster, 'Deployment', 'crud', name, {
          metadata: { name, labels: { app: name } },
          spec: workload(name),
        });
        for (let steps = 0; steps < 4; steps++) cluster.step();
      },
    ]),
  ),
  'pod: delete, scheduled': ({ store }) =>
    store.put('Pod', { metadata: { name: 'p1', namespace: 'crud' }, spec: { ...pod, nodeName: 'node1' } }),
  'delete: what Service answers': ({ store }) => {
    const metadata = { name: 'x', namespace: 'del' };
    store.put('Service', {
      metadata,
      spec: { ports: [{ port: 80 }], clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9'] },
    });
    for (const kind of ['Secret', 'Ingress', 'NetworkPolicy', 'HTTPRoute', 'Gateway']) {
      store.put(kind, { metadata, spec: {} });
    }
    store.put('ServiceAccount', { metadata });
    store.put('ResourceQuota', { metadata, spec: { hard: { pods: '1' } } });
    store.put('StatefulSet', { metadata, spec: workload('x', { serviceName: 'x' }) });
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    store.put('PersistentVolumeClaim', {
      metadata: { ...metadata, finalizers: ['kubernetes.io/pvc-protection'] },
      spec,
    });
  },
  'ssa: a finalizer that was applied and is left out goes': (cluster) =>
    apply(cluster, 'ConfigMap', 'del', 'ff', {
      metadata: { name: 'ff', finalizers: ['trellis.dev/hold'] },
      data: { a: '1' },
    }),
  'immutable: Deployment spec.selector': (cluster) => {
    apply(cluster, 'Deployment', 'imm', 'd', { spec: workload('d') });
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec }];
    const template = {
      metadata: { labels: { app: 's' } },
      spec: { containers: [{ name: 'main', image: 'pg:1' }] },
    };
    const set = workload('s', { serviceName: 's', volumeClaimTemplates, template });
    cluster.store.put('StatefulSet', {
      metadata: { name: 's', namespace: 'imm', labels: { app: 's' } },
      spec: set,
    });
  },
  'PVC bound (class fixed): whole object': ({ store }) => {
    store.expandable.add('grow');
    store.put('PersistentVolumeClaim', claim('b-fixed', 'fixed'));
    store.put('PersistentVolumeClaim', claim('b-grow', 'grow'));
  },
  'immutable: Secret type': ({ store }) =>
    store.put('Secret', { metadata: { name: 'se', namespace: 'imm' } }),
  'immutable: ConfigMap with immutable=true': ({ store }) =>
    store.put('ConfigMap', { metadata: { name: 'im', namespace: 'imm' }, immutable: true, data: { a: '1' } }),
  'list: limit=3': ({ store }) => {
    for (let i = 0; i < 7; i++) {
      const metadata = { name: `k${i}`, namespace: 'lw', labels: { grp: i % 2 ? 'odd' : 'even' } };
      store.put('ConfigMap', { metadata, data: { i: String(i) } });
    }
  },
  'rbac: ssa of an existing object, with verb patch': (cluster) =>
    apply(cluster, 'Deployment', 'rbac', 'd', { spec: workload('d') }),
  'quota: create right after the quota': ({ store }) =>
    store.put('ConfigMap', { metadata: { name: 'second', namespace: 'qt' } }),
  'namespace stuck: delete': ({ store }) => {
    store.put('Namespace', { metadata: { name: 'stuck' } });
    store.put('ConfigMap', held('stuck', 'hold'));
  },
  'log: pod not scheduled': ({ store }) =>
    store.put('Pod', {
      metadata: { name: 'p', namespace: 'lg' },
      spec: {
        containers: [
          { name: 'main', image: 'a:1' },
          { name: 'side', image: 'b:1' },
        ],
      },
    }),
};
