import { memoizeByIdentity } from './memo.ts';

/** Roles of a team member, weakest first. Each role includes the rights of the roles before it. */
export const roles = ['viewer', 'developer', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

/**
 * The actions, with the lowest role in the team that includes each. Those of administrators are in no role. Apart from the
 * first ones, each is the mutation of its name.
 */
export const requiredRoles = {
  /** To see an object. Included in every role and grant. */
  read: 'viewer',
  readLogs: 'developer',
  readSecrets: 'developer',
  checkImage: 'developer',

  addCertificate: 'developer',
  addDependency: 'developer',
  addPort: 'developer',
  addTeamMember: 'admin',
  addTrust: 'admin',
  addVolume: 'developer',
  applyManifest: 'developer',
  cancelJob: 'developer',
  cancelRun: 'developer',
  changePortAlias: 'developer',
  changePortProtocol: 'developer',
  changeTeamMemberRole: 'admin',
  closeInnerService: 'developer',
  closeOuterService: 'developer',
  closePreview: 'developer',
  closeTeamRegion: 'admin',
  copyApplication: 'developer',
  createAccessToken: 'admin',
  createApplication: 'developer',
  createComponent: 'developer',
  createDeployHook: 'developer',
  createHttpRule: 'developer',
  createRegion: 'administrator',
  createRegistryCredential: 'developer',
  createRole: 'administrator',
  createSchedule: 'developer',
  createServiceAccount: 'admin',
  createTcpRule: 'developer',
  createTeam: 'administrator',
  createUser: 'administrator',
  createVolumeSnapshot: 'developer',
  createWebhook: 'admin',
  deleteApplication: 'developer',
  deleteCertificate: 'developer',
  deleteComponent: 'developer',
  deleteDependency: 'developer',
  deleteDeployHook: 'developer',
  deleteGatewayRule: 'developer',
  deleteInstance: 'developer',
  deletePort: 'developer',
  deleteRegion: 'administrator',
  deleteRegistryCredential: 'developer',
  deleteRole: 'administrator',
  deleteSchedule: 'developer',
  deleteServiceAccount: 'admin',
  deleteTeam: 'owner',
  deleteTemplateVersion: 'developer',
  deleteVolume: 'developer',
  deleteVolumeSnapshot: 'developer',
  deleteWebhook: 'admin',
  deployApplication: 'developer',
  deployComponent: 'developer',
  disableTemplateVersion: 'developer',
  enableTemplateVersion: 'developer',
  endSession: 'administrator',
  importNamespace: 'administrator',
  installApplication: 'developer',
  openInnerService: 'developer',
  openOuterService: 'developer',
  openPreview: 'developer',
  openTeamRegion: 'admin',
  promoteRelease: 'developer',
  publishApplication: 'developer',
  publishTemplate: 'administrator',
  redeliver: 'admin',
  removeAutoscaling: 'developer',
  removeRegionOrphans: 'administrator',
  removeSnapshotSchedule: 'developer',
  removeTeamMember: 'admin',
  removeTrust: 'admin',
  replaceCertificate: 'developer',
  restartApplication: 'developer',
  restartComponent: 'developer',
  restoreVolumeSnapshot: 'developer',
  revokeAccessToken: 'admin',
  rollbackApplication: 'developer',
  rollbackComponent: 'developer',
  rollbackUpgrade: 'developer',
  rotateWebhookSecret: 'admin',
  rotateDeployHook: 'developer',
  runComponent: 'developer',
  scaleComponent: 'developer',
  setAutoscaling: 'developer',
  setGroupRole: 'admin',
  setPlacement: 'developer',
  setProbes: 'developer',
  setSnapshotSchedule: 'developer',
  setTeamQuota: 'administrator',
  setVariables: 'developer',
  startApplication: 'developer',
  startComponent: 'developer',
  stopApplication: 'developer',
  stopComponent: 'developer',
  testWebhook: 'admin',
  uninstallComponentGroup: 'developer',
  updateApplication: 'developer',
  updateComponent: 'developer',
  updateDeployHook: 'developer',
  updateHttpRule: 'developer',
  updateRegion: 'administrator',
  updateRegistryCredential: 'developer',
  updateRole: 'administrator',
  updateSchedule: 'developer',
  updateServiceAccount: 'admin',
  updateTcpRule: 'developer',
  updateTeam: 'owner',
  updateUser: 'administrator',
  updateVolume: 'developer',
  updateWebhook: 'admin',
  upgradeApplication: 'developer',
} as const satisfies { [action: string]: Role | 'administrator' };
export type Action = keyof typeof requiredRoles;

export type ActionSet = ReadonlySet<Action>;

/** All actions, as administrators have them. */
export const allActions: ActionSet = new Set(Object.keys(requiredRoles) as Action[]);

/**
 * Actions that give lasting access: to people, to systems that get events, and to who has a URL. A short-lived access token
 * that is not limited does not include them.
 */
const lastingActions: ActionSet = new Set<Action>([
  'addTeamMember',
  'changeTeamMemberRole',
  'createDeployHook',
  'createUser',
  'createWebhook',
  'rotateDeployHook',
  'rotateWebhookSecret',
  'setGroupRole',
  'updateRole',
  'updateServiceAccount',
  'updateUser',
  'updateWebhook',
]);

/** Actions without those whose effects give access for longer than a short-lived token. The same set for the same one. */
export const withoutLasting = memoizeByIdentity(
  (actions: ActionSet): ActionSet => new Set([...actions].filter((action) => !lastingActions.has(action))),
);

export const isAction = (name: string): name is Action => Object.hasOwn(requiredRoles, name);

/** The actions that a role in a team can include. */
const teamActionNames = [...allActions].filter((action) => requiredRoles[action] !== 'administrator');

const actionsByRole = Object.fromEntries(
  roles.map((role, rank) => [
    role,
    new Set(teamActionNames.filter((action) => roles.indexOf(requiredRoles[action] as Role) <= rank)),
  ]),
) as unknown as { [role in Role]: ActionSet };

/** The actions that a role includes. The same set each time. */
export const actionsOfRole = (role: Role): ActionSet => actionsByRole[role];
