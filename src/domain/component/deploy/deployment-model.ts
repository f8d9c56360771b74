import type { NewRow, Row } from '../../../db/tables.ts';

const healthColumns = [
  'startupProbe',
  'readinessProbe',
  'livenessProbe',
  'checksPorts',
  'preStopSeconds',
  'terminationGracePeriodSeconds',
] as const;

/** The columns of a component that take effect when it is deployed. */
export const deployedColumns = [
  'image',
  'version',
  'command',
  'extendMethod',
  'replicas',
  'cpuMillicores',
  'memoryMiB',
  'gpuMemoryMiB',
  ...healthColumns,
] as const;

/** Those that a component which was deployed by an earlier version of Trellis lacks. */
type HealthColumn = (typeof healthColumns)[number];

/**
 * What a component was deployed with the last time. A region carries this out, so that starting or scaling the
 * component does not deploy what was changed since. Ports and rules are not part of it, because they take effect
 * at once.
 */
export interface DeployedSpec
  extends Omit<Pick<Row<'Component'>, (typeof deployedColumns)[number]>, HealthColumn>,
    Partial<Pick<Row<'Component'>, HealthColumn>> {
  /** Its own variables of both scopes, with their values decrypted. */
  variables: { name: string; value: string; isSecret: boolean; scope: string }[];
  volumes: Omit<NewRow<'Volume'>, 'componentId'>[];
  /** The ids of the components that it depends on. */
  dependencies: string[];
}
