import { actionsWith, changing, type Requirement } from '../../kernel/access.ts';
import { isHttp } from './model.ts';

interface PortRequirement extends Requirement {
  /** Whether the protocol of the port must be one that HTTP rules expose. */
  needsHttp?: true;
}

export const portActions = actionsWith({
  changePortAlias: changing,
  changePortProtocol: changing,
  closeInnerService: changing,
  closeOuterService: changing,
  createHttpRule: { ...changing, needsHttp: true },
  createTcpRule: changing,
  deletePort: changing,
  openInnerService: changing,
  openOuterService: changing,
});
export type PortAction = keyof typeof portActions;

export function isPossible({ protocol }: { protocol: string }, action: PortAction): boolean {
  const { needsHttp }: PortRequirement = portActions[action];
  return !needsHttp || isHttp(protocol);
}
