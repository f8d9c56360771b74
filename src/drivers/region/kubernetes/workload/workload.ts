import { createHash } from 'node:crypto';
import { wordsOf } from '../../../../formats/command-words.ts';
import type { DesiredComponent, DesiredVolume } from '../../desired.ts';
import {
  claimNameOf,
  filesVolumeName,
  headlessName,
  podVolumeName,
  sharedClaimName,
} from '../../object-names.ts';
import {
  annotations,
  type KubernetesObject,
  labels,
  labelsOf,
  ordered,
  selectorOf,
  shareLabel,
  teamLabels,
} from '../objects/objects.ts';
import { transportsOf } from '../objects/transports.ts';
import { isScaledByLoad } from './autoscaling.ts';
import { gracePeriodOf, preStopOf, probesOf } from './checks.ts';
import { type Configuration, configurationOf, fileKey, isFile } from './configuration.ts';
import { availableOf, nodesOf } from './placement.ts';
import { securityOf } from './pod-security.ts';
import { imagePullSecretsOf } from './pull-secret.ts';

/** The inputs of a workload other than its component. */
export interface WorkloadSettings {
  storageClass: string | null;
  sharedStorageClass: string | null;
  /** For how many instances more than there are to be a quota has room. Undefined without a quota. */
  room: number | undefined;
  /** How long an instance has to be ready before it counts, in seconds. */
  minReadySeconds: number;
  /** Whether the account of the region may make disruption budgets. */
  hasBudgets: boolean;
  /** Whether the cluster itself can pause before it ends an instance. */
  hasSleep: boolean;
  /** The restart that the instances have had last. */
  restarted: string | undefined;
}

const isMemory = ({ type }: DesiredVolume) => type === 'memoryfs';
/** Whether a volume has data that outlives an instance. */
export const isData = (volume: DesiredVolume) => !isFile(volume) && !isMemory(volume);

const accessModes: Record<string, string> = {
  rwx: 'ReadWriteMany',
  rwo: 'ReadWriteOnce',
  rox: 'ReadOnlyMany',
};
export const accessModeOf = ({ accessMode, isShared }: Pick<DesiredVolume, 'accessMode' | 'isShared'>) =>
  isShared ? 'ReadWriteMany' : ownAccessModeOf(accessMode);

const ownAccessModeOf = (accessMode: string | null) =>
  accessModes[accessMode?.toLowerCase() ?? ''] ??
  Object.values(accessModes).find((mode) => mode === accessMode) ??
  'ReadWriteOnce';

/** The claim of a volume. One without a capacity gets 1 GiB, because a claim needs one. */
export const claimSpec = (
  volume: Pick<DesiredVolume, 'accessMode' | 'capacityGiB' | 'isShared'>,
  storageClass: string | null,
) => ({
  accessModes: [accessModeOf(volume)],
  resources: { requests: { storage: `${volume.capacityGiB || 1}Gi` } },
  ...(storageClass && { storageClassName: storageClass }),
});

/** Whether a claim of a component is of a volume: with state, each instance has one. */
export function claimsNamed(
  component: Pick<DesiredComponent, 'clusterName' | 'extendMethod'>,
  name: string,
): (claim: string) => boolean {
  const claimName = claimNameOf(component, { name });
  return (claim) =>
    claim === claimName || (claimName.endsWith('#') && claim.replace(/\d+$/, '#') === claimName);
}

/** Whether the instances of a component have one claim for a volume. With state, each has its own, unless components share it. */
const hasOneClaim = ({ extendMethod }: DesiredComponent, volume: DesiredVolume) =>
  isData(volume) && (volume.isShared === true || extendMethod !== 'state');

const oneClaimName = (component: DesiredComponent, volume: DesiredVolume) =>
  volume.isShared ? sharedClaimName(component.applicationId, volume) : claimNameOf(component, volume);

/** The labels of a claim that belongs to an application, with the component that has it. */
const sharedLabelsOf = (component: DesiredComponent) => ({
  ...teamLabels(component.teamId),
  [labels.application]: String(component.applicationId),
  [shareLabel(component)]: '',
});

/** The claims of a component that all of its instances have. */
export const claimsOf = (
  component: DesiredComponent,
  { storageClass, sharedStorageClass }: Pick<WorkloadSettings, 'storageClass' | 'sharedStorageClass'>,
): KubernetesObject[] =>
  component.volumes
    .filter((volume) => hasOneClaim(component, volume))
    .map((volume) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        name: oneClaimName(component, volume),
        labels: volume.isShared ? sharedLabelsOf(component) : labelsOf(component),
      },
      spec: claimSpec(volume, volume.isShared ? sharedStorageClass : storageClass),
    }));

