import { randomUUID } from 'node:crypto';
import type { Kind } from './kinds.ts';
import { fillDefaults, mapQuantities, schemaOf } from './schema.ts';

const suffixes: [string, number][] = [
  ['Ki', 2 ** 10],
  ['Mi', 2 ** 20],
  ['Gi', 2 ** 30],
  ['Ti', 2 ** 40],
  ['n', 1e-9],
  ['u', 1e-6],
  ['m', 1e-3],
  ['k', 1e3],
  ['M', 1e6],
  ['G', 1e9],
  ['T', 1e12],
];

/** A quantity as a number. */
export function amountOf(quantity: unknown): number {
  const text = String(quantity ?? 0);
  const [suffix, factor] = suffixes.find(([each]) => text.endsWith(each)) ?? ['', 1];
  return Number(text.slice(0, text.length - suffix.length)) * factor;
}

/** A quantity as a server writes it: `0.5` as `500m`, `1024Mi` as `1Gi`. */
export function normalQuantity(quantity: unknown): string {
  const text = String(quantity);
  const binary = /^(\d+)(Ki|Mi|Gi|Ti)$/.exec(text);
  if (binary) {
    const order = ['Ki', 'Mi', 'Gi', 'Ti'];
    let [value, at] = [Number(binary[1]), order.indexOf(binary[2]!)];
    for (; value > 0 && value % 1024 === 0 && at < 3; at++) value /= 1024;
    return `${value}${order[at]}`;
  }
  const plain = /^(\d*\.?\d+)(m?)$/.exec(text);
  if (!plain) return text;
  const thousandths = Math.round(Number(plain[1]) * (plain[2] ? 1 : 1000));
  return thousandths % 1000 === 0 ? String(thousandths / 1000) : `${thousandths}m`;
}

const fill = (object: any, defaults: object) => {
  for (const [name, value] of Object.entries(defaults)) object[name] ??= structuredClone(value);
};

const hasTag = (image: string) => /:[^/]+$/.test(image) && !image.endsWith(':latest');

function podSpec(spec: any): void {
  fill(spec, {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
  });
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    fill(container, {
      resources: {},
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      imagePullPolicy: hasTag(container.image ?? '') ? 'IfNotPresent' : 'Always',
    });
    for (const port of container.ports ?? []) fill(port, { protocol: 'TCP' });
    for (const env of container.env ?? []) {
      if (env.valueFrom?.fieldRef) fill(env.valueFrom.fieldRef, { apiVersion: 'v1' });
    }
    for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
      if (!container[name]) continue;
      const seconds = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
      fill(container[name], seconds);
    }
  }
  for (const volume of spec.volumes ?? []) {
    if (volume.configMap) fill(volume.configMap, { defaultMode: 420 });
    if (volume.secret) fill(volume.secret, { defaultMode: 420 });
  }
}

function template(spec: any): void {
  spec.template ??= { metadata: {}, spec: {} };
  spec.template.metadata ??= {};
  spec.template.metadata.creationTimestamp = null;
  spec.template.spec ??= {};
  podSpec(spec.template.spec);
}

/** Marks a Job whose pods are counted, and holds each of them until it is. */
export const tracking = 'batch.kubernetes.io/job-tracking';

const jobSpec = (spec: any) =>
  fill(spec, {
    parallelism: 1,
    completions: 1,
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    suspend: false,
  });

