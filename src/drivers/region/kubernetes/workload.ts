import { createHash } from 'node:crypto';
import type { DesiredComponent, DesiredVolume } from '../desired.ts';
import { annotations, type KubernetesObject, labelsOf, nameOf, selectorOf, slug } from './objects.ts';
import { imagePullSecretsOf } from './pull-secret.ts';

/** What the workload of a component depends on beside the component. */
export interface WorkloadSettings {
  storageClass: string | null;
  /** With a quota, an update replaces instances before it starts new ones, which would exceed it. */
  hasQuota: boolean;
  /** The restart that the instances have had last. */
  restarted: string | undefined;
}

/** The words of a command, as a shell without expansion reads them. */
export function wordsOf(command: string): string[] {
  const words = command.match(/(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+/gs) ?? [];
  return words.map((word) =>
    word.replace(/\\(.)|'([^']*)'|"((?:[^"\\]|\\.)*)"/gs, (_, escaped, single, double) => {
      return escaped ?? single ?? double.replace(/\\(["\\$`])/g, '$1');
    }),
  );
}

const isFile = ({ type }: DesiredVolume) => type === 'config-file';
const isMemory = ({ type }: DesiredVolume) => type === 'memoryfs';
const isData = (volume: DesiredVolume) => !isFile(volume) && !isMemory(volume);

const fileKey = (index: number) => `file-${index}`;
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

/** The variables by name, each once, so that their order makes no difference. */
const variablesOf = ({ variables }: DesiredComponent) =>
  [...variables].sort((one, other) => (one.name < other.name ? -1 : 1));

/** The variables and files of a component. */
export function configurationOf(component: DesiredComponent): KubernetesObject[] {
  const { volumes } = component;
  const values = (isSecret: boolean) => variablesOf(component).filter((each) => each.isSecret === isSecret);
  const files = volumes.filter(isFile);
  const metadata = (name: string) => ({ name: nameOf(component, name), labels: labelsOf(component) });
  const [plain, secret] = [values(false), values(true)];
  return [
    ...(plain.length
      ? [
          {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: metadata('env'),
            data: Object.fromEntries(plain.map(({ name, value }) => [name, value])),
          },
        ]
      : []),
    ...(secret.length
      ? [
          {
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: metadata('env'),
            // With `stringData`, a variable that is removed would stay.
            data: Object.fromEntries(
              secret.map(({ name, value }) => [name, Buffer.from(value).toString('base64')]),
            ),
          },
        ]
      : []),
    ...(files.length
      ? [
          {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: metadata('files'),
            data: Object.fromEntries(files.map(({ fileContent }, index) => [fileKey(index), fileContent])),
          },
        ]
      : []),
  ];
}

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

function podVolumes(component: DesiredComponent): { volumes: object[]; volumeMounts: object[] } {
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
      ...(files.length ? [{ name: 'config-files', configMap: { name: nameOf(component, 'files') } }] : []),
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

function template(component: DesiredComponent, restarted: string | undefined): object {
  const { image, command, ports, variables, volumes } = component;
  const configuration = JSON.stringify([variablesOf(component), volumes.filter(isFile)]);
  const { volumes: mounted, volumeMounts } = podVolumes(component);
  const envFrom = [
    ...(variables.some(({ isSecret }) => !isSecret)
      ? [{ configMapRef: { name: nameOf(component, 'env') } }]
      : []),
    ...(variables.some(({ isSecret }) => isSecret)
      ? [{ secretRef: { name: nameOf(component, 'env') } }]
      : []),
  ];
  return {
    metadata: {
      labels: labelsOf(component),
      annotations: {
        [annotations.config]: createHash('sha256').update(configuration).digest('hex').slice(0, 16),
        ...(restarted && { [annotations.restarted]: restarted }),
      },
    },
    spec: {
      automountServiceAccountToken: false,
      enableServiceLinks: false,
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
          securityContext: { allowPrivilegeEscalation: false },
          ...(volumeMounts.length && { volumeMounts }),
        },
      ],
      ...(mounted.length && { volumes: mounted }),
    },
  };
}

/** The Deployment of a stateless component, or the StatefulSet of another with its headless Service. */
export function workloadOf(component: DesiredComponent, settings: WorkloadSettings): KubernetesObject[] {
  const { extendMethod, state, volumes } = component;
  const replicas = state === 'closed' ? 0 : component.replicas;
  const data = volumes.filter(isData);
  const missing: Record<string, string> =
    component.gpuMemoryMiB > 0 ? { [annotations.notApplied]: 'gpuMemoryMiB' } : {};
  const metadata = {
    name: component.clusterName,
    labels: labelsOf(component),
    annotations: { [annotations.state]: state, ...missing },
  };
  const shared = {
    replicas,
    selector: { matchLabels: selectorOf(component) },
    template: template(component, settings.restarted),
  };
  if (extendMethod !== 'state') {
    const isExclusive = data.some((volume) => accessModeOf(volume) === 'ReadWriteOnce');
    const strategy = isExclusive
      ? { type: 'Recreate' }
      : {
          type: 'RollingUpdate',
          ...(settings.hasQuota && { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } }),
        };
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
