/** A kind of object that the server has. */
export interface Kind {
  kind: string;
  group: string;
  version: string;
  plural: string;
  isNamespaced: boolean;
  /** Whether changes of the spec are counted in `metadata.generation`. */
  hasGeneration: boolean;
  /** Whether it is defined by a CustomResourceDefinition. */
  isCustom: boolean;
  /** What a DELETE answers when nothing has to be waited for. */
  deleteAnswer: 'status' | 'object';
}

const rows: [string, string, string, string, ...('cluster' | 'generation' | 'object')[]][] = [
  ['', 'v1', 'Namespace', 'namespaces', 'cluster', 'object'],
  ['', 'v1', 'Node', 'nodes', 'cluster'],
  ['', 'v1', 'ConfigMap', 'configmaps'],
  ['', 'v1', 'Secret', 'secrets'],
  ['', 'v1', 'Service', 'services', 'object'],
  ['', 'v1', 'ServiceAccount', 'serviceaccounts', 'object'],
  ['', 'v1', 'PersistentVolumeClaim', 'persistentvolumeclaims', 'object'],
  ['', 'v1', 'ResourceQuota', 'resourcequotas', 'object'],
  ['', 'v1', 'Pod', 'pods', 'object'],
  ['', 'v1', 'Event', 'events'],
  ['apps', 'v1', 'Deployment', 'deployments', 'generation'],
  ['apps', 'v1', 'StatefulSet', 'statefulsets', 'generation'],
  ['apps', 'v1', 'ReplicaSet', 'replicasets', 'generation'],
  ['apps', 'v1', 'DaemonSet', 'daemonsets', 'generation'],
  ['autoscaling', 'v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers'],
  ['policy', 'v1', 'PodDisruptionBudget', 'poddisruptionbudgets', 'generation'],
  ['batch', 'v1', 'Job', 'jobs', 'generation'],
  ['batch', 'v1', 'CronJob', 'cronjobs', 'generation'],
  ['networking.k8s.io', 'v1', 'Ingress', 'ingresses', 'generation'],
  ['networking.k8s.io', 'v1', 'NetworkPolicy', 'networkpolicies', 'generation'],
  ['gateway.networking.k8s.io', 'v1', 'GatewayClass', 'gatewayclasses', 'cluster', 'generation'],
  ['gateway.networking.k8s.io', 'v1', 'Gateway', 'gateways', 'generation'],
  ['gateway.networking.k8s.io', 'v1', 'HTTPRoute', 'httproutes', 'generation'],
  ['gateway.networking.k8s.io', 'v1', 'TCPRoute', 'tcproutes', 'generation'],
  ['gateway.networking.k8s.io', 'v1beta1', 'ReferenceGrant', 'referencegrants', 'generation'],
  ['snapshot.storage.k8s.io', 'v1', 'VolumeSnapshot', 'volumesnapshots', 'generation'],
  [
    'snapshot.storage.k8s.io',
    'v1',
    'VolumeSnapshotContent',
    'volumesnapshotcontents',
    'cluster',
    'generation',
  ],
  ['cert-manager.io', 'v1', 'Certificate', 'certificates', 'generation'],
  ['metrics.k8s.io', 'v1beta1', 'NodeMetrics', 'nodes', 'cluster'],
  ['metrics.k8s.io', 'v1beta1', 'PodMetrics', 'pods'],
];

export const kinds: readonly Kind[] = rows.map(([group, version, kind, plural, ...traits]) => ({
  kind,
  group,
  version,
  plural,
  isNamespaced: !traits.includes('cluster'),
  hasGeneration: traits.includes('generation'),
  isCustom: ['gateway.networking.k8s.io', 'cert-manager.io', 'snapshot.storage.k8s.io'].includes(group),
  deleteAnswer: traits.includes('object') ? 'object' : 'status',
}));

export const kindNamed = (kind: string): Kind => kinds.find((each) => each.kind === kind)!;

export const apiVersionOf = ({ group, version }: Pick<Kind, 'group' | 'version'>) =>
  group === '' ? version : `${group}/${version}`;

/** `deployments.apps`, as messages name a resource. */
export const resourceName = ({ plural, group }: Pick<Kind, 'plural' | 'group'>) =>
  group === '' ? plural : `${plural}.${group}`;

/** `Deployment.apps`, as messages name a kind. */
export const qualifiedKind = ({ kind, group }: Kind) => {
  if (group === '') return kind;
  return `${kind}.${group === 'networking.k8s.io' ? 'extensions' : group}`;
};
