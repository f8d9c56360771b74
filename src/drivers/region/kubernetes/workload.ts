import { createHash } from 'node:crypto';
import type { DesiredComponent, DesiredVolume } from '../desired.ts';
import { wordsOf } from '../words.ts';
import { gracePeriodOf, preStopOf, probesOf } from './checks.ts';
import { type Configuration, configurationOf, fileKey, isFile } from './configuration.ts';
import {
  annotations,
  type KubernetesObject,
  labelsOf,
  nameOf,
  ordered,
  selectorOf,
  slug,
} from './objects.ts';
import { imagePullSecretsOf } from './pull-secret.ts';

/** The inputs of a workload other than its component. */
export interface WorkloadSettings {
  storageClass: string | null;
  /** For how many instances more than there are to be a quota has room. Undefined without a quota. */
  room: number | undefined;
  /** How long an instance has to be ready before it counts, in seconds. */
  minReadySeconds: number;
  /** Whether the cluster itself can pause before it ends an instance. */
  hasSleep: boolean;
  /** The restart that the instances have had last. */
  restarted: string | undefined;
}

const isMemory = ({ type }: DesiredVolume) => type === 'memoryfs';
const isData = (volume: DesiredVolume) => !isFile(volume) && !isMemory(volume);

const volumeName = ({ name }: DesiredVolume) => slug(name, 50);

const accessModes: Record<string, string> = {
  rwx: 'ReadWriteMany',
  rwo: 'ReadWriteOnce',
  rox: 'ReadOnlyMany',
};
const accessModeOf = ({ accessMode }: DesiredVolume) =>
  accessModes[accessMode?.toLowerCase() ?? ''] ??
  Object.values(accessModes).find((mode) => mode === accessMode) ??
  'ReadWriteOnce';

/** The claim of a volume. One without a capacity gets 1 GiB, because a claim needs one. */
const claimSpec = (volume: DesiredVolume, storageClass: string | null) => ({
  accessModes: [accessModeOf(volume)],
  resources: { requests: { storage: `${volume.capacityGiB || 1}Gi` } },
  ...(storageClass && { storageClassName: storageClass }),
});

/** The claims of a stateless component, which its instances share. */
export const claimsOf = (component: DesiredComponent, storageClass: string | null): KubernetesObject[] =>
  component.extendMethod === 'state'
    ? []
    : component.volumes.filter(isData).map((volume) => ({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: nameOf(component, volumeName(volume)), labels: labelsOf(component) },
        spec: claimSpec(volume, storageClass),
      }));

function podVolumes(
  component: DesiredComponent,
  configuration: Configuration,
): { volumes: object[]; volumeMounts: object[] } {
  const { volumes, extendMethod } = component;
  const files = volumes.filter(isFile);
  const memory = volumes.filter(isMemory);
  const data = volumes.filter(isData);
  const sized = (volume: DesiredVolume) => ({
    medium: 'Memory',
    ...(volume.capacityGiB && { sizeLimit: `${volume.capacityGiB}Gi` }),
  });
  return {
    volumes: [
      ...(configuration.files
        ? [{ name: 'config-files', configMap: { name: configuration.files.metadata.name } }]
        : []),
      ...memory.map((volume) => ({ name: volumeName(volume), emptyDir: sized(volume) })),
      ...(extendMethod === 'state' ? [] : data).map((volume) => ({
        name: volumeName(volume),
        persistentVolumeClaim: { claimName: nameOf(component, volumeName(volume)) },
      })),
    ],
    volumeMounts: [
      ...files.map(({ path }, index) => ({
        name: 'config-files',
        mountPath: path,
        subPath: fileKey(index),
        readOnly: true,
      })),
      ...[...memory, ...data].map((volume) => ({ name: volumeName(volume), mountPath: volume.path })),
    ],
  };
}

const amounts = ({ cpuMillicores, memoryMiB }: DesiredComponent) => ({
  requests: { cpu: `${cpuMillicores}m`, memory: `${memoryMiB}Mi` },
  ...((cpuMillicores > 0 || memoryMiB > 0) && {
    limits: {
      ...(cpuMillicores > 0 && { cpu: `${cpuMillicores}m` }),
      ...(memoryMiB > 0 && { memory: `${memoryMiB}Mi` }),
    },
  }),
});

