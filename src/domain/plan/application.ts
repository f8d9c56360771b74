import type { Row } from '../../db/tables.ts';
import { hasEntry } from '../../kernel/entries.ts';
import { takenSentence } from '../component/names/model.ts';
import { changedColumns, changedFields, givenFields, object } from './change-list.ts';
import type { ComponentEntry } from './component-model.ts';
import { planDependencies } from './dependencies.ts';
import { planEntry } from './entry.ts';
import { applicationFields, newFields, shownFields, storedFields } from './fields-model.ts';
import { planRoutes, portsOpenedBy } from './routes.ts';
import { ownershipOf, type Scene } from './scene.ts';
import { componentNamed } from './standing-reads.ts';
import { type ComponentWork, type RouteWork, serviceNamesAfter, type Work } from './work.ts';

/** Compares a document with the application as it stands. Problems are in `issues` and `conflicts` of the scene. */
export function* planDocument(scene: Scene, principal: string): Generator<void, Work> {
  const { document, standing, list } = scene;
  const application = planApplication(scene, principal);
  const removed = removedComponents(scene);
  for (const { id } of removed) scene.removed.add(id);
  const opened = portsOpenedBy(document);
  const works = new Map<string, ComponentWork>();
  const from = list.changes.length;
  const work = (name: string, entry: ComponentEntry, isWritten: boolean) => {
    const current = standing ? (componentNamed(standing, name) ?? null) : null;
    if (!isWritten && (!current || scene.removed.has(current.row.id))) return;
    const opens = opened.get(name) ?? new Set<number>();
    works.set(name, planEntry(scene, name, entry, current, { isWritten, opens }));
  };
  for (const [name, entry] of Object.entries(document.components ?? {})) {
    work(name, entry, true);
    yield;
  }
  for (const { component } of document.routes ?? []) {
    if (!works.has(component)) work(component, {}, false);
  }
  for (const name of componentsThatLoseRoutes(scene)) if (!works.has(name)) work(name, {}, false);
  for (const [name, { dependsOn }] of Object.entries(document.components ?? {})) {
    planDependencies(scene, works.get(name)!, dependsOn, works);
    yield;
  }
  const forComponents = list.changes.splice(from);
  const routes = yield* planRoutes(scene, works);
  // Routes are deleted before their ports, and created after them.
  const deleted = list.changes.slice(from).filter(({ action }) => action === 'DELETE');
  const created = list.changes.splice(from).filter(({ action }) => action !== 'DELETE');
  list.changes.push(...deleted, ...forComponents, ...created);
  for (const { work: target } of [...routes.http.create, ...routes.tcp.create]) target.isTouched = true;
  const byId = new Map([...works.values()].map((each) => [each.row.id, each]));
  for (const { componentId } of ruleChanges(routes)) {
    const touched = byId.get(componentId);
    if (touched) touched.isTouched = true;
  }
  listRemoved(scene, removed);
  requireFreeNames(scene, [...works.values()], removed);
  requireFittingRules(scene, [...works.values()], routes);
  return { application, components: [...works.values()], removed, routes };
}

/** The names of the components with routes that can be deleted, because the document no longer writes them. */
const componentsThatLoseRoutes = (scene: Scene): string[] =>
  scene.document.routes === undefined || scene.prune !== 'owned'
    ? []
    : (scene.standing?.components ?? [])
        .filter(({ http, tcp }) => [...http, ...tcp].some((rule) => ownershipOf(scene, rule) === 'own'))
        .map(({ row }) => row.name);

const ruleChanges = ({ http, tcp }: RouteWork): { componentId: string }[] => [
  ...http.remove,
  ...tcp.remove,
  ...http.update.map(({ rule }) => rule),
  ...tcp.update.map(({ rule }) => rule),
];

function planApplication(
  { document, standing, list, conflicts, team, region }: Scene,
  principal: string,
): Work['application'] {
  const name = object('APPLICATION', null, document.application);
  if (!standing) {
    const data = {
      ...newFields(applicationFields, document),
      ...(document.principal == null && { principal }),
      name: document.application,
      teamId: team.id,
      regionId: region.id,
    };
    list.add('CREATE', name, givenFields(shownFields(applicationFields, data as Row<'Application'>)));
    return { data, isNew: true };
  }
  const { application: row, manifest } = standing;
  const data = changedColumns(row, storedFields(applicationFields, document));
  if (data.isolation !== undefined && data.isolation !== row.isolation) {
    conflicts.push({
      path: ['isolation'],
      message: 'A manifest cannot move an application into another namespace. Use `updateApplication`.',
    });
  }
  const fields = changedFields(applicationFields, row, data);
  if (fields.length > 0) list.add(manifest ? 'UPDATE' : 'ADOPT', name, fields);
  else if (!manifest) list.adopted.push(name);
  return { data, isNew: false };
}

/** The components that belong to the manifest and are no longer written. */
function removedComponents(scene: Scene): Row<'Component'>[] {
  const { document, standing, list, prune } = scene;
  if (!standing || document.components === undefined) return [];
  const left = standing.components
    .map(({ row }) => row)
    .filter((row) => !hasEntry(document.components, row.name) && ownershipOf(scene, row) === 'own');
  if (prune === 'owned') return left;
  for (const { name } of left) list.leftOver.push(object('COMPONENT', null, name));
  return [];
}

