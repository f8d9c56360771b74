import type { Grade } from '../claims.ts';
import { mergedProtocol } from '../ports.ts';
import type { FoundComponent, KubernetesObject, OmittedPart } from './model.ts';

type Tell = (part: OmittedPart) => void;
type Part = KubernetesObject['spec'];

/** A component with the workload that it was found in. */
export interface Imported {
  component: FoundComponent;
  workload: KubernetesObject;
}

/** The target of a port of a Service. */
interface Target {
  component: FoundComponent;
  portNumber: number;
}

/** The targets of a Service by its ports' numbers and names. */
export type Targets = Map<string, Map<string | number, Target>>;

const tellOf =
  (tell: Tell, { kind, metadata: { name } }: KubernetesObject) =>
  (what: string, grade?: Grade) =>
    tell({ kind, name, what, ...(grade && { grade }) });

export const selects = (selector: Record<string, string> | undefined, { spec }: KubernetesObject) => {
  const labels = spec.template.metadata?.labels ?? {};
  const pairs = Object.entries(selector ?? {});
  return pairs.length > 0 && pairs.every(([key, value]) => labels[key] === value);
};

/** The workloads by the labels of their pods. */
function byLabel(imported: readonly Imported[]): Map<string, Imported[]> {
  const found = new Map<string, Imported[]>();
  for (const each of imported) {
    for (const label of Object.entries(each.workload.spec.template.metadata?.labels ?? {})) {
      const others = found.get(label.join('='));
      if (others) others.push(each);
      else found.set(label.join('='), [each]);
    }
  }
  return found;
}

/** The container port that a Service sends to. */
function targetNumber({ port, targetPort = port }: Part, { spec }: KubernetesObject): number | undefined {
  if (typeof targetPort === 'number') return targetPort;
  return spec.template.spec.containers[0].ports?.find(({ name }: Part) => name === targetPort)?.containerPort;
}

/** Opens the ports that Services lead to, by the names of the Services. */
export function takeServices(
  services: readonly KubernetesObject[],
  imported: readonly Imported[],
  tellPart: Tell,
): Targets {
  const targets: Targets = new Map();
  const own = new Set(imported.map(({ workload }) => workload.spec.serviceName));
  const labelled = byLabel(imported);
  // Each instance of a StatefulSet has a name below that of its Service.
  for (const service of services.toSorted(
    (a, b) => Number(own.has(b.metadata.name)) - Number(own.has(a.metadata.name)),
  )) {
    const tell = tellOf(tellPart, service);
    const { name } = service.metadata;
    const { selector, ports = [], type } = service.spec;
    const [first = []] = Object.entries(selector ?? {});
    const of = (labelled.get(first.join('=')) ?? []).filter(({ workload }) => selects(selector, workload));
    const [only] = of;
    if (!only || of.length > 1) {
      tell(
        only
          ? 'the Service, because it leads to several workloads'
          : 'the Service, because it leads to no workload that is imported',
        'LOST',
      );
      continue;
    }
    const { component, workload } = only;
    if (type === 'LoadBalancer' || type === 'NodePort')
      tell(`that it is reached from outside (${type})`, 'LOST');
    const byPort = new Map<string | number, Target>();
    targets.set(name, byPort);
    if (ports.length === 0) {
      tell('the name of the Service, because it has no ports');
      continue;
    }
    const isFirst = component.serviceName === null;
    if (isFirst) component.serviceName = name;
    for (const each of ports) {
      if (each.protocol === 'SCTP') {
        tell(`the port ${each.port} of SCTP`, 'LOST');
        continue;
      }
      const number = targetNumber(each, workload);
      if (number === undefined) {
        tell(`the port ${each.port}, because no container has a port named ${each.targetPort}`, 'LOST');
        continue;
      }
      if (number !== each.port)
        tell(`the port ${each.port}: it is reached by that of the container, ${number}`);
      const isHttp = /^http/.test(each.name ?? '') || /^http/.test(each.appProtocol ?? '');
      const protocol = each.protocol === 'UDP' ? 'udp' : isHttp ? 'http' : 'tcp';
      let port = component.ports.find((each) => each.number === number);
      if (!port) {
        port = {
          number,
          protocol,
          isInner: true,
          additionalName: null,
        };
        component.ports.push(port);
      }
      port.isInner = true;
      port.protocol = mergedProtocol(port.protocol, protocol, (reason) =>
        tell(`the port ${number}: ${reason}`),
      );
      if (!isFirst) {
        if (port.additionalName) tell(`the name ${name} of the port ${number}, which has two others`);
        else port.additionalName = name;
      }
      const target = { component, portNumber: number };
      byPort.set(each.port, target);
      if (each.name) byPort.set(each.name, target);
    }
  }
  return targets;
}

