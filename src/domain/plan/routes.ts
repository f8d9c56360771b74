import type { Row } from '../../db/tables.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { namesOf } from '../certificate/model.ts';
import { covers } from '../certificate/x509-model.ts';
import { type Configuration, configured } from '../gateway-rule/http/model.ts';
import { formatEndpoint, isSameEndpoint, parseEndpoint } from '../gateway-rule/tcp/endpoint-model.ts';
import { isHttp } from '../port/model.ts';
import { changedColumns, changedFields, fieldChange, givenFields, object } from './change-list.ts';
import { type HttpRouteEntry, isTcpRoute, type TcpRouteEntry } from './document-model.ts';
import {
  configurationAfter,
  httpFields,
  mappedColumns,
  newFields,
  shownConfiguration,
  shownFields,
  shownMapped,
  storedFields,
  tcpFields,
} from './fields-model.ts';
import type { FieldChange, ObjectKind } from './model.ts';
import { isAdopted } from './parts.ts';
import { defaultDomainOf } from './route-model.ts';
import { ownershipOf, type Scene } from './scene.ts';
import { type ComponentWork, noRoutes, type RouteTarget, type RouteWork, type RuleWork } from './work.ts';

/** The ports that TCP routes open, by the name of their component. */
export function portsOpenedBy({ routes }: Scene['document']): Map<string, Set<number>> {
  const opened = new Map<string, Set<number>>();
  for (const route of routes ?? []) {
    if (!isTcpRoute(route)) continue;
    const ports = opened.get(route.component) ?? new Set();
    opened.set(route.component, ports.add(route.port));
  }
  return opened;
}

const nameOfHttp = ({ domain, path }: Pick<Row<'HttpRule'>, 'domain' | 'path'>) => `${domain}${path}`;
const nameOfTcp = ({ address, portNumber }: Pick<Row<'TcpRule'>, 'address' | 'portNumber'>) =>
  formatEndpoint(address, portNumber);

/** Plans the routes. `works` are the components that they can have as targets, by name. */
export function* planRoutes(
  scene: Scene,
  works: ReadonlyMap<string, ComponentWork>,
): Generator<void, RouteWork> {
  const routes = noRoutes();
  const { document, list } = scene;
  if (document.routes === undefined) return routes;
  const matched = new Set<object>();
  const places = new Map<string, number>();
  for (const [index, route] of (document.routes ?? []).entries()) {
    const target = targetOf(scene, works, route, index);
    if (target) {
      const place = isTcpRoute(route) ? route.endpoint : httpPlace(scene, target, route);
      const other = places.get(place);
      if (other !== undefined) {
        scene.issues.push({ path: ['routes', index], message: `Is the same route as routes.${other}` });
      } else {
        places.set(place, index);
        const rule = isTcpRoute(route)
          ? planRule(scene, target, 'TCP_ROUTE', routes.tcp, tcpRule(scene, target, route, index))
          : planRule(scene, target, 'HTTP_ROUTE', routes.http, httpRule(scene, target, route, index));
        if (rule) matched.add(rule);
      }
    }
    yield;
  }
  const left = <R extends Rule>(
    rules: RuleWork<R>,
    kind: ObjectKind,
    component: string,
    rule: R,
    name: string,
  ) => {
    if (matched.has(rule) || ownershipOf(scene, rule) !== 'own') return;
    if (scene.prune !== 'owned') list.leftOver.push(object(kind, component, name));
    else {
      rules.remove.push(rule);
      list.add('DELETE', object(kind, component, name), [], { isDestructive: true });
    }
  };
  for (const { row, http, tcp } of scene.standing?.components ?? []) {
    for (const rule of http) left(routes.http, 'HTTP_ROUTE', row.name, rule, nameOfHttp(rule));
    for (const rule of tcp) left(routes.tcp, 'TCP_ROUTE', row.name, rule, nameOfTcp(rule));
    yield;
  }
  return routes;
}

