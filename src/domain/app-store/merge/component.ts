import type { Row } from '../../../db/tables.ts';
import type { TemplateComponent } from '../../../drivers/app-store/template.ts';
import { noProbes } from '../../../drivers/region/health.ts';
import { preDeployColumns } from '../../component/command-model.ts';
import { healthDefaults, probeColumnsOf } from '../../component/health/model.ts';
import { followingLimits, limitColumns } from '../../component/limits-model.ts';
import { imageTag } from '../../component/model.ts';
import type { MergeInput } from './input.ts';

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
  // Templates that earlier versions of Trellis stored do not have these.
  cpuLimitMillicores: component.cpuLimitMillicores ?? null,
  memoryLimitMiB: component.memoryLimitMiB ?? null,
  entrypoint: component.entrypoint ?? null,
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
  ...preDeployColumns(component),
  // Images of templates that do not say otherwise are taken to need it, as most do.
  needsRoot: component.needsRoot ?? true,
});

/** The columns that follow the new version even if users have changed them. */
const followed: ReadonlySet<string> = new Set([
  'image',
  'version',
  'entrypoint',
  'command',
  'preDeployCommand',
  'replicas',
  'cpuMillicores',
  'memoryMiB',
  ...limitColumns,
  'gpuMemoryMiB',
] satisfies (keyof ReturnType<typeof columnsOf>)[]);

/** The columns of a component that a new version changes, without those that users have changed. */
export function mergeColumns(
  { base, next, current: { row } }: MergeInput,
  keepsColumns: boolean,
): Partial<Row<'Component'>> {
  const columns: Partial<Row<'Component'>> = {};
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
    Object.assign(columns, { [field]: fresh[field] });
  }
  return { ...columns, ...followingLimits({ ...row, ...columns }) };
}

/** The dependencies that a version adds and removes, by keys. `keyOf` knows the components of the group. */
export function mergeDependencies(
  { base, next, current }: MergeInput,
  keyOf: (id: string) => string | undefined,
): [key: string, entry: true | null][] {
  const has = new Set(current.dependencies.map(({ dependencyId }) => keyOf(dependencyId)));
  const old = new Set(base?.dependencies);
  const add = next.dependencies.filter((key) => !old.has(key) && !has.has(key));
  const remove = [...old].filter((key) => !next.dependencies.includes(key) && has.has(key));
  return [
    ...add.map((key): [string, true] => [key, true]),
    ...remove.map((key): [string, null] => [key, null]),
  ];
}
