import type { Note } from '../claims.ts';
import { limitOf, resources, sizeEntry } from '../sizes.ts';
import { InputError, readTyped } from '../yaml.ts';
import { templateOf } from './claim.ts';
import type { FoundComponent, KubernetesObject, OmittedPart } from './model.ts';
import { foundIn, importedKinds, isWorkload } from './namespace.ts';

type Tell = (part: OmittedPart) => void;
type TellOne = (what: string, grade?: OmittedPart['grade']) => void;
type Fields = Record<string, unknown>;
interface Route {
  component: string;
  port: number;
  domain: string;
  path: string;
  domainHeader?: string;
  weight?: number;
}

interface Converted {
  manifest: { application: string; components: Record<string, Fields>; routes?: Route[] };
  notes: Note[];
  /** The number of objects that were read. */
  count: number;
}

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields that are lists wherever they occur in what is read of an object. */
const lists =
  /^(containers|initContainers|env|envFrom|ports|volumes|volumeMounts|volumeClaimTemplates|args|command|tolerations|topologySpreadConstraints|paths|rules|hostnames|matches|headers|backendRefs|metrics|accessModes)$/;
/** The fields whose keys are names. */
const maps = /^(data|stringData|binaryData|metadata|matchLabels|selector|nodeSelector|annotations)$/;