function targetOf(
  { issues }: Scene,
  works: ReadonlyMap<string, ComponentWork>,
  { component, port: number }: HttpRouteEntry | TcpRouteEntry,
  index: number,
): RouteTarget | undefined {
  const work = works.get(component);
  if (!work) {
    const message = `There is no component ${component} in the document or the application`;
    issues.push({ path: ['routes', index, 'component'], message });
    return undefined;
  }
  const port = work.portsAfter.get(number);
  if (port) return { work, port };
  issues.push({
    path: ['routes', index, 'port'],
    message: `The component ${component} has no port ${number}`,
  });
  return undefined;
}

const domainOf = ({ team, region }: Scene, { work, port }: RouteTarget, route: HttpRouteEntry) =>
  route.domain ?? defaultDomainOf({ team, region, component: work.row, port: port.number });

const httpPlace = (scene: Scene, target: RouteTarget, route: HttpRouteEntry) =>
  `${target.work.row.id} ${target.port.number} ${domainOf(scene, target, route)}${route.path ?? '/'}`;

type Rule = Row<'HttpRule'> | Row<'TcpRule'>;

const placeOnPort = (portId: number | undefined, domain: string, path: string) =>
  `${portId} ${domain}${path}`;

/** An index of the HTTP rules of a component by port, domain and path. A document can have thousands of routes. */
const rulesByPlace = memoizeByIdentity(
  (rules: readonly Row<'HttpRule'>[]) =>
    new Map(rules.map((rule) => [placeOnPort(rule.portId, rule.domain, rule.path), rule])),
);

const ruleAt = (rules: readonly Row<'HttpRule'>[], place: string) => rulesByPlace(rules).get(place);

/** What a route makes of the rule that is there, or of a new one. */
interface RuleOf<R> {
  name: string;
  rule?: R;
  data: Partial<R>;
  fields: FieldChange[];
}

/** Plans the rule of a route. Returns the one that is there. */
function planRule<R extends Rule>(
  scene: Scene,
  target: RouteTarget,
  kind: ObjectKind,
  rules: RuleWork<R>,
  of: RuleOf<R> | undefined,
): R | undefined {
  if (!of) return undefined;
  const { list } = scene;
  const { rule, data, fields } = of;
  const named = object(kind, target.work.name, of.name);
  if (!rule) {
    rules.create.push({ ...target, data });
    list.add('CREATE', named, fields);
  } else if (fields.length > 0) {
    rules.update.push({ rule, data });
    list.add(ownershipOf(scene, rule) === 'none' ? 'ADOPT' : 'UPDATE', named, fields);
  } else if (isAdopted(scene, target.work, rule)) {
    rules.adopt.push(rule);
    list.adopted.push(named);
  }
  return rule;
}

function httpRule(
  scene: Scene,
  target: RouteTarget,
  route: HttpRouteEntry,
  index: number,
): RuleOf<Row<'HttpRule'>> | undefined {
  const { work, port } = target;
  if (!isHttp(port.protocol)) {
    const message = `Port ${port.number} uses ${port.protocol}. An HTTP route requires a port with the protocol http or grpc`;
    scene.issues.push({ path: ['routes', index, 'port'], message });
    return undefined;
  }
  const domain = domainOf(scene, target, route);
  const path = route.path ?? '/';
  const certificateId = certificateOf(scene, route, domain, index);
  const rule = work.current && ruleAt(work.current.http, placeOnPort(port.row?.id, domain, path));
  const base = rule ? (JSON.parse(rule.configuration) as Configuration) : undefined;
  const configuration = JSON.stringify(configurationAfter(configured(base), route.configuration));
  const name = nameOfHttp({ domain, path });
  if (!rule) {
    const data = {
      ...newFields(httpFields, route),
      certificateId: certificateId ?? null,
      domain,
      path,
      isDefault: route.domain === undefined,
      isPublished: port.isOuter,
      configuration,
    } as Row<'HttpRule'>;
    const shown = {
      ...(route.certificate != null && { certificate: route.certificate }),
      ...shownFields(httpFields, data),
      ...prefixedConfiguration(shownConfiguration(JSON.parse(configuration) as Configuration)),
    };
    return { name, data, fields: givenFields(shown) };
  }
  const stored = JSON.stringify(configured(base));
  const data = changedColumns(rule, {
    ...storedFields(httpFields, route),
    ...(certificateId !== undefined && { certificateId }),
    ...(configuration !== stored && { configuration }),
  });
  const fields = [
    ...('certificateId' in data
      ? [fieldChange('certificate', scene.standing!.certificates.get(rule.certificateId!), route.certificate)]
      : []),
    ...changedFields(httpFields, rule, data),
    ...('configuration' in data ? configurationChanges(stored, configuration) : []),
  ];
  return { name, rule, data, fields };
}

