import type { Row } from '../../db/tables.ts';
import { autoscalingColumns, autoscalingOf } from '../component/autoscaling/model.ts';
import { type DeployedSpec, deployedColumns } from '../component/deploy/deployment-model.ts';
import { limitColumns } from '../component/limits-model.ts';
import { imageTag } from '../component/model.ts';
import { needsRootBefore } from '../component/root-model.ts';
import { unlessEmpty, variableEntry } from '../manifest/entry-reads.ts';
import type { DesiredComponent } from '../plan/component.ts';
import type { VariableEntry, VolumeEntry } from '../plan/component-model.ts';
import {
  autoscalingFields,
  componentFields,
  hasData,
  newFields,
  probesFields,
  shownFields,
  volumeFields,
} from '../plan/fields-model.ts';
import type { Entries } from '../plan/parts.ts';
import type { StandingComponent } from '../plan/standing-reads.ts';

type Component = Row<'Component'>;
type Shown = { [field: string]: unknown };

const deployed = new Set<string>(deployedColumns);

/** The fields of a component in a manifest that take effect with a deploy. */
const deployedFields = componentFields.filter(({ column }) => deployed.has(column));
/** The columns that depend on where a component runs. */
const resources: readonly (keyof Component)[] = [
  'replicas',
  'cpuMillicores',
  'memoryMiB',
  ...limitColumns,
  'gpuMemoryMiB',
  'placement',
  ...autoscalingColumns,
];

/** Those of a component whose number of instances the load sets do not have that number. */
const ownFieldsOf = (row: Component) =>
  autoscalingOf(row) ? deployedFields.filter(({ field }) => field !== 'replicas') : deployedFields;

/**
 * The columns of a component as it was deployed. Those that are newer than the release have their default, except that nothing was
 * restricted then.
 */
function columnsOf(spec: DeployedSpec): Component {
  const columns = deployedColumns.flatMap((column) =>
    spec[column] === undefined ? [] : [[column, spec[column]] as const],
  );
  return {
    ...newFields(deployedFields, {}),
    ...newFields(probesFields, {}),
    ...newFields(autoscalingFields, {}),
    needsRoot: needsRootBefore,
    ...Object.fromEntries(columns),
  } as Component;
}

type Variable = DeployedSpec['variables'][number];
const attributesOf = ({ name, value, isSecret, label, isChangeable, portNumber }: Variable) => ({
  value,
  isSecret,
  label: label ?? name,
  isChangeable: isChangeable ?? true,
  portNumber: portNumber ?? null,
});

/** The volumes of a release. What is not said is that components share one. */
const volumesIn = ({ volumes }: DeployedSpec) =>
  volumes.map((volume) => ({ ...volume, isShared: volume.isShared ?? false }));

/** In the order of their names. The last value of a name counts. */
const sorted = <T>(entries: readonly (readonly [string, T])[]): [string, T][] =>
  [...new Map(entries)].sort(([one], [other]) => (one < other ? -1 : 1));

/** The configuration of a release, as a component in a manifest. Secrets are not in it. */
export function shownEntry(spec: DeployedSpec, dependsOn: readonly unknown[]): Shown {
  const row = columnsOf(spec);
  const named = (scope: string) =>
    Object.fromEntries(
      sorted(
        spec.variables
          .filter((variable) => variable.scope === scope)
          .map((variable) => [
            variable.name,
            variableEntry({ name: variable.name, ...attributesOf(variable) }),
          ]),
      ),
    );
  const isDefaultVersion = spec.version === (imageTag(spec.image) ?? 'latest');
  return {
    image: spec.image,
    ...(!isDefaultVersion && { version: spec.version }),
    ...shownFields(ownFieldsOf(row), row),
    ...unlessEmpty('autoscaling', shownFields(autoscalingFields, row)),
    ...unlessEmpty('probes', shownFields(probesFields, row)),
    ...unlessEmpty('variables', named('environment')),
    ...unlessEmpty('connectionVariables', named('connection')),
    ...unlessEmpty(
      'volumes',
      Object.fromEntries(
        volumesIn(spec).map((volume) => [volume.name, shownFields(volumeFields, volume as Row<'Volume'>)]),
      ),
    ),
    ...unlessEmpty('dependsOn', [...dependsOn]),
  };
}

