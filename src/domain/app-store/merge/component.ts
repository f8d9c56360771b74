import type { Row } from '../../../db/tables.ts';
import type { TemplateComponent } from '../../../drivers/app-store/template.ts';
import { noProbes } from '../../../drivers/region/health.ts';
import { healthDefaults, probeColumnsOf } from '../../component/health/model.ts';
import { type DeployState, imageTag } from '../../component/model.ts';
import type { VariableChanges } from '../../component/variables/rows.ts';
import type { VolumeChanges } from '../../component/volumes/rows.ts';
import type { StandingComponent } from '../../plan/standing-reads.ts';
import type { ComponentWork } from '../../plan/work.ts';
import type { ChangeKind, UpgradeChange } from '../model.ts';
import type { AdditionalNames, MergeInput, Say } from './input.ts';
import { mergePorts } from './ports.ts';
import { mergeVariables } from './variables.ts';
import { mergeVolumes } from './volumes.ts';

/** The changes of an upgrade to a component that is kept. */
export interface ComponentMerge {
  row: Row<'Component'>;
  current: StandingComponent;
  set: Partial<Row<'Component'>>;
  /** The new internal domain name. Null if unchanged. */
  serviceName: string | null;
  /** The new additional names of its ports. */
  additionalNames: AdditionalNames;
  variables: VariableChanges;
  ports: ComponentWork['ports'];
  volumes: VolumeChanges;
  dependencies: { add: string[]; remove: string[] };
}

export const isEmpty = ({ set, serviceName, variables, ports, volumes, dependencies }: ComponentMerge) =>
  Object.keys(set).length === 0 &&
  serviceName === null &&
  [variables, ports, volumes, dependencies].every((part) =>
    Object.values(part).every((list) => list.length === 0),
  );

export const line = (
  component: string,
  kind: ChangeKind,
  name: string,
  before: unknown,
  after: unknown,
): UpgradeChange => ({ component, kind, name, before: shown(before), after: shown(after) });

const shown = (value: unknown) => (value === null || value === undefined ? null : String(value));

/** The columns that are set by a template, with the values of a component. */
export const columnsOf = (component: TemplateComponent) => ({
  name: component.name,
  image: component.image,
  version: component.version ?? imageTag(component.image) ?? 'latest',
  command: component.command === '' ? null : component.command,
  category: component.category,
  componentType: component.kind ?? null,
  extendMethod: component.extendMethod,
  replicas: component.replicas,
  cpuMillicores: component.cpuMillicores,
  memoryMiB: component.memoryMiB,
  // Templates that earlier versions of Trellis stored do not have these two.
  gpuMemoryMiB: component.gpuMemoryMiB ?? 0,
  description: component.description ?? null,
  language: component.language,
  // Nor do they have these.
  ...probeColumnsOf(component.probes ?? noProbes),
  checksPorts: component.checksPorts ?? healthDefaults.checksPorts,
  preStopSeconds: component.preStopSeconds ?? healthDefaults.preStopSeconds,
  terminationGracePeriodSeconds:
    component.terminationGracePeriodSeconds ?? healthDefaults.terminationGracePeriodSeconds,
  deployDeadlineSeconds: component.deployDeadlineSeconds ?? healthDefaults.deployDeadlineSeconds,
  // Images of templates that do not say otherwise are taken to need it, as most do.
  needsRoot: component.needsRoot ?? true,
});

/** The columns that follow the new version even if users have changed them. */
const followed: ReadonlySet<string> = new Set([
  'image',
  'version',
  'command',
  'replicas',
  'cpuMillicores',
  'memoryMiB',
  'gpuMemoryMiB',
] satisfies (keyof ReturnType<typeof columnsOf>)[]);

export function mergeComponent(
  input: MergeInput,
  {
    serviceName: moved,
    additionalNames,
    state,
    names,
    present,
    changes,
    keepsColumns,
  }: {
    serviceName: string | null;
    additionalNames: AdditionalNames;
    /** The new state. Null if unchanged. */
    state: DeployState | null;
    names: ReadonlyMap<string, string>;
    /** The keys of the components that there are after the merge. */
    present: ReadonlySet<string>;
    changes: UpgradeChange[];
    keepsColumns: boolean;
  },
): ComponentMerge {
  const { base, next, current } = input;
  const { row } = current;
  const say = (kind: ChangeKind, name: string, before: unknown, after: unknown) =>
    changes.push(line(row.name, kind, name, before, after));

  const set: Partial<Row<'Component'>> = {};
  const [old, fresh] = [base && columnsOf(base), columnsOf(next)];
  const isKept = (field: keyof typeof fresh) =>
    (keepsColumns || (old && !followed.has(field))) && row[field] !== old?.[field];
  for (const field of Object.keys(fresh) as (keyof typeof fresh)[]) {
    if (old && old[field] === fresh[field]) continue;
    if (row[field] === fresh[field] || isKept(field)) continue;
    // The load sets it.
    if (field === 'replicas' && row.maxReplicas !== null) continue;
    // The image depends on the version.
    if (field === 'version' && isKept('image')) continue;
    Object.assign(set, { [field]: fresh[field] });
    say('SET', field, row[field], fresh[field]);
  }
  if (state !== null) {
    set.deployState = state;
    say('SET', 'deployState', row.deployState, state);
  }
  const serviceName = moved === row.serviceName ? null : moved;
  if (serviceName !== null) say('SET', 'serviceName', row.serviceName, serviceName);

  return {
    row,
    current: current.standing,
    set,
    serviceName,
    additionalNames,
    variables: mergeVariables(input, serviceName, additionalNames, say),
    ports: mergePorts(input, additionalNames, say),
    volumes: mergeVolumes(input, say),
    dependencies: mergeDependencies(input, present, (kind, key, before, after) =>
      say(kind, names.get(key) ?? key, before, after),
    ),
  };
}

function mergeDependencies({ base, next, current }: MergeInput, present: ReadonlySet<string>, say: Say) {
  const has = new Set(current.dependencies);
  const old = new Set(base?.dependencies ?? []);
  const add = next.dependencies.filter((key) => !old.has(key) && !has.has(key) && present.has(key));
  const remove = [...old].filter((key) => !next.dependencies.includes(key) && has.has(key));
  for (const key of add) say('ADD_DEPENDENCY', key, null, key);
  for (const key of remove) say('REMOVE_DEPENDENCY', key, key, null);
  return { add, remove };
}
