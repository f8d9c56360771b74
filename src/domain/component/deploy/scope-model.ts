import { z } from 'zod';
import { type DeployState, isClosed } from '../state-model.ts';

/**
 * Which components a change deploys, by their desired state, whoever set that. What is stopped stays stopped, unless
 * `startStopped` is set. Only `deployComponent` and `deploy` of `updateComponent`, which ask for nothing else, need no scope.
 */
const deployScopes = {
  /** Whatever a change has to deploy: an application, what a manifest writes, a release, what a deploy hook asks for. */
  every: { undeploy: true, running: true, closed: false },
  /** Running components that get another configuration: an upgrade, an apply of changes, a rollback of an application. */
  running: { undeploy: false, running: true, closed: false },
} as const satisfies { [scope: string]: { [state in DeployState]: boolean } };
type DeployScope = keyof typeof deployScopes;

interface Desired {
  deployState: string;
}

export interface StartStopped {
  startStopped?: boolean | null;
}

/** Whether a component that a change can deploy is deployed by it. */
export const isDeployedBy = (
  scope: DeployScope,
  component: Desired,
  { startStopped }: StartStopped = {},
): boolean =>
  deployScopes[scope][component.deployState as DeployState] || (isClosed(component) && startStopped === true);

/** The names of components that a change could deploy and leaves stopped, in order. */
export const leftStopped = (
  scope: DeployScope,
  components: readonly (Desired & { name: string })[],
  options: StartStopped = {},
): string[] =>
  components
    .filter((component) => isClosed(component) && !isDeployedBy(scope, component, options))
    .map(({ name }) => name)
    .sort();

export const startStopped = z
  .boolean()
  .nullish()
  .describe('Whether to deploy stopped components as well, which starts them. Defaults to false.');

/** The field `leftStopped` of plans and payloads. */
export const leftStoppedDescription =
  'The names of the stopped components that are not deployed, because `startStopped` is not true.';
