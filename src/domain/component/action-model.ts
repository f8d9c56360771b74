import { actionsWith, changing, type Requirement } from '../../kernel/access.ts';
import { type DeployAction, nextDeployState } from './model.ts';

interface ComponentRequirement extends Requirement {
  /** For an action that needs a deploy state that allows it, its name in `deployStates`. */
  move?: DeployAction;
  /** Actions that it lets others do, which the caller must be allowed to do as well. */
  gives?: readonly ('updateComponent' | 'deployComponent')[];
}

export const componentActions = actionsWith({
  addDependency: changing,
  addPort: changing,
  addVolume: changing,
  createDeployHook: { ...changing, gives: ['updateComponent', 'deployComponent'] },
  createHttpRule: changing,
  createSchedule: changing,
  createTcpRule: changing,
  deleteComponent: changing,
  deleteDependency: changing,
  deleteInstance: changing,
  deployComponent: { ...changing, move: 'deploy' },
  removeAutoscaling: { ...changing, move: 'scale' },
  restartComponent: { ...changing, move: 'restart' },
  rollbackComponent: { ...changing, move: 'deploy' },
  runComponent: changing,
  scaleComponent: { ...changing, move: 'scale' },
  setAutoscaling: { ...changing, move: 'scale' },
  setPlacement: changing,
  setProbes: changing,
  setVariables: changing,
  startComponent: { ...changing, move: 'start' },
  stopComponent: { ...changing, move: 'stop' },
  updateComponent: changing,
});
export type ComponentAction = keyof typeof componentActions;

/** The action, and those that it gives to others. */
export function allOf(action: ComponentAction): ComponentAction[] {
  const { gives = [] }: ComponentRequirement = componentActions[action];
  return [action, ...gives];
}

export function isPossible({ deployState }: { deployState: string }, action: ComponentAction): boolean {
  const { move }: ComponentRequirement = componentActions[action];
  return move === undefined || nextDeployState(deployState, move) !== undefined;
}