function podVolumes(
  component: DesiredComponent,
  configuration: Configuration,
): { volumes: object[]; volumeMounts: object[] } {
  const { volumes } = component;
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
        ? [{ name: filesVolumeName, configMap: { name: configuration.files.metadata.name } }]
        : []),
      ...memory.map((volume) => ({ name: podVolumeName(volume), emptyDir: sized(volume) })),
      ...data
        .filter((volume) => hasOneClaim(component, volume))
        .map((volume) => ({
          name: podVolumeName(volume),
          persistentVolumeClaim: { claimName: oneClaimName(component, volume) },
        })),
    ],
    volumeMounts: [
      ...files.map(({ path }, index) => ({
        name: filesVolumeName,
        mountPath: path,
        subPath: fileKey(index),
        readOnly: true,
      })),
      ...[...memory, ...data].map((volume) => ({ name: podVolumeName(volume), mountPath: volume.path })),
    ],
  };
}

function amounts({ cpuMillicores, memoryMiB, cpuLimitMillicores, memoryLimitMiB }: DesiredComponent) {
  const limits = {
    ...(cpuLimitMillicores !== null && { cpu: `${cpuLimitMillicores}m` }),
    ...(memoryLimitMiB !== null && { memory: `${memoryLimitMiB}Mi` }),
  };
  return {
    requests: { cpu: `${cpuMillicores}m`, memory: `${memoryMiB}Mi` },
    ...(Object.keys(limits).length > 0 && { limits }),
  };
}

/** The pods of a component, by which those of its runs are made. */
export function podTemplateOf(
  component: DesiredComponent,
  { restarted, hasSleep }: Pick<WorkloadSettings, 'restarted' | 'hasSleep'>,
): { metadata: { labels: object; annotations: object }; spec: KubernetesObject['spec'] } {
  const { image, entrypoint, command, ports } = component;
  const configuration = configurationOf(component);
  const { plain, secret } = configuration;
  const { volumes: mounted, volumeMounts } = podVolumes(component, configuration);
  const envFrom = [
    ...(plain ? [{ configMapRef: { name: plain.metadata.name } }] : []),
    ...(secret ? [{ secretRef: { name: secret.metadata.name } }] : []),
  ];
  const security = securityOf(component, component.volumes.some(isData));
  const spec = {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: gracePeriodOf(component),
    securityContext: security.pod,
    ...imagePullSecretsOf(component),
    ...nodesOf(component),
    containers: [
      {
        name: 'main',
        image,
        ...(component.pullsAlways && { imagePullPolicy: 'Always' }),
        ...(entrypoint?.trim() && { command: wordsOf(entrypoint) }),
        ...(command?.trim() && { args: wordsOf(command) }),
        ...(ports.length && {
          ports: ports.flatMap((port) =>
            transportsOf(port).map((protocol) => ({ containerPort: port.number, protocol })),
          ),
        }),
        ...(envFrom.length && { envFrom }),
        resources: amounts(component),
        ...probesOf(component),
        ...preStopOf(component, hasSleep),
        securityContext: security.container,
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
  const available = availableOf(component);
  const hasBudget = available !== undefined && settings.hasBudgets;
  const notApplied = [
    ...(component.gpuMemoryMiB > 0 ? ['gpuMemoryMiB'] : []),
    ...(available !== undefined && !hasBudget ? ['minAvailable'] : []),
  ];
  const notes: Record<string, string> = {
    ...(notApplied.length > 0 && { [annotations.notApplied]: notApplied.join(',') }),
    // A workload of before there were budgets differs by it, so that the missing budget is no drift.
    ...(hasBudget && { [annotations.available]: String(available) }),
    ...(room !== undefined && { [annotations.room]: String(room) }),
  };
  const metadata = {
    name: component.clusterName,
    labels: labelsOf(component),
    annotations: { [annotations.state]: state, ...notes },
  };
  const shared = {
    // Left to the autoscaler: see `handOverReplicas`.
    ...(!isScaledByLoad(component) && { replicas }),
    minReadySeconds,
    selector: { matchLabels: selectorOf(component) },
    template: podTemplateOf(component, settings),
  };
  if (extendMethod !== 'state') {
    const strategy = strategyOf(data, component.autoscaling?.maxReplicas ?? component.replicas, room);
    return [{ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { ...shared, strategy } }];
  }
  const headless = headlessName(component);
  const ownData = data.filter(({ isShared }) => !isShared);
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
        ...(ownData.length && {
          volumeClaimTemplates: ownData.map((volume) => ({
            metadata: { name: podVolumeName(volume), labels: labelsOf(component) },
            spec: claimSpec(volume, settings.storageClass),
          })),
        }),
      },
    },
  ];
}