/** Fails for what no cluster would accept: a text instead of a list, for instance. */
function requireForm(value: unknown, name: string): void {
  if (Array.isArray(value)) for (const item of value) requireForm(item, name);
  if (!isRecord(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    if (lists.test(key) && !Array.isArray(inner)) throw new InputError(`${name} has no list in ${key}.`);
    if (maps.test(key) && !isRecord(inner)) throw new InputError(`${name} has no map in ${key}.`);
    if (!maps.test(key) || key === 'metadata') requireForm(inner, name);
  }
}

/** The objects of documents, those of lists too. */
function objectsIn(document: unknown, source: string): KubernetesObject[] {
  if (document === null || document === undefined) return [];
  if (!isRecord(document) || typeof document.kind !== 'string')
    throw new InputError(`${source} has a document that is no object of Kubernetes: it has no kind.`);
  if (document.kind.endsWith('List') && Array.isArray(document.items))
    return document.items.flatMap((item) => objectsIn(item, source));
  const { name, generateName } = isRecord(document.metadata) ? document.metadata : {};
  const called = typeof name === 'string' ? name : generateName;
  if (typeof called !== 'string') throw new InputError(`${source} has a ${document.kind} without a name.`);
  const object = { ...document, metadata: { ...(document.metadata as Fields), name: called } };
  const whole = object as unknown as KubernetesObject;
  const { kind } = whole;
  if (importedKinds.some((each) => each === kind) && kind !== 'DaemonSet' && kind !== 'Job') {
    requireForm(whole, `${kind} ${called}`);
    const { containers } = templateOf(whole)?.spec ?? {};
    if (!isRecord(whole.spec) || (isWorkload(whole) && !isRecord(containers?.[0])))
      throw new InputError(`${kind} ${called} has no ${isWorkload(whole) ? 'container' : 'spec'}.`);
  }
  return [whole];
}

/** Converts rendered manifests. Everything that is not taken over as it is has a note. */
export function convertKubernetes({
  sources,
  application,
}: {
  sources: readonly { name: string; text: string }[];
  application: string;
}): Converted {
  const parts: OmittedPart[] = [];
  const tell: Tell = (part) => void parts.push(part);
  const tellOf =
    ({ kind, metadata: { name } }: KubernetesObject): TellOne =>
    (what, grade) =>
      tell({ kind, name, what, ...(grade && { grade }) });
  const all = new Map<string, KubernetesObject>();
  let count = 0;
  for (const { name, text } of sources) {
    for (const object of readTyped(text, name).flatMap((document) => objectsIn(document, name))) {
      count += 1;
      const key = `${object.kind} ${object.metadata.name}`;
      if (all.has(key)) tellOf(object)(`the ${object.kind}, because another has its name`, 'LOST');
      else all.set(key, object);
    }
  }
  const objects = [...all.values()];
  const used = new Set<KubernetesObject>();
  const referred = /^(ConfigMap|Secret|PersistentVolumeClaim)$/;
  const found = foundIn(
    objects.filter(({ kind }) => !referred.test(kind)),
    (kind, name) => {
      const object = all.get(`${kind} ${name}`);
      if (object) used.add(object);
      return object;
    },
  );
  for (const object of objects)
    if (referred.test(object.kind) && !used.has(object))
      tellOf(object)(`the ${object.kind}, which no component uses`, 'INFO');
  const components: Record<string, Fields> = Object.create(null);
  const routes: Route[] = [];
  for (const component of found.components) {
    const { name } = component;
    const tellOne: TellOne = (what, grade) =>
      tell({ kind: 'Component', name, what, ...(grade && { grade }) });
    const own = routesOf(component, tellOne);
    const entry = entryOf(component, new Set(own.map(({ port }) => port)), tellOne);
    if (!entry) continue;
    components[name] = entry;
    routes.push(...own);
  }
  const notes = [...found.omitted, ...parts].map(({ kind, name, what, grade = 'CHANGED' }) => ({
    ...{ grade, subject: name, key: kind, reason: what },
  }));
  return { manifest: { application, components, ...(routes.length > 0 && { routes }) }, notes, count };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: texts that are stored have none
const isText = (text: string) => text.length <= 65_536 && !/[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd]/.test(text);

/** The items that a component can have. What has the key of another is left out. */
function byKey<T>(items: readonly T[], keysOf: (item: T) => string[], omit: (item: T) => void): T[] {
  const keys = new Set<string>();
  return items.filter((item) => {
    const own = keysOf(item);
    const isKept = own.length > 0 && !own.some((key) => keys.has(key));
    if (!isKept) omit(item);
    for (const key of own) keys.add(key);
    return isKept;
  });
}

function routesOf({ name, httpRules }: FoundComponent, tell: TellOne): Route[] {
  const isRoute = ({ domain, path, header }: FoundComponent['httpRules'][number]) =>
    /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(domain) &&
    /^\/(?:[-A-Za-z0-9/._~!&()*+,=:@]|%[0-9A-Fa-f]{2})*$/.test(path) &&
    header.length <= 2_048;
  const kept = byKey(
    httpRules,
    (rule) => (isRoute(rule) ? [`${rule.domain.toLowerCase()} ${rule.path} ${rule.portNumber}`] : []),
    ({ domain, path }) => tell(`the route for ${domain}${path}`, 'LOST'),
  );
  return kept.map(({ portNumber, domain, path, header, weight }) => ({
    ...{ component: name, port: portNumber, domain: domain.toLowerCase(), path },
    ...(header && { domainHeader: header }),
    ...(weight !== 100 && { weight }),
  }));
}

/** A component as the manifest has it. Undefined if no component can be like it. */
function entryOf(component: FoundComponent, outer: ReadonlySet<number>, tell: TellOne): Fields | undefined {
  const { image, entrypoint, command, replicas, placement } = component;
  const { preStopSeconds, terminationGracePeriodSeconds } = component;
  if (typeof image !== 'string' || image === '') {
    tell('the workload, because its container has no image', 'LOST');
    return undefined;
  }
  const variables = byKey(
    component.variables,
    ({ name, value }) => (/^[A-Za-z_][-._A-Za-z0-9]{0,254}$/.test(name) && isText(value) ? [name] : []),
    ({ name }) => tell(`the variable ${name}`),
  );
  const volumes = byKey(
    component.volumes,
    ({ name, path, fileContent }) =>
      path?.startsWith('/') && isText(fileContent.slice(0, 65_536)) ? [`name ${name}`, `path ${path}`] : [],
    ({ name, path }) => tell(`the volume ${name} at ${path}`, 'LOST'),
  );
  const ports = byKey(
    component.ports,
    ({ number }) => (Number.isInteger(number) && number > 0 && number < 65_536 ? [String(number)] : []),
    ({ number }) => tell(`the port ${number}, of which there is another`, 'LOST'),
  );
  const { minAvailable, ...nodes } = placement;
  const isPlaced =
    nodes.nodeLabels.length + nodes.tolerations.length > 0 || nodes.spread !== null || minAvailable !== null;
  const autoscaling = autoscalingOf(component, tell);
  return {
    image,
    ...(component.serviceName && ports.length > 0 && { serviceName: component.serviceName }),
    ...(entrypoint !== null && { entrypoint }),
    ...(command !== null && { command }),
    ...(autoscaling ? { autoscaling } : { replicas }),
    ...Object.assign(
      {},
      ...resources.map((each) =>
        sizeEntry(each, { request: component[each], limit: component[limitOf[each]] }),
      ),
    ),
    ...(component.extendMethod !== 'stateless' && { extendMethod: component.extendMethod }),
    ...(isPlaced && { placement: { ...nodes, ...(minAvailable !== null && { minAvailable }) } }),
    ...(Object.keys(component.probes).length > 0 && { probes: component.probes }),
    ...(preStopSeconds !== 5 && { preStopSeconds }),
    ...(terminationGracePeriodSeconds !== 30 && { terminationGracePeriodSeconds }),
    ...(component.needsRoot && { needsRoot: true }),
    ...(variables.length > 0 && {
      variables: Object.fromEntries(
        variables.map(({ name, value, isSecret }) => [name, isSecret ? { value, isSecret } : value]),
      ),
    }),
    ...(volumes.length > 0 && {
      volumes: Object.fromEntries(
        volumes.map(({ name, path, type, fileContent, capacityGiB, accessMode, isShared }) => [
          name,
          {
            ...{ path, type },
            ...(type === 'config-file' && { fileContent }),
            ...(capacityGiB !== null && { capacityGiB, accessMode }),
            ...(isShared && { isShared }),
          },
        ]),
      ),
    }),
    ...(component.schedules.length > 0 && {
      schedules: Object.fromEntries(component.schedules.map(({ name, ...schedule }) => [name, schedule])),
    }),
    ...(ports.length > 0 && {
      ports: Object.fromEntries(
        ports.map(({ number, protocol, isInner, additionalName }) => [
          String(number),
          {
            ...{ protocol, isInner },
            ...(outer.has(number) && { isOuter: true }),
            ...(additionalName && { serviceName: additionalName }),
          },
        ]),
      ),
    }),
  };
}

/** The autoscaling of a component. Null if it cannot have it. */
function autoscalingOf(component: FoundComponent, tell: TellOne): Fields | null {
  const { autoscaling, extendMethod, volumes, cpuMillicores, memoryMiB } = component;
  if (!autoscaling) return null;
  const { cpuPercent, memoryPercent, minReplicas, maxReplicas } = autoscaling;
  const isSingle = volumes.some(
    ({ type, accessMode, isShared }) =>
      type === 'share-file' && !isShared && !/^Read(Write|Only)Many$/.test(accessMode ?? ''),
  );
  const isWithout = (percent: number | null, request: number) =>
    percent !== null && (percent > 100 || request === 0);
  const problem =
    extendMethod === 'state' || isSingle
      ? 'its instances do not share their volumes'
      : isWithout(cpuPercent, cpuMillicores) || isWithout(memoryPercent, memoryMiB)
        ? 'it aims at more than is requested, or nothing is'
        : minReplicas < 1 || maxReplicas < minReplicas
          ? 'its bounds are not those of a component'
          : undefined;
  if (problem === undefined) return { ...autoscaling };
  tell(`the autoscaling, because ${problem}`);
  return null;
}
