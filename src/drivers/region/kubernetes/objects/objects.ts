import type { ComponentIdentity, NamespaceOwner } from '../../desired.ts';

/** An object of the cluster, as the API writes it. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    resourceVersion?: string;
    generation?: number;
    uid?: string;
    deletionTimestamp?: string;
    creationTimestamp?: string;
    managedFields?: {
      manager: string;
      operation: string;
      fieldsV1?: Record<string, Record<string, unknown>>;
    }[];
    ownerReferences?: { kind: string; name: string; uid: string }[];
    // biome-ignore lint/suspicious/noExplicitAny: the rest depends on the kind
    [name: string]: any;
  };
  // biome-ignore lint/suspicious/noExplicitAny: the rest depends on the kind
  [name: string]: any;
}

/** The kinds that the driver applies or reads, with their paths. */
export const kinds = {
  Namespace: { apiVersion: 'v1', plural: 'namespaces' },
  Node: { apiVersion: 'v1', plural: 'nodes' },
  ResourceQuota: { apiVersion: 'v1', plural: 'resourcequotas' },
  ConfigMap: { apiVersion: 'v1', plural: 'configmaps' },
  Secret: { apiVersion: 'v1', plural: 'secrets' },
  Service: { apiVersion: 'v1', plural: 'services' },
  PersistentVolumeClaim: { apiVersion: 'v1', plural: 'persistentvolumeclaims' },
  Pod: { apiVersion: 'v1', plural: 'pods' },
  Event: { apiVersion: 'v1', plural: 'events' },
  Job: { apiVersion: 'batch/v1', plural: 'jobs' },
  CronJob: { apiVersion: 'batch/v1', plural: 'cronjobs' },
  DaemonSet: { apiVersion: 'apps/v1', plural: 'daemonsets' },
  Deployment: { apiVersion: 'apps/v1', plural: 'deployments' },
  StatefulSet: { apiVersion: 'apps/v1', plural: 'statefulsets' },
  ReferenceGrant: { apiVersion: 'gateway.networking.k8s.io/v1beta1', plural: 'referencegrants' },
  NetworkPolicy: { apiVersion: 'networking.k8s.io/v1', plural: 'networkpolicies' },
  PodDisruptionBudget: { apiVersion: 'policy/v1', plural: 'poddisruptionbudgets' },
  HorizontalPodAutoscaler: { apiVersion: 'autoscaling/v2', plural: 'horizontalpodautoscalers' },
  Ingress: { apiVersion: 'networking.k8s.io/v1', plural: 'ingresses' },
  Gateway: { apiVersion: 'gateway.networking.k8s.io/v1', plural: 'gateways' },
  HTTPRoute: { apiVersion: 'gateway.networking.k8s.io/v1', plural: 'httproutes' },
  TCPRoute: { apiVersion: 'gateway.networking.k8s.io/v1', plural: 'tcproutes' },
  VolumeSnapshot: { apiVersion: 'snapshot.storage.k8s.io/v1', plural: 'volumesnapshots' },
  VolumeSnapshotContent: {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    plural: 'volumesnapshotcontents',
    isInNoNamespace: true,
  },
  Certificate: { apiVersion: 'cert-manager.io/v1', plural: 'certificates' },
} as const;
export type KindName = keyof typeof kinds;

export const isWorkload = ({ kind }: Pick<KubernetesObject, 'kind'>): boolean =>
  kind === 'Deployment' || kind === 'StatefulSet';

/** `/apis/apps/v1/namespaces/a/deployments/b`. What belongs to a namespace and is in none has a path without it. */
export function pathOf(kind: KindName, namespace?: string, name?: string): string {
  const { apiVersion, plural } = kinds[kind];
  const steps = [apiVersion.includes('/') ? 'apis' : 'api', apiVersion];
  if (namespace !== undefined && !('isInNoNamespace' in kinds[kind]))
    steps.push('namespaces', encodeURIComponent(namespace));
  steps.push(plural);
  if (name !== undefined) steps.push(encodeURIComponent(name));
  return `/${steps.join('/')}`;
}

export const labels = {
  managedBy: 'app.kubernetes.io/managed-by',
  component: 'trellis.dev/component',
  /** The component of a run. Its pods have no `component`, because Services and workloads would take them for instances. */
  runOf: 'trellis.dev/run-of',
  /** The run that a Job carries out. */
  run: 'trellis.dev/run',
  team: 'trellis.dev/team',
  /** The name of a snapshot, which has a part for each claim. */
  snapshot: 'trellis.dev/snapshot',
  /** The schedule that made a snapshot. */
  snapshotSchedule: 'trellis.dev/snapshot-schedule',
  /** The application that has the namespace of an object to itself, or whose components share a claim. */
  application: 'trellis.dev/application',
  /** The component that a policy lets components of other namespaces reach. */
  dependentsOf: 'trellis.dev/dependents-of',
  /** The component that a removal was of, on what the removal leaves behind. */
  removed: 'trellis.dev/removed',
  /** Whose region a namespace is of, on what it has beside components. */
  region: 'trellis.dev/region',
} as const;

