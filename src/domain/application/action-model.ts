import { type Actions, changing, type RoleRequirement } from '../../kernel/access.ts';

/** The actions on an application. */
export const applicationActions = {
  createComponent: changing,
  createHttpRule: changing,
  createTcpRule: changing,
  deleteApplication: changing,
  deployApplication: changing,
  installApplication: changing,
  publishApplication: { role: 'developer' },
  restartApplication: changing,
  startApplication: changing,
  stopApplication: changing,
  updateApplication: changing,
  upgradeApplication: changing,
} as const satisfies Actions<RoleRequirement>;
export type ApplicationAction = keyof typeof applicationActions;
