import { quotedWords } from '../../formats/command-words.ts';
import { amountOf } from '../../formats/quantities.ts';
import { mergedProtocol, type Protocol } from '../ports.ts';
import { shutdownOf } from '../shutdown.ts';
import { sizeOf, tellUnwritten } from '../sizes.ts';
import type { FoundComponent, KubernetesObject, OmittedPart, TellOf } from './model.ts';
import { probesOf } from './probes.ts';
import { placementOf } from './scale.ts';

/** The objects that workloads refer to. */
export interface References {
  /** The texts of a ConfigMap or a Secret; undefined if there is none. */
  data(kind: 'ConfigMap' | 'Secret', name: string): Record<string, string> | undefined;
  claim(name: string): KubernetesObject | undefined;
}

type Variables = FoundComponent['variables'];
type Part = KubernetesObject['spec'];
type Volumes = FoundComponent['volumes'];

/** A value with the variables before it, as `$(NAME)` refers to them. */
const expanded = (value: string, before: ReadonlyMap<string, string>) =>
  value.replace(/\$\$|\$\(([^)]+)\)/g, (text, name) => (text === '$$' ? '$' : (before.get(name) ?? text)));

function variablesOf(
  { env = [], envFrom = [] }: KubernetesObject,
  references: References,
  tell: TellOf,
): Variables {
  const variables = new Map<string, Variables[number]>();
  const values = new Map<string, string>();
  const add = (name: string, value: string, isSecret: boolean) => {
    variables.set(name, { name, value, isSecret });
    values.set(name, value);
  };
  for (const { prefix = '', configMapRef, secretRef } of envFrom) {
    const kind = secretRef ? 'Secret' : 'ConfigMap';
    const name: string = (secretRef ?? configMapRef)?.name ?? '';
    const data = references.data(kind, name);
    if (!data) tell(`the variables of the ${kind} ${name}, which is missing`);
    for (const [key, value] of Object.entries(data ?? {})) add(prefix + key, value, kind === 'Secret');
  }
  for (const { name, value, valueFrom } of env) {
    const ref = valueFrom?.configMapKeyRef ?? valueFrom?.secretKeyRef;
    if (!valueFrom) add(name, expanded(String(value ?? ''), values), false);
    else if (!ref) tell(`the variable ${name}, whose value comes from the pod`);
    else {
      const kind = valueFrom.secretKeyRef ? 'Secret' : 'ConfigMap';
      const text = references.data(kind, ref.name)?.[ref.key];
      if (text === undefined) tell(`the variable ${name}: the ${kind} ${ref.name} has no ${ref.key}`);
      else add(name, text, kind === 'Secret');
    }
  }
  return [...variables.values()];
}

const gibOf = (claim: KubernetesObject | undefined) =>
  Math.max(1, Math.ceil(amountOf(claim?.spec?.resources?.requests?.storage) / 2 ** 30));

const none = { fileContent: '', capacityGiB: null, accessMode: null };

function volumesOf(
  { volumes = [], volumeClaimTemplates = [] }: { volumes?: Part[]; volumeClaimTemplates?: Part[] },
  mounts: Part[],
  references: References,
  tell: TellOf,
): Volumes {
  const result: Volumes = [];
  const claimed = new Set<string>();
  for (const { name, mountPath: path, subPath } of mounts) {
    const volume = volumes.find((each) => each.name === name);
    const template = volumeClaimTemplates.find((each) => each.metadata.name === name);
    const claimName: string | undefined = volume?.persistentVolumeClaim?.claimName;
    if (template || claimName) {
      const claim = template ?? references.claim(claimName!);
      if (subPath || claimed.has(name)) {
        tell(`the mount ${path}: a volume is mounted once and as a whole`, { grade: 'LOST' });
        continue;
      }
      claimed.add(name);
      const [accessMode = 'ReadWriteOnce'] = claim?.spec?.accessModes ?? [];
      result.push({ ...none, name, path, type: 'share-file', capacityGiB: gibOf(claim), accessMode });
      const of = { kind: 'PersistentVolumeClaim', name: claimName ?? name };
      tell('the data, because the new volume is empty', { ...of, grade: 'INFO' });
    } else if (volume?.configMap) {
      const data = references.data('ConfigMap', volume.configMap.name);
      if (!data) tell(`the files of the ConfigMap ${volume.configMap.name}, which is missing`);
      const paths = volume.configMap.items?.map((item: Part) => [item.key, item.path]);
      for (const [key, file] of paths ?? Object.keys(data ?? {}).map((each) => [each, each])) {
        if (data?.[key] === undefined || (subPath && subPath !== file)) continue;
        const at = subPath ? path : `${path.replace(/\/$/, '')}/${file}`;
        result.push({
          ...none,
          name: `${name}-${file}`,
          path: at,
          type: 'config-file',
          fileContent: data[key],
        });
      }
    } else if (volume?.emptyDir?.medium === 'Memory') {
      result.push({ ...none, name, path, type: 'memoryfs' });
    } else {
      const [type = 'unknown'] = Object.keys(volume ?? {}).filter((key) => key !== 'name');
      const isKept = !['emptyDir', 'secret', 'projected', 'downwardAPI'].includes(type);
      tell(`the volume ${name} at ${path} (${type})`, { grade: isKept ? 'LOST' : 'CHANGED' });
    }
  }
  return result;
}

