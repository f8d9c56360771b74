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
  changePortAlias: 'developer',
  changePortProtocol: 'developer',
  changeTeamMemberRole: 'admin',
  closeInnerService: 'developer',
  closeOuterService: 'developer',
  closeTeamRegion: 'admin',
  createAccessToken: 'admin',
  createApplication: 'developer',
  createComponent: 'developer',
  createHttpRule: 'developer',
  createRegion: 'administrator',
  createRegistryCredential: 'developer',
  createRole: 'administrator',
  createServiceAccount: 'admin',
  createTcpRule: 'developer',
  createTeam: 'administrator',
  createUser: 'administrator',
  deleteApplication: 'developer',
  deleteCertificate: 'developer',
  deleteComponent: 'developer',
  deleteDependency: 'developer',
  deleteGatewayRule: 'developer',
  deleteInstance: 'developer',
  deletePort: 'developer',
  deleteRegion: 'administrator',
  deleteRegistryCredential: 'developer',
  deleteRole: 'administrator',
  deleteServiceAccount: 'admin',
  deleteTeam: 'owner',
  deleteTemplateVersion: 'developer',
  deleteVolume: 'developer',
  deployApplication: 'developer',
  deployComponent: 'developer',
  disableTemplateVersion: 'developer',
  enableTemplateVersion: 'developer',
  endSession: 'administrator',
  importNamespace: 'administrator',
  installApplication: 'developer',
  openInnerService: 'developer',
  openOuterService: 'developer',
  openTeamRegion: 'admin',
  publishApplication: 'developer',
  publishTemplate: 'administrator',
  removeRegionOrphans: 'administrator',
  removeTeamMember: 'admin',
  removeTrust: 'admin',
  replaceCertificate: 'developer',
  restartApplication: 'developer',
  restartComponent: 'developer',
  revokeAccessToken: 'admin',
  rollbackUpgrade: 'developer',
  scaleComponent: 'developer',
  setGroupRole: 'admin',
  setProbes: 'developer',
  setTeamQuota: 'administrator',
  setVariables: 'developer',
  startApplication: 'developer',
  startComponent: 'developer',
  stopApplication: 'developer',
  stopComponent: 'developer',
  uninstallComponentGroup: 'developer',
  updateApplication: 'developer',
  updateComponent: 'developer',
  updateHttpRule: 'developer',
  updateRegion: 'administrator',
  updateRegistryCredential: 'developer',
  updateRole: 'administrator',
  updateServiceAccount: 'admin',
  updateTcpRule: 'developer',
  updateTeam: 'owner',
  updateUser: 'administrator',
  updateVolume: 'developer',
  upgradeApplication: 'developer',
} as const satisfies { [action: string]: Role | 'administrator' };
export type Action = keyof typeof requiredRoles;

export type ActionSet = ReadonlySet<Action>;

/** All actions, as administrators have them. */
export const allActions: ActionSet = new Set(Object.keys(requiredRoles) as Action[]);

export const isAction = (name: string): name is Action => Object.hasOwn(requiredRoles, name);

/** The actions that a role in a team can include. */
export const teamActionNames = [...allActions].filter((action) => requiredRoles[action] !== 'administrator');

const actionsByRole = Object.fromEntries(
  roles.map((role, rank) => [
    role,
    new Set(teamActionNames.filter((action) => roles.indexOf(requiredRoles[action] as Role) <= rank)),
  ]),
) as unknown as { [role in Role]: ActionSet };

/** The actions that a role includes. The same set each time. */
export const actionsOfRole = (role: Role): ActionSet => actionsByRole[role];
