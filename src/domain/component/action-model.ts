import { actionsWith, changing, type Requirement } from '../../kernel/access.ts';
import { type DeployAction, nextDeployState } from './model.ts';

/** An action that needs a deploy state that allows it has a `move`, by its name in `deployStates`. */
interface ComponentRequirement extends Requirement {
  move?: DeployAction;
}

/** The actions on a component. */
export const componentActions = actionsWith({
  addDependency: changing,
  addPort: changing,
  addVolume: changing,
  createHttpRule: changing,
  createTcpRule: changing,
  deleteComponent: changing,
  deleteDependency: changing,
  deleteInstance: changing,
  deployComponent: { ...changing, move: 'deploy' },
  restartComponent: { ...changing, move: 'restart' },
  scaleComponent: { ...changing, move: 'scale' },
  setProbes: changing,
  setVariables: changing,
  startComponent: { ...changing, move: 'start' },
  stopComponent: { ...changing, move: 'stop' },
  updateComponent: changing,
});
export type ComponentAction = keyof typeof componentActions;

/** Whether the deploy state of a component allows the action. */
export function isPossible({ deployState }: { deployState: string }, action: ComponentAction): boolean {
  const { move }: ComponentRequirement = componentActions[action];
  return move === undefined || nextDeployState(deployState, move) !== undefined;
}
