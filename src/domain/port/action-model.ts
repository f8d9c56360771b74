import { actionsWith, changing, type Requirement } from '../../kernel/access.ts';
import type { ActionOn } from '../../kernel/actions.ts';
import { isHttp } from './model.ts';

interface PortRequirement extends Requirement {
  /** Whether the protocol of the port must be one that HTTP rules expose. */
  needsHttp?: true;
}

export const portActions = actionsWith('Port', {
  createHttpRule: { ...changing, needsHttp: true },
});
export type PortAction = ActionOn<'Port'>;

export function isPossible({ protocol }: { protocol: string }, action: PortAction): boolean {
  const { needsHttp }: PortRequirement = portActions[action];
  return !needsHttp || isHttp(protocol);
}
