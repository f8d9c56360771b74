import type { Row } from '../../db/tables.ts';
import { imageTag } from '../component/model.ts';
import { type DesiredComponent, newComponentRow, planComponent } from './component.ts';
import type { ComponentEntry } from './component-model.ts';
import {
  autoscalingFields,
  componentFields,
  defaultSourceKind,
  newFields,
  probesFields,
  sourceFields,
  storedFields,
} from './fields-model.ts';
import { entriesOf, type Path } from './parts.ts';
import type { Scene } from './scene.ts';
import type { StandingComponent } from './standing-reads.ts';
import type { ComponentWork } from './work.ts';

type Component = Row<'Component'>;

/** Plans the component of a document. */
export function planEntry(
  scene: Scene,
  name: string,
  entry: ComponentEntry,
  current: StandingComponent | null,
  options: { isWritten: boolean; opens: ReadonlySet<number> },
): ComponentWork {
  const path = ['components', name];
  const row = current?.row ?? newComponent(scene, name, entry, path);
  const { serviceName, alias, clusterName, version } = entry;
  const desired: DesiredComponent = {
    ...(options.isWritten && { columns: columnsFor(scene, row, current, entry, path) }),
    names: {
      ...(alias != null && { alias }),
      ...(clusterName != null && { clusterName }),
      ...(version != null && { version }),
    },
    variables: entriesOf(entry.variables),
    connectionVariables: entriesOf(entry.connectionVariables),
    volumes: entriesOf(entry.volumes),
    schedules: entriesOf(entry.schedules),
    ports: entriesOf(entry.ports),
    serviceName,
  };
  return planComponent(scene, row, current, desired, options);
}

function columnsOf(entry: ComponentEntry): Partial<Component> {
  const none = (fields: readonly { field: string }[]) =>
    Object.fromEntries(fields.map(({ field }) => [field, null]));
  return {
    ...storedFields(componentFields, entry),
    ...storedFields(sourceFields, entry.source === null ? none(sourceFields) : (entry.source ?? {})),
    ...storedFields(probesFields, entry.probes === null ? none(probesFields) : (entry.probes ?? {})),
    // Fields that are left out of it are not set: the whole of it is managed.
    ...(entry.autoscaling !== undefined &&
      storedFields(autoscalingFields, { ...none(autoscalingFields), ...entry.autoscaling })),
  };
}

/** The columns that an entry sets of a component. */
function columnsFor(
  scene: Scene,
  row: Component,
  current: StandingComponent | null,
  entry: ComponentEntry,
  path: Path,
): Partial<Component> {
  const wanted = columnsOf(entry);
  const gitUrl = wanted.gitUrl === undefined ? row.gitUrl : wanted.gitUrl;
  const kind = entry.source?.kind?.toLowerCase();
  if (kind === 'market' && row.sourceKind !== 'market') {
    scene.issues.push({
      path: [...path, 'source', 'kind'],
      message: 'MARKET is reserved for components of templates',
    });
  }
  if (kind !== undefined) wanted.sourceKind = kind;
  else if (entry.source === null || entry.source?.kind === null || !current) {
    wanted.sourceKind = row.sourceKind === 'market' ? 'market' : defaultSourceKind({ gitUrl });
  }
  if (!current) return wanted;
  const { image = row.image, version } = entry;
  if (entry.image !== undefined) wanted.image = image;
  if (version != null) wanted.version = version;
  else if (version === null || image !== row.image) wanted.version = imageTag(image) ?? 'latest';
  return wanted;
}

function newComponent(scene: Scene, name: string, entry: ComponentEntry, path: Path): Component {
  if (entry.image === undefined) {
    scene.issues.push({ path: [...path, 'image'], message: 'Is required for a new component', isKey: true });
  }
  const owner = entry.alias == null ? undefined : scene.taken.aliases.get(entry.alias);
  if (owner) {
    scene.conflicts.push({
      path: [...path, 'alias'],
      message: `The alias ${entry.alias} belongs to ${owner}.`,
    });
  }
  const { clusterName, version, image = '' } = entry;
  return newComponentRow(scene, {
    ...{ name, image, alias: entry.alias ?? scene.newAlias() },
    ...(clusterName != null && { clusterName }),
    ...(version != null && { version }),
    ...newFields(componentFields, entry),
    ...newFields(sourceFields, entry.source ?? {}),
    ...newFields(probesFields, entry.probes ?? {}),
    ...newFields(autoscalingFields, entry.autoscaling ?? {}),
    sourceKind: null,
  });
}
