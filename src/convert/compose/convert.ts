import { Claims, type Grade, type Note, pathOf } from '../claims.ts';
import { unused } from '../names.ts';
import { type Mapping, mappingOf, textIn } from '../yaml.ts';
import { componentOf } from './component.ts';
import { type ComposeInput, loadProject } from './load.ts';
import { namedOf } from './merge.ts';
import type { Component, ServiceTell } from './model.ts';
import { connect } from './names.ts';
import { takeOneShot } from './one-shots.ts';
import { composeRules } from './rules.ts';
import { slug } from './values.ts';
import type { Storage } from './volumes.ts';

export interface Converted {
  manifest: { application: string; components: Record<string, Component> };
  notes: Note[];
}

export const composeClaims = new Claims(composeRules);

/** Converts a Compose file, with what is beside it. Everything that is not taken over as it is has a note. */
export function convertCompose({
  prefix = '',
  ...input
}: ComposeInput & { application?: string; folderName: string; prefix?: string | undefined }): Converted {
  const notes = new Map<string, Note>();
  const tell = (note: Note) => notes.set(JSON.stringify(note), note);
  const project = loadProject(input, tell);
  const { model, services, variables } = project;
  const application =
    input.application ?? variables.get('COMPOSE_PROJECT_NAME') ?? textIn(model.name) ?? input.folderName;
  const tellOf =
    (subject: string): ServiceTell =>
    (grade, key, reason, detail) =>
      tell({ grade, subject, key, reason, ...(detail !== undefined && { detail }) });
  composeClaims.walk({ ...model, services: Object.fromEntries(services) }, ({ keys, steps }, grade, reason) =>
    tell(noteAt(keys, steps, grade, reason)),
  );
  const components: Record<string, Component> = Object.create(null);
  const storages = new Map<string, Storage[]>();
  for (const [name, service] of services) {
    const around = { project, files: input.files, folder: input.folder, application };
    const converted = componentOf(name, service, around, tellOf(name));
    components[name] = converted.component;
    storages.set(name, converted.storages);
  }
  connect(components, services, tellOf, prefix);
  takeDependencies(components, services, tellOf);
  takeShared(storages, components, tellOf);
  tellNetworks(services, tell);
  return { manifest: { application, components: prefixed(components, prefix) }, notes: [...notes.values()] };
}

/** Components whose names have a prefix, with those that they depend on. */
const prefixed = (components: Readonly<Record<string, Component>>, prefix: string) =>
  Object.fromEntries(
    Object.entries(components).map(([name, { dependsOn, ...component }]) => [
      prefix + name,
      { ...component, ...(dependsOn && { dependsOn: dependsOn.map((other) => prefix + other) }) },
    ]),
  );

/** A note about a path of the model. Names that the file chooses are details. */
function noteAt(keys: readonly string[], steps: readonly string[], grade: Grade, reason: string): Note {
  const isService = keys[0] === 'services' && keys.length > 1;
  const names = keys.filter((_, index) => steps[index] === '*' && !(isService && index === 1));
  return {
    grade,
    subject: isService ? keys[1]! : null,
    key: pathOf(isService ? steps.slice(2) : steps),
    reason,
    ...(names.length > 0 && { detail: names.join('.') }),
  };
}

/** Services that end are no components: nobody waits for them, and they are not started again and again. */
function takeDependencies(
  components: Readonly<Record<string, Component>>,
  services: ReadonlyMap<string, Mapping>,
  tellOf: (service: string) => ServiceTell,
): void {
  const waiting = new Map<string, string[]>();
  for (const [name, service] of services) {
    const component = components[name]!;
    for (const [other, wanted] of Object.entries(namedOf(service.depends_on))) {
      const { condition, required } = mappingOf(wanted);
      if (!services.has(other)) {
        if (textIn(required)?.toLowerCase() !== 'false')
          tellOf(name)('CHANGED', 'depends_on', 'There is no such service here.', other);
      } else if (textIn(condition) === 'service_completed_successfully') {
        waiting.set(other, [...(waiting.get(other) ?? []), name]);
        component.dependsOn = component.dependsOn?.filter((each) => each !== other);
      } else if (textIn(condition) === 'service_healthy')
        tellOf(name)(
          'INFO',
          'depends_on',
          'Others are started first, and nothing waits until they are healthy.',
          other,
        );
    }
    component.dependsOn = component.dependsOn?.filter((other) => other !== name && services.has(other));
    if (component.dependsOn?.length === 0) delete component.dependsOn;
  }
  for (const [name, callers] of waiting) takeOneShot(name, callers, components, tellOf(name));
}

/** A volume with several users is one that components share, under one name. */
function takeShared(
  storages: ReadonlyMap<string, readonly Storage[]>,
  components: Readonly<Record<string, Component>>,
  tellOf: (service: string) => ServiceTell,
): void {
  const users = new Map<string, Map<string, Storage>>();
  for (const [service, own] of storages) {
    if (!components[service]) continue;
    for (const storage of own) {
      const of = users.get(storage.source) ?? new Map<string, Storage>();
      users.set(storage.source, of);
      if (!of.has(service)) of.set(service, storage);
      else
        tellOf(service)(
          'LOST',
          'volumes',
          'A volume has one path in a component: at others it has a volume of its own.',
          storage.source,
        );
    }
  }
  const taken = new Set(Object.values(components).flatMap(({ volumes }) => Object.keys(volumes ?? {})));
  for (const [source, of] of users) {
    if (of.size < 2) continue;
    const wish = slug(source);
    const isFree = [...of].every(
      ([service, { name }]) => name === wish || !components[service]!.volumes![wish],
    );
    const name = isFree ? wish : unused(wish, taken);
    taken.add(name);
    for (const [service, storage] of of) {
      const component = components[service]!;
      const { [storage.name]: entry, ...others } = component.volumes!;
      component.volumes = { ...others, [name]: { ...entry!, isShared: true } };
      tellOf(service)(
        'INFO',
        'volumes',
        'Is shared by components, in a region that has a storage class for that. Others refuse the manifest.',
        source,
      );
    }
  }
}

/** Networks that keep services apart do not do so here. */
function tellNetworks(services: ReadonlyMap<string, Mapping>, tell: (note: Note) => void): void {
  const names = new Set([...services.values()].flatMap(({ networks }) => Object.keys(namedOf(networks))));
  if (names.size < 2) return;
  const reason = 'All components of a team in a region reach each other: networks do not separate them.';
  tell({ grade: 'INFO', subject: null, key: 'networks', reason, detail: [...names].join(', ') });
}