/** The part of a shared object that belongs to one component. */
const sharePrefix = 'component.trellis.dev/';
export const shareLabel = ({ id }: Pick<ComponentIdentity, 'id'>) => `${sharePrefix}${id}`;

/** The ids of the components that an object is of. */
export const componentsOf = ({ metadata: { labels: has = {} } }: KubernetesObject): string[] => {
  const owner = has[labels.component] ?? has[labels.runOf];
  if (owner !== undefined) return [owner];
  return Object.keys(has).flatMap((name) =>
    name.startsWith(sharePrefix) ? name.slice(sharePrefix.length) : [],
  );
};

/** The label by which an object is found to be the one of a component, or of its application. */
export const ownerLabelOf = ({ metadata }: KubernetesObject) =>
  metadata.labels?.[labels.component] === undefined ? labels.application : labels.component;

/** The labels that say which components have an object. */
export const shareLabelsOf = ({ metadata: { labels: has = {} } }: KubernetesObject): Record<string, string> =>
  Object.fromEntries(Object.entries(has).filter(([name]) => name.startsWith(sharePrefix)));

export const annotations = {
  /** The desired state of the component: `running` or `closed`. */
  state: 'trellis.dev/state',
  /** A hash of the instance template, which distinguishes instances of the current version from others. */
  config: 'trellis.dev/config',
  /** The room that a quota had for an update when the workload was applied. */
  room: 'trellis.dev/room',
  /** The instances that the disruption budget of a workload keeps available. */
  available: 'trellis.dev/available',
  /** The last restart. */
  restarted: 'trellis.dev/restarted',
  /** A hash of the applied object, to find out whether it has to be applied again. */
  applied: 'trellis.dev/applied',
  /** The number of the last job that has written the object. A job with a lower one does not write over it. */
  job: 'trellis.dev/job',
  /** A part of a rule or component that the cluster cannot express. */
  notApplied: 'trellis.dev/not-applied',
  /** The volume that a snapshot is of. */
  volume: 'trellis.dev/volume',
  /** The domain of a route or a certificate. */
  domain: 'trellis.dev/domain',
} as const;

/** The labels of everything that the driver applies. */
export const managed = { [labels.managedBy]: 'trellis' };

export const isManaged = ({ metadata }: KubernetesObject): boolean =>
  metadata.labels?.[labels.managedBy] === managed[labels.managedBy];

/** The labels of what a team has in a region. */
export const teamLabels = (teamId: string): Record<string, string> => ({ ...managed, [labels.team]: teamId });

const ownerLabels = ({ teamId, namespaceId }: NamespaceOwner): Record<string, string> => ({
  [labels.team]: teamId,
  ...(namespaceId !== 0 && { [labels.application]: String(namespaceId) }),
});

/** The labels of objects in a namespace. */
export const namespaceLabels = (owner: NamespaceOwner): Record<string, string> => ({
  ...managed,
  ...ownerLabels(owner),
});

export const selectorOf = ({ id }: Pick<ComponentIdentity, 'id'>) => ({ [labels.component]: id });

export const labelsOf = (component: ComponentIdentity): Record<string, string> => ({
  ...managed,
  ...selectorOf(component),
  'app.kubernetes.io/name': component.clusterName,
  'app.kubernetes.io/instance': component.alias,
  'app.kubernetes.io/part-of': `application-${component.applicationId}`,
  ...ownerLabels(component),
});

/** Who applies objects, as the cluster notes it. */
export const fieldManager = 'trellis';
/** Who owns the number of instances between the driver and an autoscaler. */
export const autoscalingManager = 'trellis-autoscaling';

/** A value with the keys of its objects in order, so that the text of equal values is equal. */
export const ordered = (value: unknown): string =>
  JSON.stringify(value, (_, each) =>
    each && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );

/** The selector of objects that have these labels, as lists take it. */
const selectorTextOf = (values: Record<string, string>) =>
  Object.entries(values)
    .map((each) => each.join('='))
    .join();

export const managedSelector = selectorTextOf(managed);
export const teamSelector = (teamId: string) => selectorTextOf(teamLabels(teamId));
export const componentSelector = (component: Pick<ComponentIdentity, 'id'>) =>
  selectorTextOf(selectorOf(component));

export const isOfComponent = (object: KubernetesObject | undefined, id: string): object is KubernetesObject =>
  object?.metadata.labels?.[labels.component] === id;

export const withMetadata = (
  object: KubernetesObject,
  metadata: Partial<KubernetesObject['metadata']>,
): KubernetesObject => ({ ...object, metadata: { ...object.metadata, ...metadata } });

export const withAnnotations = (object: KubernetesObject, values: Record<string, string>): KubernetesObject =>
  withMetadata(object, { annotations: { ...object.metadata.annotations, ...values } });

export const keyOf = ({ kind, metadata: { name } }: KubernetesObject) => `${kind} ${name}`;
