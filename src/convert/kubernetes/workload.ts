import { quotedWords } from '../../formats/command-words.ts';
import { amountOf } from '../../formats/quantities.ts';
import { unused } from '../names.ts';
import { mergedProtocol, type Protocol } from '../ports.ts';
import { shutdownOf } from '../shutdown.ts';
import { sizeOf, tellUnwritten } from '../sizes.ts';
import { templateOf } from './claim.ts';
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

/** The longest value of a variable, and the most variables and volumes of a workload that are looked at. */
const longestValue = 65_536;
const most = { variables: 5_000, volumes: 1_000 };

/** A variable with the values of those before it, as `$(NAME)` refers to them. It is secret if one of them is. */
function expanded(name: string, text: string, before: ReadonlyMap<string, Variables[number]>) {
  let isSecret = false;
  let length = text.length;
  const value = text.replace(/\$\$|\$\(([^)]+)\)/g, (written, other) => {
    if (written === '$$') return '$';
    const found = before.get(other);
    length += found?.value.length ?? 0;
    // Each can have the one before it many times.
    if (!found || length > longestValue) return written;
    isSecret ||= found.isSecret;
    return found.value;
  });
  return { name, value, isSecret };
}

function variablesOf(
  { env = [], envFrom = [] }: KubernetesObject,
  references: References,
  tell: TellOf,
): Variables {
  const variables = new Map<string, Variables[number]>();
  const add = (variable: Variables[number]) => variables.set(variable.name, variable);
  for (const { prefix = '', configMapRef, secretRef } of envFrom) {
    if (variables.size > most.variables) {
      tell(`the variables after the first ${most.variables}`);
      break;
    }
    const kind = secretRef ? 'Secret' : 'ConfigMap';
    const name: string = (secretRef ?? configMapRef)?.name ?? '';
    const data = references.data(kind, name);
    if (!data) tell(`the variables of the ${kind} ${name}, which is missing`);
    for (const [key, value] of Object.entries(data ?? {}))
      add({ name: prefix + key, value, isSecret: kind === 'Secret' });
  }
  for (const { name, value, valueFrom } of env) {
    const ref = valueFrom?.configMapKeyRef ?? valueFrom?.secretKeyRef;
    if (!valueFrom) add(expanded(name, String(value ?? ''), variables));
    else if (!ref) {
      const isOfPod = valueFrom.fieldRef ?? valueFrom.resourceFieldRef;
      tell(`the variable ${name}, whose value comes from ${isOfPod ? 'the pod' : 'nowhere'}`);
    } else {
      const kind = valueFrom.secretKeyRef ? 'Secret' : 'ConfigMap';
      const text = references.data(kind, ref.name)?.[ref.key];
      if (text === undefined) tell(`the variable ${name}: the ${kind} ${ref.name} has no ${ref.key}`);
      else add({ name, value: text, isSecret: kind === 'Secret' });
    }
  }
  return [...variables.values()];
}

const none = { fileContent: '', capacityGiB: null, accessMode: null, isShared: false };

function volumesOf(
  { volumes = [], volumeClaimTemplates = [] }: { volumes?: Part[]; volumeClaimTemplates?: Part[] },
  mounts: Part[],
  references: References,
  tell: TellOf,
): Volumes {
  const result: Volumes = [];
  const names = new Set<string>();
  const add = (volume: Volumes[number]) => {
    const name = unused(volume.name, names);
    names.add(name);
    result.push({ ...volume, name });
  };
  const claimed = new Set<string>();
  for (const { name, mountPath: path, subPath = '', subPathExpr } of mounts) {
    if (result.length > most.volumes) {
      tell(`the volumes after the first ${most.volumes}`, { grade: 'LOST' });
      break;
    }
    const volume = volumes.find((each) => each.name === name);
    const template = volumeClaimTemplates.find((each) => each.metadata.name === name);
    const claimName: string | undefined = volume?.persistentVolumeClaim?.claimName;
    if (subPathExpr) {
      tell(`the mount ${path}, whose folder has variables in its name`, { grade: 'LOST' });
    } else if (template || claimName) {
      const claim = template ?? references.claim(claimName!);
      const isMounted = claimed.has(name);
      if (isMounted && (claimed.has(`${name}/${subPath}`) || claimed.has(`${name}/`) || !subPath)) {
        tell(`the mount ${path}: a volume is mounted once`, { grade: 'LOST' });
        continue;
      }
      if (isMounted) tell(`that ${path} is in the volume ${name}: it has a volume of its own`);
      claimed.add(name).add(`${name}/${subPath}`);
      const [accessMode = 'ReadWriteOnce'] = claim?.spec?.accessModes ?? [];
      const own = isMounted ? `${name}-${subPath}` : name;
      const asked = amountOf(claim?.spec?.resources?.requests?.storage) / 2 ** 30;
      const capacityGiB = Math.max(1, Math.ceil(asked));
      add({ ...none, name: own, path, type: 'share-file', capacityGiB, accessMode });
      const of = { kind: 'PersistentVolumeClaim', name: claimName ?? name };
      if (claim) {
        tell('the data, because the new volume is empty', { ...of, grade: 'INFO' });
        if (asked !== capacityGiB) tell(`its size: it has ${capacityGiB} GiB`, { ...of, grade: 'INFO' });
      } else tell('its size, because the claim is missing: it has 1 GiB', of);
    } else if (volume?.configMap) {
      for (const file of filesOf(volume, { path, subPath }, references, tell)) add(file);
    } else if (volume?.emptyDir?.medium === 'Memory') {
      add({ ...none, name, path, type: 'memoryfs' });
    } else {
      const [type = 'unknown'] = Object.keys(volume ?? {}).filter((key) => key !== 'name');
      const isKept = !['emptyDir', 'ephemeral', 'secret', 'projected', 'downwardAPI'].includes(type);
      tell(`the volume ${name} at ${path} (${type})`, { grade: isKept ? 'LOST' : 'CHANGED' });
    }
  }
  return result;
}