function service(spec: any): void {
  fill(spec, { type: 'ClusterIP', sessionAffinity: 'None' });
  const hasAddress = spec.type !== 'ExternalName';
  if (hasAddress) {
    fill(spec, { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack', internalTrafficPolicy: 'Cluster' });
  }
  if (['NodePort', 'LoadBalancer'].includes(spec.type)) fill(spec, { externalTrafficPolicy: 'Cluster' });
  else delete spec.externalTrafficPolicy;
  if (spec.type === 'LoadBalancer') fill(spec, { allocateLoadBalancerNodePorts: true });
  else delete spec.allocateLoadBalancerNodePorts;
  for (const port of spec.ports ?? []) fill(port, { protocol: 'TCP', targetPort: port.port });
}

const waiting = (type: string) => ({
  type,
  status: 'Unknown',
  reason: 'Pending',
  message: 'Waiting for controller',
  lastTransitionTime: '1970-01-01T00:00:00Z',
});

const byKind: { [kind: string]: (object: any) => void } = {
  Deployment(object) {
    template(object.spec);
    const rolling = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } };
    fill(object.spec, {
      replicas: 1,
      strategy: rolling,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    });
    if (object.spec.strategy.type !== 'Recreate') fill(object.spec.strategy, rolling);
    fill(object, { status: {} });
  },
  StatefulSet(object) {
    template(object.spec);
    fill(object.spec, {
      replicas: 1,
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      revisionHistoryLimit: 10,
    });
    for (const claim of object.spec.volumeClaimTemplates ?? []) {
      fill(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim', status: { phase: 'Pending' } });
      claim.metadata.creationTimestamp = null;
      fill(claim.spec, { volumeMode: 'Filesystem' });
    }
    fill(object, { status: { replicas: 0, availableReplicas: 0 } });
  },
  HorizontalPodAutoscaler(object) {
    object.spec ??= {};
    const cpu = { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } };
    fill(object.spec, { minReplicas: 1, maxReplicas: 0, metrics: [{ type: 'Resource', resource: cpu }] });
    fill(object, { status: { desiredReplicas: 0, currentMetrics: null } });
  },
  Job(object) {
    template(object.spec);
    jobSpec(object.spec);
    // The server names the pods of a Job by its uid.
    object.metadata.uid ??= randomUUID();
    const own = { 'controller-uid': object.metadata.uid, 'job-name': object.metadata.name };
    object.metadata.labels = { ...object.metadata.labels, ...own };
    object.metadata.annotations = { ...object.metadata.annotations, [tracking]: '' };
    object.spec.selector ??= { matchLabels: { 'controller-uid': object.metadata.uid } };
    const { metadata } = object.spec.template;
    metadata.labels = { ...metadata.labels, ...own };
    fill(object, { status: {} });
  },
  Pod(object) {
    podSpec(object.spec);
    for (const { resources } of object.spec.containers ?? []) {
      if (resources.limits) resources.requests = { ...resources.limits, ...resources.requests };
    }
    fill(object, { status: { phase: 'Pending', qosClass: 'BestEffort' } });
  },
  Service(object) {
    object.spec ??= {};
    service(object.spec);
    fill(object, { status: { loadBalancer: {} } });
  },
  Secret(object) {
    fill(object, { type: 'Opaque' });
    for (const [name, value] of Object.entries<string>(object.stringData ?? {})) {
      object.data = { ...object.data, [name]: Buffer.from(value).toString('base64') };
    }
    delete object.stringData;
  },
  PersistentVolumeClaim(object) {
    object.spec ??= {};
    fill(object.spec, { volumeMode: 'Filesystem' });
    fill(object, { status: { phase: 'Pending' } });
  },
  Namespace(object) {
    fill(object, { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } });
    object.metadata.labels ??= {};
    object.metadata.labels['kubernetes.io/metadata.name'] = object.metadata.name;
  },
  ResourceQuota: (object) => fill(object, { status: {} }),
  Ingress: (object) => fill(object, { status: { loadBalancer: {} } }),
  NetworkPolicy(object) {
    object.spec ??= {};
    fill(object.spec, { policyTypes: ['Ingress', ...(object.spec.egress ? ['Egress'] : [])] });
    for (const { ports } of object.spec.ingress ?? [])
      for (const port of ports ?? []) fill(port, { protocol: 'TCP' });
    fill(object, { status: {} });
  },
  Gateway: (object) => fill(object, { status: { conditions: [waiting('Accepted'), waiting('Programmed')] } }),
  GatewayClass: (object) => fill(object, { status: { conditions: [waiting('Accepted')] } }),
};

/** Fills in what a server adds to an object, in place. */
export function addDefaults(kind: Kind, object: any): void {
  const schema = schemaOf(kind);
  if (kind.isCustom) {
    const { status } = object;
    fillDefaults(object, schema);
    if (status === undefined) delete object.status;
  } else {
    mapQuantities(object, schema, normalQuantity);
    if (object.spec === undefined && ['Deployment', 'StatefulSet', 'Job', 'Pod'].includes(kind.kind))
      object.spec = {};
  }
  byKind[kind.kind]?.(object);
  if (object.data && Object.keys(object.data).length === 0) delete object.data;
  for (const name of ['labels', 'annotations', 'finalizers']) {
    const value = object.metadata[name];
    if (value && Object.keys(value).length === 0) delete object.metadata[name];
  }
}