const prefixedConfiguration = (fields: object) =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [`configuration.${field}`, value]));

function configurationChanges(stored: string, after: string): FieldChange[] {
  const before = JSON.parse(stored) as { [field: string]: unknown };
  return Object.entries(JSON.parse(after) as object).flatMap(([field, value]) =>
    JSON.stringify(before[field]) === JSON.stringify(value)
      ? []
      : fieldChange(`configuration.${field}`, before[field], value),
  );
}

/** The id of the certificate that a route names. Undefined if the document does not say, null if it is to have none. */
function certificateOf(
  { certificates, issues }: Scene,
  { certificate: name }: HttpRouteEntry,
  domain: string,
  index: number,
): number | null | undefined {
  if (name === undefined || name === null) return name;
  const at = ['routes', index, 'certificate'];
  const certificate = certificates.get(name);
  if (!certificate) issues.push({ path: at, message: `The team has no certificate ${name}` });
  else if (!covers(namesOf(certificate), domain)) {
    issues.push({ path: at, message: `The certificate ${name} does not cover ${domain}` });
  }
  return certificate?.id ?? null;
}

function tcpRule(
  scene: Scene,
  { work, port }: RouteTarget,
  route: TcpRouteEntry,
  index: number,
): RuleOf<Row<'TcpRule'>> {
  const endpoint = parseEndpoint(route.endpoint)!;
  const name = nameOfTcp(endpoint);
  const rule = work.current?.tcp.find(
    (each) =>
      !each.isDefault &&
      each.portId === port.row?.id &&
      each.address === endpoint.address &&
      each.portNumber === endpoint.portNumber,
  );
  if (!rule) {
    const used = scene.endpoints.find((each) => isSameEndpoint(scene.region, each, endpoint));
    if (used) {
      scene.conflicts.push({
        path: ['routes', index, 'endpoint'],
        message: `${name} is already in use in the region ${scene.region.name}, by a rule ${used.which}.`,
      });
    }
    const data = {
      ...newFields(tcpFields, route),
      ...mappedColumns(route.mappedAddress ?? null),
      ...endpoint,
      isDefault: false,
      isPublished: port.isOuter,
    };
    const shown = {
      ...(route.mappedAddress != null && { mappedAddress: route.mappedAddress }),
      ...((route.extensions?.length ?? 0) > 0 && { extensions: route.extensions }),
    };
    return { name, data, fields: givenFields(shown) };
  }
  const mapped = route.mappedAddress === undefined ? {} : mappedColumns(route.mappedAddress);
  const data = changedColumns(rule, { ...storedFields(tcpFields, route), ...mapped });
  const [before, after] = [shownMapped(rule), shownMapped({ ...rule, ...data })];
  const fields = [
    ...(after === before ? [] : [fieldChange('mappedAddress', before, after)]),
    ...changedFields(tcpFields, rule, data),
  ];
  return { name, rule, data, fields };
}