/** The files of a ConfigMap that is mounted. */
function filesOf(
  { name, configMap }: Part,
  { path, subPath }: { path: string; subPath: string },
  references: References,
  tell: TellOf,
): Volumes {
  const data = references.data('ConfigMap', configMap.name);
  if (!data) {
    tell(`the files of the ConfigMap ${configMap.name}, which is missing`);
    return [];
  }
  const items: { key: string; path: string }[] =
    configMap.items ?? Object.keys(data).map((key) => ({ key, path: key }));
  const mounted = subPath ? items.filter((item) => item.path === subPath) : items;
  if (mounted.length === 0 && subPath)
    tell(`the file ${path}: the ConfigMap ${configMap.name} has no ${subPath}`);
  return mounted.flatMap(({ key, path: file }) => {
    const fileContent = data[key];
    if (fileContent === undefined) {
      tell(`the file ${file} at ${path}: the ConfigMap ${configMap.name} has no ${key}`);
      return [];
    }
    const at = subPath ? path : `${path.replace(/\/$/, '')}/${file}`;
    return [{ ...none, name: `${name}-${file}`, path: at, type: 'config-file' as const, fileContent }];
  });
}

/** Only where the pod says that its image runs as another user does it run without root: the user itself is left out. */
function needsRoot(pod: Part = {}, container: Part = {}): boolean {
  const { runAsNonRoot, runAsUser } = { ...pod, ...container };
  return runAsNonRoot !== true || runAsUser !== undefined;
}

/** The pause that a container makes itself. Undefined if it makes none. */
function pauseOf({ lifecycle }: Part, tell: TellOf): number | undefined {
  const { sleep, exec, ...others } = lifecycle?.preStop ?? {};
  const command: string[] = exec?.command ?? [];
  const [, seconds] =
    /^(?:(?:\/bin\/)?(?:ba|a)?sh -c )?(?:\/bin\/)?sleep (\d+)$/.exec(command.join(' ')) ?? [];
  if (sleep || seconds) return Number(sleep?.seconds ?? seconds);
  if (exec || Object.keys(others).length > 0) tell('what the container does before its end');
  return undefined;
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
    if (protocol === 'SCTP') {
      tell(`the port ${number} of SCTP`, { grade: 'LOST' });
      continue;
    }
    const spoken = protocol === 'UDP' ? 'udp' : /^http/.test(name ?? '') ? 'http' : 'tcp';
    const before = found.get(number) ?? spoken;
    found.set(
      number,
      mergedProtocol(before, spoken, (reason) => tell(`the port ${number}: ${reason}`)),
    );
  }
  return [...found].map(([number, protocol]) => ({ number, protocol, isInner: false, additionalName: null }));
}

/** The pods of a workload as a component, without what reaches it. */
export function componentOf(
  workload: KubernetesObject,
  references: References,
  tellPart: (part: OmittedPart) => void,
): FoundComponent {
  const { kind, metadata, spec } = workload;
  const tell: TellOf = (what, more) => tellPart({ kind, name: metadata.name, what, ...more });
  const template = templateOf(workload);
  const pod = template.spec;
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
    ...shutdownOf(
      pod.terminationGracePeriodSeconds ?? 30,
      (reason) => tell(reason, { grade: 'INFO' }),
      pauseOf(main, tell),
    ),
    extendMethod: kind === 'StatefulSet' ? 'state' : 'stateless',
    placement: placementOf(pod, template.metadata?.labels ?? {}, tell),
    autoscaling: null,
    schedules: [],
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