function listRemoved({ list, standing }: Scene, removed: readonly Row<'Component'>[]): void {
  const isRemoved = new Set(removed.map(({ id }) => id));
  for (const { row, http, tcp } of standing?.components ?? []) {
    if (!isRemoved.has(row.id)) continue;
    for (const { domain, path, isDefault } of http) {
      if (!isDefault)
        list.add('DELETE', object('HTTP_ROUTE', row.name, `${domain}${path}`), [], { isDestructive: true });
    }
    for (const { address, portNumber, isDefault } of tcp) {
      if (!isDefault)
        list.add('DELETE', object('TCP_ROUTE', row.name, `${address}:${portNumber}`), [], {
          isDestructive: true,
        });
    }
    list.add('DELETE', object('COMPONENT', null, row.name), [], { isDestructive: true });
  }
}

/** The names of new components in the cluster are unique in the team and region, those of their objects included. */
function requireFreeClusterNames({ taken, conflicts }: Scene, works: readonly ComponentWork[]): void {
  for (const { row, name, current } of works) {
    if (current) continue;
    const met = taken.names.clusterNameTaken(row.clusterName);
    if (met) {
      const path = ['components', name, 'clusterName'];
      conflicts.push({ path, message: takenSentence(met, taken.ownerOf) });
    }
    taken.names.addComponent(row.clusterName, null);
  }
}

/** Internal domain names are unique in the team and region, those of components and of ports alike. */
function requireFreeNames(
  scene: Scene,
  works: readonly ComponentWork[],
  removed: readonly Row<'Component'>[],
): void {
  const { standing, taken, conflicts } = scene;
  const { names } = taken;
  const used = new Map<string, { id: string; owner: string }>();
  const gone = new Set([...removed.map(({ id }) => id), ...works.map(({ row }) => row.id)]);
  for (const { row, ports } of standing?.components ?? []) {
    if (gone.has(row.id)) continue;
    const owner = { id: row.id, owner: `the component ${row.name}` };
    for (const name of [row.serviceName, ...ports.map(({ additionalName }) => additionalName)]) {
      if (name === null) continue;
      used.set(name, owner);
      names.addService(name, row);
    }
  }
  const standingOf = ({ current }: ComponentWork) =>
    new Set([
      current?.row.serviceName,
      ...(current?.ports.map(({ additionalName }) => additionalName) ?? []),
    ]);
  for (const work of works) {
    const standingNames = standingOf(work);
    for (const name of new Set(serviceNamesAfter(work)))
      if (standingNames.has(name)) names.addService(name, work.row);
  }
  requireFreeClusterNames(scene, works);
  for (const work of works) {
    const { row, name: component } = work;
    const standingNames = standingOf(work);
    for (const name of new Set(serviceNamesAfter(work))) {
      const other = used.get(name);
      // A name that it has already is not taken anew.
      const isKept = other?.id === row.id || (other === undefined && standingNames.has(name));
      const met = isKept || other ? undefined : names.serviceNameTaken(name);
      const why = met && takenSentence(met, taken.ownerOf);
      const message = isKept
        ? undefined
        : other
          ? `The service name ${name} belongs to ${other.owner}.`
          : why && `${why} ${anotherName}`;
      if (message) conflicts.push({ path: ['components', component, 'serviceName'], message });
      used.set(name, { id: row.id, owner: `the component ${component}` });
    }
  }
}

/** What to do about a service name that another application has. */
const anotherName =
  'Applications of a team in a region share these names: use another one, which `trellis convert --prefix` writes everywhere.';

/** Custom rules have to fit the protocol of their port, and prevent that it is deleted. */
function requireFittingRules({ conflicts }: Scene, works: readonly ComponentWork[], routes: RouteWork): void {
  const removed = new Set<object>([...routes.http.remove, ...routes.tcp.remove]);
  for (const { name, current, ports } of works) {
    const portsOf = (rules: readonly { isDefault: boolean; portId: number }[] = []) =>
      new Set(rules.flatMap((rule) => (rule.isDefault || removed.has(rule) ? [] : rule.portId)));
    const [http, tcp] = [portsOf(current?.http), portsOf(current?.tcp)];
    for (const { id, number } of ports.remove) {
      if (http.has(id) || tcp.has(id)) {
        conflicts.push({
          path: ['components', name, 'ports'],
          message: `Gateway rules point at the port ${number} of the component ${name}. Delete them first.`,
        });
      }
    }
    for (const { port, data } of ports.update) {
      if (data.protocol === undefined || ['http', 'grpc'].includes(data.protocol)) continue;
      if (http.has(port.id)) {
        conflicts.push({
          path: ['components', name, 'ports', String(port.number), 'protocol'],
          message: `The port ${port.number} of the component ${name} has HTTP rules. Delete these rules before changing the protocol to ${data.protocol}.`,
        });
      }
    }
  }
}