/** A component as it was deployed. Volumes that are not in it are removed. */
export interface Restored {
  desired: DesiredComponent;
  /** The ids of the components to depend on. Undefined if they stay. */
  dependencies?: readonly string[];
}

/**
 * The columns that a release brings back. The extend method cannot change after the first deploy, and the number of instances is
 * left to the load where it sets that.
 */
function restoredColumns(spec: DeployedSpec, leftOut: readonly (keyof Component)[] = []): Partial<Component> {
  const row = columnsOf(spec);
  const isLeftOut = new Set<string>([
    'extendMethod',
    ...(autoscalingOf(row) ? ['replicas'] : []),
    ...leftOut,
  ]);
  return Object.fromEntries(Object.entries(row).filter(([column]) => !isLeftOut.has(column)));
}

/** The volumes of a release beside those that stay. */
const volumesOf = (spec: DeployedSpec, stay: ReadonlyMap<string, VolumeEntry>): Entries<VolumeEntry> =>
  new Map<string, VolumeEntry>([
    ...stay,
    ...volumesIn(spec).flatMap(({ name, ...volume }) => (stay.has(name) ? [] : [[name, volume] as const])),
  ]);

/**
 * Brings a component back to what was deployed. With `keepsData`, a volume with data stays as it is, except for where it is
 * mounted, and one that was added since stays mounted.
 */
export function restored(
  spec: DeployedSpec,
  current: StandingComponent,
  { keepsData }: { keepsData: boolean },
): Restored {
  const inScope = (scope: string) =>
    new Map(
      sorted<VariableEntry>([
        ...current.variables.filter((each) => each.scope === scope).map(({ name }) => [name, null] as const),
        ...spec.variables
          .filter((each) => each.scope === scope)
          .map((each) => [each.name, attributesOf(each)] as const),
      ]),
    );
  const paths = new Map(spec.volumes.map(({ name, path }) => [name, path]));
  const stay = current.volumes.filter((volume) => keepsData && hasData(volume));
  return {
    desired: {
      columns: restoredColumns(spec),
      variables: inScope('environment'),
      connectionVariables: inScope('connection'),
      volumes: volumesOf(spec, new Map(stay.map(({ name }) => [name, { path: paths.get(name) }]))),
    },
    dependencies: spec.dependencies,
  };
}

/**
 * Brings the image and the configuration of a release to another component, which keeps its variables, its dependencies, its
 * volumes with data and, without `includesResources`, its size.
 */
export function promoted(
  spec: DeployedSpec,
  current: StandingComponent,
  { includesResources }: { includesResources: boolean },
): Restored {
  const isBrought = (volume: Row<'Volume'>) =>
    !hasData(volume) && spec.volumes.some(({ name }) => name === volume.name);
  const stay = current.volumes.filter((volume) => !isBrought(volume));
  return {
    desired: {
      columns: restoredColumns(spec, includesResources ? [] : resources),
      volumes: volumesOf(spec, new Map(stay.map(({ name }) => [name, {}]))),
    },
  };
}

/** A component as a release deployed it, for a comparison with another one. */
export function standingAt(component: Component, spec: DeployedSpec): StandingComponent {
  const componentId = component.id;
  const common = { componentId, revision: 1, manifestId: null };
  return {
    row: { ...component, ...columnsOf(spec) },
    ports: [],
    variables: spec.variables.map((variable, id) => ({
      ...common,
      id,
      name: variable.name,
      scope: variable.scope,
      sealedValue: null,
      ...attributesOf(variable),
    })),
    volumes: volumesIn(spec).map((volume, id) => ({ ...common, id, ...volume }) as Row<'Volume'>),
    snapshotSchedules: new Map(),
    schedules: [],
    dependencies: spec.dependencies.map((dependencyId) => ({ componentId, dependencyId, manifestId: null })),
    http: [],
    tcp: [],
  };
}
