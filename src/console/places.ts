import type { introspection } from './generated/schema.d.ts';

type Mutation = keyof introspection['types']['Mutation']['fields'];

/** Where a mutation is: the address of the page, and the control that it has there or in a menu of it. */
interface MutationControl {
  page: string;
  control: string;
}
/** Why no person does it in the console. */
interface Nowhere {
  reason: string;
}

const home = '/';
const team = '/teams/:name';
const application = '/applications/:id';
const component = '/components/:uid';
const network = `${component}/network` as const;
const configuration = `${component}/configuration` as const;
const runs = `${component}/runs` as const;
const port = '/components/:uid/ports/:number';
const rule = '/rules/:id';
const region = '/regions/:name';
const webhook = '/webhooks/:uid';

/** Where the console has each mutation. A test opens each page and looks for the control. */
export const places = {
  createTeam: { page: home, control: 'New team' },
  updateTeam: { page: team, control: 'Edit team' },
  deleteTeam: { page: team, control: 'Delete team' },
  createApplication: { page: team, control: 'New application' },
  applyManifest: { page: `${application}/manifest`, control: 'Edit' },
  openTeamRegion: { page: region, control: 'Open for a team' },
  setTeamQuota: { page: `${team}/usage`, control: 'Set quota' },
  closeTeamRegion: { page: `${team}/usage`, control: 'Close region' },

  addTeamMember: { page: `${team}/members`, control: 'Add member' },
  changeTeamMemberRole: { page: `${team}/members`, control: 'Change roles' },
  removeTeamMember: { page: `${team}/members`, control: 'Remove member' },
  setGroupRole: { page: `${team}/members`, control: 'Set group role' },
  createServiceAccount: { page: `${team}/automation`, control: 'New service account' },
  updateServiceAccount: { page: `${team}/automation`, control: 'Edit' },
  deleteServiceAccount: { page: `${team}/automation`, control: 'Delete' },
  addTrust: { page: `${team}/automation`, control: 'Trust a pipeline' },
  removeTrust: { page: `${team}/automation`, control: 'Remove trust' },
  createWebhook: { page: `${team}/webhooks`, control: 'New webhook' },
  updateWebhook: { page: webhook, control: 'Edit' },
  deleteWebhook: { page: webhook, control: 'Delete' },
  rotateWebhookSecret: { page: webhook, control: 'Rotate secret' },
  testWebhook: { page: webhook, control: 'Send test' },
  redeliver: { page: webhook, control: 'Redeliver' },
  createUser: { page: '/users', control: 'New user' },
  updateUser: { page: '/users/:uid', control: 'Edit user' },
  createRole: { page: '/roles', control: 'New role' },
  updateRole: { page: '/roles', control: 'Edit' },
  deleteRole: { page: '/roles', control: 'Delete' },
  createAccessToken: { page: '/account', control: 'New token' },
  revokeAccessToken: { page: '/account', control: 'Revoke' },
  endSession: { page: '/account', control: 'End session' },

  createRegion: { page: '/regions', control: 'New region' },
  updateRegion: { page: region, control: 'Edit region' },
  deleteRegion: { page: region, control: 'Delete region' },
  importNamespace: { page: region, control: 'Import' },
  removeRegionOrphans: { page: region, control: 'Remove leftovers' },

  updateApplication: { page: application, control: 'Edit' },
  deleteApplication: { page: application, control: 'Delete' },
  deployApplication: { page: application, control: 'Deploy' },
  startApplication: { page: application, control: 'Start' },
  stopApplication: { page: application, control: 'Stop' },
  rollbackApplication: { page: application, control: 'Roll back' },
  restartApplication: { page: application, control: 'Restart' },
  installApplication: { page: application, control: 'Install' },
  upgradeApplication: { page: application, control: 'Upgrade' },
  publishApplication: { page: application, control: 'Publish' },
  copyApplication: { page: application, control: 'Copy' },
  uninstallComponentGroup: { page: `${application}/upgrades`, control: 'Uninstall' },
  rollbackUpgrade: { page: `${application}/upgrades`, control: 'Roll back' },
  publishTemplate: { page: '/templates', control: 'Publish template' },
  enableTemplateVersion: { page: '/templates/:id', control: 'Enable' },
  disableTemplateVersion: { page: '/templates/:id', control: 'Disable' },
  deleteTemplateVersion: { page: '/templates/:id', control: 'Delete' },
  cancelJob: { page: '/jobs/:id', control: 'Cancel job' },

  createComponent: { page: application, control: 'New component' },
  updateComponent: { page: component, control: 'New image…' },
  deleteComponent: { page: component, control: 'Delete' },
  deployComponent: { page: component, control: 'Deploy' },
  startComponent: { page: component, control: 'Start' },
  stopComponent: { page: component, control: 'Stop' },
  restartComponent: { page: component, control: 'Restart' },
  scaleComponent: { page: component, control: 'Scale' },
  rollbackComponent: { page: `${component}/history`, control: 'Roll back' },
  promoteRelease: { page: `${component}/history`, control: 'Promote' },
  setAutoscaling: { page: configuration, control: 'Autoscaling' },
  removeAutoscaling: { page: configuration, control: 'Remove autoscaling' },
  setPlacement: { page: configuration, control: 'Placement' },
  deleteInstance: { page: component, control: 'Delete' },
  setVariables: { page: configuration, control: 'Edit variables' },
  setProbes: { page: configuration, control: 'Set health checks' },
  runComponent: { page: runs, control: 'Run command' },
  cancelRun: { page: runs, control: 'Cancel run' },
  createSchedule: { page: runs, control: 'New schedule' },
  updateSchedule: { page: runs, control: 'Edit schedule' },
  deleteSchedule: { page: runs, control: 'Delete schedule' },
  openPreview: { page: `${application}/previews`, control: 'Open preview' },
  closePreview: { page: `${application}/previews`, control: 'Close preview' },
  createDeployHook: { page: configuration, control: 'New deploy hook' },
  updateDeployHook: { page: configuration, control: 'Edit deploy hook' },
  rotateDeployHook: { page: configuration, control: 'Replace URL' },
  deleteDeployHook: { page: configuration, control: 'Delete deploy hook' },
  addVolume: { page: configuration, control: 'Add volume' },
  updateVolume: { page: configuration, control: 'Edit' },
  deleteVolume: { page: configuration, control: 'Delete' },
  createVolumeSnapshot: { page: configuration, control: 'Create snapshot' },
  deleteVolumeSnapshot: { page: configuration, control: 'Delete snapshot' },
  setSnapshotSchedule: { page: configuration, control: 'Set snapshot schedule' },
  removeSnapshotSchedule: { page: configuration, control: 'Remove snapshot schedule' },
  restoreVolumeSnapshot: { page: configuration, control: 'Restore snapshot' },
  addDependency: { page: network, control: 'Add dependency' },
  deleteDependency: { page: network, control: 'Remove' },
  createRegistryCredential: { page: `${team}/registries`, control: 'Add credential' },
  updateRegistryCredential: { page: `${team}/registries`, control: 'Edit' },
  deleteRegistryCredential: { page: `${team}/registries`, control: 'Delete' },

  addPort: { page: network, control: 'Add port' },
  changePortAlias: { page: port, control: 'Change alias' },
  changePortProtocol: { page: port, control: 'Change protocol' },
  deletePort: { page: port, control: 'Delete port' },
  openOuterService: { page: port, control: 'Outside' },
  closeOuterService: { page: port, control: 'Outside' },
  openInnerService: { page: port, control: 'Inside' },
  closeInnerService: { page: port, control: 'Inside' },
  createHttpRule: { page: port, control: 'Add HTTP rule' },
  createTcpRule: { page: port, control: 'Add TCP rule' },
  updateHttpRule: { page: rule, control: 'Edit rule' },
  updateTcpRule: { page: rule, control: 'Edit rule' },
  deleteGatewayRule: { page: rule, control: 'Delete rule' },
  addCertificate: { page: `${team}/certificates`, control: 'Add certificate' },
  replaceCertificate: { page: `${team}/certificates`, control: 'Replace' },
  deleteCertificate: { page: `${team}/certificates`, control: 'Delete' },
} satisfies Record<Mutation, MutationControl | Nowhere>;
