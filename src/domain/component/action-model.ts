import { actionsWith, changing, type Requirement } from '../../kernel/access.ts';
import type { ActionOn } from '../../kernel/actions.ts';
import { type DeployAction, nextDeployState } from './state-model.ts';

interface ComponentRequirement extends Requirement {
  /** For an action that needs a deploy state that allows it, its name in `deployStates`. */
  move?: DeployAction;
  /** Actions that it lets others do, which the caller must be allowed to do as well. */
  gives?: readonly ('updateComponent' | 'deployComponent')[];
}

export const componentActions = actionsWith('Component', {
  createDeployHook: { ...changing, gives: ['updateComponent', 'deployComponent'] },
  deployComponent: { ...changing, move: 'deploy' },
  removeAutoscaling: { ...changing, move: 'scale' },
  restartComponent: { ...changing, move: 'restart' },
  rollbackComponent: { ...changing, move: 'deploy' },
  scaleComponent: { ...changing, move: 'scale' },
  setAutoscaling: { ...changing, move: 'scale' },
  startComponent: { ...changing, move: 'start' },
  stopComponent: { ...changing, move: 'stop' },
});
export type ComponentAction = ActionOn<'Component'>;

/** The action, and those that it gives to others. */
export function allOf(action: ComponentAction): ComponentAction[] {
  const { gives = [] }: ComponentRequirement = componentActions[action];
  return [action, ...gives];
}

export function isPossible({ deployState }: { deployState: string }, action: ComponentAction): boolean {
  const { move }: ComponentRequirement = componentActions[action];
  return move === undefined || nextDeployState(deployState, move) !== undefined;
}