type Rule = FoundComponent['httpRules'][number];

function addRule(
  target: Target | undefined,
  rule: Omit<Rule, 'portNumber'>,
  tell: (what: string, grade?: Grade) => void,
): void {
  if (!target) {
    tell(`the path ${rule.path} of ${rule.domain}, because its Service is not imported`, 'LOST');
    return;
  }
  const { component, portNumber } = target;
  const port = component.ports.find(({ number }) => number === portNumber)!;
  port.protocol = mergedProtocol(port.protocol, 'http', (reason) =>
    tell(`the port ${portNumber}: ${reason}`),
  );
  component.httpRules.push({ portNumber, ...rule });
}

function takeIngress(
  ingress: KubernetesObject,
  targets: Targets,
  tell: (what: string, grade?: Grade) => void,
): void {
  const { rules = [], tls, defaultBackend } = ingress.spec;
  if (tls) tell('the certificate');
  if (defaultBackend) tell('the default backend', 'LOST');
  const annotations = Object.entries(ingress.metadata.annotations ?? {});
  const hasPatterns = annotations.some(
    ([key, value]) => key.endsWith('/use-regex') && String(value) === 'true',
  );
  for (const { host: domain, http } of rules) {
    if (!http) tell(`the domain ${domain}, because it has no paths`, 'LOST');
    for (const { path = '/', pathType, backend } of http?.paths ?? []) {
      if (!domain) {
        tell(`the path ${path}, because it has no host`, 'LOST');
        continue;
      }
      if (pathType !== 'Exact' && (hasPatterns || pathType !== 'Prefix') && /[\\^$*+?()[\]{}|]/.test(path)) {
        tell(`the match of ${path} by a regular expression`, 'LOST');
        continue;
      }
      if (pathType === 'Exact') tell(`that ${path} is matched as a whole: paths below it match as well`);
      const { name, port } = backend?.service ?? {};
      const target = targets.get(name)?.get(port?.number ?? port?.name);
      addRule(target, { domain, path, header: '', weight: 100 }, tell);
    }
  }
}

function takeRoute(
  route: KubernetesObject,
  targets: Targets,
  tell: (what: string, grade?: Grade) => void,
): void {
  const { hostnames = [], rules = [] } = route.spec;
  const own: string | undefined = route.metadata.namespace;
  if (hostnames.length === 0) tell('the route, because it has no host', 'LOST');
  for (const { matches = [{}], filters, timeouts, backendRefs = [] } of rules) {
    if (filters) tell('the filters');
    if (timeouts) tell('the timeouts');
    if (backendRefs.some((ref: Part) => ref.filters)) tell('the filters of a Service');
    const most = Math.max(100, ...backendRefs.map(({ weight = 1 }: Part) => weight));
    for (const match of matches) {
      const path = match.path?.value ?? '/';
      const headers = match.headers ?? [];
      if (match.method || match.queryParams) {
        tell(`the match of ${path} by method or query`, 'LOST');
        continue;
      }
      if ([match.path, ...headers].some((each: Part) => each?.type === 'RegularExpression')) {
        tell(`the match of ${path} by a regular expression`, 'LOST');
        continue;
      }
      if (match.path?.type === 'Exact')
        tell(`that ${path} is matched as a whole: paths below it match as well`);
      if (backendRefs.length === 0) tell(`the path ${path}, because it leads to no Service`, 'LOST');
      const header = headers.map(({ name, value }: Part) => `${name}=${value}`).join(';');
      for (const { group, kind = 'Service', namespace, name, port, weight = 1 } of backendRefs) {
        const share = backendRefs.length > 1 ? Math.round((weight * 100) / most) : 100;
        if (weight === 0) {
          tell(`the weight 0 of ${name} for ${path}`, 'INFO');
          continue;
        }
        const isService = !group && kind === 'Service' && [undefined, own].includes(namespace);
        const target = isService ? targets.get(name)?.get(port) : undefined;
        const rule = { path, header, weight: Math.max(1, share) };
        for (const domain of hostnames) addRule(target, { domain, ...rule }, tell);
      }
    }
  }
}

/** Adds the HTTP rules of Ingress and HTTPRoute objects to the components that they lead to. */
export function takeRoutes(routes: readonly KubernetesObject[], targets: Targets, tellPart: Tell): void {
  for (const route of routes) {
    const tell = tellOf(tellPart, route);
    if (route.kind === 'Ingress') takeIngress(route, targets, tell);
    else takeRoute(route, targets, tell);
  }
}