/** Only where the pod says that its image runs as another user does it run without root: the user itself is left out. */
function needsRoot(pod: Part = {}, container: Part = {}): boolean {
  const { runAsNonRoot, runAsUser } = { ...pod, ...container };
  return runAsNonRoot !== true || runAsUser !== undefined;
}

function sizesOf({ resources: { requests = {}, limits = {} } = {} }: Part, tell: TellOf) {
  const given = (name: 'cpu' | 'memory', perUnit: number) => {
    const amount = (of: Part) =>
      of[name] === undefined ? undefined : Math.ceil(amountOf(of[name]) * perUnit);
    // A limit of 0 is none.
    return { request: amount(requests), limit: amount(limits) || undefined };
  };
  const sizes = { cpuMillicores: given('cpu', 1_000), memoryMiB: given('memory', 2 ** -20) };
  tellUnwritten(sizes, (reason) => tell(reason, { grade: 'INFO' }));
  const [cpu, memory] = [sizeOf('cpuMillicores', sizes.cpuMillicores), sizeOf('memoryMiB', sizes.memoryMiB)];
  return {
    ...{ cpuMillicores: cpu.request, memoryMiB: memory.request },
    ...{ cpuLimitMillicores: cpu.limit, memoryLimitMiB: memory.limit },
  };
}

/** The ports of a container, each number once. */
function portsOf({ ports = [] }: Part, tell: TellOf): FoundComponent['ports'] {
  const found = new Map<number, Protocol>();
  for (const { containerPort: number, protocol, name } of ports as Part[]) {
    const spoken = protocol === 'UDP' ? 'udp' : /^http/.test(name ?? '') ? 'http' : 'tcp';
    const before = found.get(number) ?? spoken;
    found.set(
      number,
      mergedProtocol(before, spoken, (reason) => tell(`the port ${number}: ${reason}`)),
    );
  }
  return [...found].map(([number, protocol]) => ({ number, protocol, isInner: false, additionalName: null }));
}

/** A Deployment or StatefulSet as a component, without what reaches it. */
export function componentOf(
  workload: KubernetesObject,
  references: References,
  tellPart: (part: OmittedPart) => void,
): FoundComponent {
  const { kind, metadata, spec } = workload;
  const tell: TellOf = (what, more) => tellPart({ kind, name: metadata.name, what, ...more });
  const pod = spec.template.spec;
  const [main, ...others] = pod.containers;
  for (const { name } of others) tell(`the container ${name}, because a component has one`);
  return {
    name: metadata.name,
    image: main.image,
    entrypoint: main.command?.length ? quotedWords(main.command) : null,
    command: main.args?.length ? quotedWords(main.args) : null,
    replicas: spec.replicas ?? 1,
    ...sizesOf(main, tell),
    probes: probesOf(main, tell),
    ...shutdownOf(pod.terminationGracePeriodSeconds ?? 30, (reason) => tell(reason, { grade: 'INFO' })),
    extendMethod: kind === 'StatefulSet' ? 'state' : 'stateless',
    placement: placementOf(pod, spec.template.metadata?.labels ?? {}, tell),
    autoscaling: null,
    needsRoot: needsRoot(pod.securityContext, main.securityContext),
    serviceName: null,
    variables: variablesOf(main, references, tell),
    volumes: volumesOf(
      { volumes: pod.volumes, volumeClaimTemplates: spec.volumeClaimTemplates },
      main.volumeMounts ?? [],
      references,
      tell,
    ),
    ports: portsOf(main, tell),
    httpRules: [],
  };
}