function template(
  component: DesiredComponent,
  { restarted, hasSleep }: Pick<WorkloadSettings, 'restarted' | 'hasSleep'>,
): object {
  const { image, command, ports } = component;
  const configuration = configurationOf(component);
  const { plain, secret } = configuration;
  const { volumes: mounted, volumeMounts } = podVolumes(component, configuration);
  const envFrom = [
    ...(plain ? [{ configMapRef: { name: plain.metadata.name } }] : []),
    ...(secret ? [{ secretRef: { name: secret.metadata.name } }] : []),
  ];
  const spec = {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: gracePeriodOf(component),
    securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
    ...imagePullSecretsOf(component),
    containers: [
      {
        name: 'main',
        image,
        ...(command?.trim() && { args: wordsOf(command) }),
        ...(ports.length && {
          ports: ports.map(({ number, protocol }) => ({
            containerPort: number,
            protocol: protocol === 'udp' ? 'UDP' : 'TCP',
          })),
        }),
        ...(envFrom.length && { envFrom }),
        resources: amounts(component),
        ...probesOf(component),
        ...preStopOf(component, hasSleep),
        securityContext: { allowPrivilegeEscalation: false },
        ...(volumeMounts.length && { volumeMounts }),
      },
    ],
    ...(mounted.length && { volumes: mounted }),
  };
  return {
    metadata: {
      labels: labelsOf(component),
      annotations: {
        [annotations.config]: createHash('sha256').update(ordered(spec)).digest('hex').slice(0, 16),
        ...(restarted && { [annotations.restarted]: restarted }),
      },
    },
    spec,
  };
}

/** New instances start before old ones end, as far as volumes and quotas allow it. */
function strategyOf(
  data: readonly DesiredVolume[],
  replicas: number,
  room = Number.POSITIVE_INFINITY,
): object {
  if (data.some((volume) => accessModeOf(volume) === 'ReadWriteOnce')) return { type: 'Recreate' };
  const quarter = Math.max(1, Math.ceil(replicas / 4));
  const maxSurge = Math.min(quarter, room);
  const rollingUpdate = { maxSurge, maxUnavailable: maxSurge === 0 ? quarter : 0 };
  return { type: 'RollingUpdate', rollingUpdate };
}

/** The Deployment of a stateless component, or the StatefulSet of another with its headless Service. */
export function workloadOf(component: DesiredComponent, settings: WorkloadSettings): KubernetesObject[] {
  const { extendMethod, state, volumes } = component;
  const replicas = state === 'closed' ? 0 : component.replicas;
  const data = volumes.filter(isData);
  const { room, minReadySeconds } = settings;
  const notes: Record<string, string> = {
    ...(component.gpuMemoryMiB > 0 && { [annotations.notApplied]: 'gpuMemoryMiB' }),
    ...(room !== undefined && { [annotations.room]: String(room) }),
  };
  const metadata = {
    name: component.clusterName,
    labels: labelsOf(component),
    annotations: { [annotations.state]: state, ...notes },
  };
  const shared = {
    replicas,
    minReadySeconds,
    selector: { matchLabels: selectorOf(component) },
    template: template(component, settings),
  };
  if (extendMethod !== 'state') {
    const strategy = strategyOf(data, component.replicas, room);
    return [{ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { ...shared, strategy } }];
  }
  const headless = nameOf(component, 'headless');
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: headless, labels: labelsOf(component) },
      spec: { clusterIP: 'None', publishNotReadyAddresses: true, selector: selectorOf(component) },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata,
      spec: {
        ...shared,
        serviceName: headless,
        ...(data.length && {
          volumeClaimTemplates: data.map((volume) => ({
            metadata: { name: volumeName(volume), labels: labelsOf(component) },
            spec: claimSpec(volume, settings.storageClass),
          })),
        }),
      },
    },
  ];
}
