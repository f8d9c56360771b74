import type { NewRow, Row } from '../../../db/tables.ts';
import { autoscalingColumns } from '../autoscaling/model.ts';
import { limitColumns } from '../limits-model.ts';

/** Those that are not stored while they are null, so that what was deployed before there were any is the same as now. */
export const optionalColumns = ['entrypoint', 'preDeployCommand', ...limitColumns] as const;

const laterColumns = [
  ...optionalColumns,
  ...autoscalingColumns,
  'startupProbe',
  'readinessProbe',
  'livenessProbe',
  'placement',
  'checksPorts',
  'preStopSeconds',
  'terminationGracePeriodSeconds',
  'deployDeadlineSeconds',
  'preDeployTimeoutSeconds',
  'needsRoot',
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
  ...laterColumns,
] as const;

/** Those that a component which was deployed by an earlier version of Trellis lacks. */
type LaterColumn = (typeof laterColumns)[number];

interface DeployedVariable extends Partial<Pick<Variable, (typeof variableAttributes)[number]>> {
  name: string;
  value: string;
  isSecret: boolean;
  scope: string;
}
type Variable = Row<'EnvironmentVariable'>;

/** Fields of a variable that no cluster needs, and that a release brings back. Components that were deployed by an earlier version lack them. */
const variableAttributes = ['label', 'isChangeable', 'portNumber'] as const;

/**
 * The spec of the last deploy of a component. A region carries this out, so that starting or scaling the
 * component does not deploy what was changed since. Ports and rules are not part of it, because they take effect
 * at once.
 */
export interface DeployedSpec
  extends Omit<Pick<Row<'Component'>, (typeof deployedColumns)[number]>, LaterColumn>,
    Partial<Pick<Row<'Component'>, LaterColumn>> {
  /** Its own variables of both scopes, with their values decrypted. */
  variables: DeployedVariable[];
  /** Those that components share say so, and those of copies that begin with the data of a snapshot. */
  volumes: (Omit<NewRow<'Volume'>, 'componentId' | 'isShared' | 'source'> & {
    isShared?: boolean;
    source?: string | null;
  })[];
  /** The ids of the components that it depends on. */
  dependencies: string[];
}
