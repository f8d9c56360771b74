import { z } from 'zod';
import { deployedState } from '../region/model.ts';

/** The runtime statuses of a component. A component that was never deployed is `undeploy`. */
export const componentStatuses = {
  running: 'All instances are running.',
  closed: 'Stopped by a user.',
  starting: 'Starting.',
  waiting: 'Waiting for its dependencies.',
  stopping: 'Stopping.',
  abnormal: 'No instance is healthy.',
  some_abnormal: 'Some instances are not healthy.',
  unknown: 'The status cannot be determined.',
  upgrade: 'Being upgraded.',
  building: 'Being built.',
  build_failure: 'The build failed.',
  undeploy: 'Never deployed.',
  succeeded: 'Ran to completion.',
  paused: 'Paused.',
} as const;
export type ComponentStatus = keyof typeof componentStatuses;
const statusNames = Object.keys(componentStatuses) as [ComponentStatus, ...ComponentStatus[]];
export const componentStatus = z.enum(statusNames);

/** The names of the statuses in GraphQL. REST has the contract's words. */
export const stateNames: Record<ComponentStatus, string> = {
  running: 'RUNNING',
  closed: 'STOPPED',
  starting: 'STARTING',
  waiting: 'WAITING',
  stopping: 'STOPPING',
  abnormal: 'UNHEALTHY',
  some_abnormal: 'PARTLY_UNHEALTHY',
  unknown: 'UNKNOWN',
  upgrade: 'UPGRADING',
  building: 'BUILDING',
  build_failure: 'BUILD_FAILED',
  undeploy: 'NOT_DEPLOYED',
  succeeded: 'SUCCEEDED',
  paused: 'PAUSED',
};

/** The statuses of components that are not healthy: none of their instances is, or some are not. */
export const unhealthyStatuses: { readonly [status in ComponentStatus]?: 'all' | 'some' } = {
  abnormal: 'all',
  build_failure: 'all',
  some_abnormal: 'some',
};

/**
 * How far the status of a component is from its desired state while no work on it is in progress: what is to run does not, or what
 * was to be stopped still runs.
 */
export function unhealthyBy(
  status: ComponentStatus,
  component: { deployState: string },
): 'all' | 'some' | undefined {
  if (isDeployed(component) && (status === 'undeploy' || status === 'closed')) return 'all';
  if (isClosed(component) && status === 'running') return 'some';
  return unhealthyStatuses[status];
}

/**
 * The desired state of a component, and what each action makes of it. An action that a state does not list is a
 * conflict. `drop` is what an upgrade does to a component that the new version of its template no longer has.
 */
export const deployStates = {
  undeploy: { deploy: deployedState, scale: 'undeploy', drop: 'closed' },
  [deployedState]: {
    deploy: deployedState,
    restart: deployedState,
    stop: 'closed',
    scale: deployedState,
    drop: 'closed',
  },
  closed: { deploy: deployedState, start: deployedState, scale: 'closed' },
} as const satisfies { [state: string]: { [action in DeployAction]?: string } };
export type DeployState = keyof typeof deployStates;
export type DeployAction = 'deploy' | 'start' | 'stop' | 'restart' | 'scale' | 'drop';

/** The state after an action; undefined where the state does not allow it. */
export const nextDeployState = (state: string, action: DeployAction): DeployState | undefined =>
  (deployStates[state as DeployState] as { [action in DeployAction]?: DeployState })[action];

/** A state in a message: `The component web is stopped.` */
export const stateText = ({ deployState }: { deployState: string }): string =>
  ({ undeploy: 'was never deployed', running: 'is running', closed: 'is stopped' })[
    deployState as DeployState
  ];
/** The state of a component that is created, and of one that an upgrade brings back. */
export const initialDeployState = (isDeployed: boolean): DeployState =>
  isDeployed ? deployStates.undeploy.deploy : 'undeploy';

export const isClosed = ({ deployState }: { deployState: string }) => deployState === 'closed';
export const isDeployed = ({ deployState }: { deployState: string }) => deployState === deployedState;

/** Whether a component was deployed before, so that changes of it take effect with its next deploy. */
export const wasDeployed = ({ deployState }: { deployState: string }) => deployState !== 'undeploy';

/** The cluster can still have objects of a component that was deployed before, whatever its current state. */
export const isInCluster = (component: { deployState: string; generation: number }) =>
  wasDeployed(component) || component.generation > 0;
