import { actionsOfRole } from '../../src/kernel/actions.ts';

/** What a mutation gives to others or takes from them with its input, beside itself: a token that makes it has to allow that, too. */
export const givenAway: Record<string, readonly string[]> = {
  addTeamMember: [...actionsOfRole('admin')],
  changeTeamMemberRole: [...actionsOfRole('admin')],
  setGroupRole: [...actionsOfRole('viewer')],
  removeTeamMember: [...actionsOfRole('viewer')],
  createServiceAccount: [...actionsOfRole('developer')],
  updateServiceAccount: [...actionsOfRole('developer')],
  createWebhook: [...actionsOfRole('developer')],
  updateWebhook: [...actionsOfRole('developer')],
  createRole: ['deployComponent'],
  updateRole: ['stopComponent'],
  createDeployHook: ['updateComponent', 'deployComponent'],
  updateDeployHook: ['updateComponent', 'deployComponent'],
  rotateDeployHook: ['updateComponent', 'deployComponent'],
};
