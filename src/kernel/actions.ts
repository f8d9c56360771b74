import { memoizeByIdentity } from './memo.ts';

/** Roles of a team member, weakest first. Each role includes the rights of the roles before it. */
export const roles = ['viewer', 'developer', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

/** The types whose objects say with `viewerCan` what the caller can do with them. */
export type ActedOn = 'Team' | 'Region' | 'Application' | 'Component' | 'Port';

interface ActionGroup {
  title: string;
  /** The smallest place that a token with the actions can be limited to. */
  place: 'component' | 'application' | 'team' | 'enterprise';
  /**
   * The lowest role in the team that includes each action, what it does in words, and the types whose `viewerCan` has it.
   * Those of administrators are in no role.
   */
  actions: {
    readonly [action: string]: readonly [role: Role | 'administrator', words: string, ...on: ActedOn[]];
  };
}

/**
 * The actions by group. Each is the mutation of its name, apart from `readLogs`, `readSecrets` and `checkImage`. The
 * console shows them in this order.
 */
export const actionGroups = [
  {
    title: 'Components',
    place: 'component',
    actions: {
      readLogs: ['developer', 'read logs'],
      readSecrets: ['developer', 'read secret variables'],
      checkImage: ['developer', 'check images'],
      createComponent: ['developer', 'create', 'Application'],
      updateComponent: ['developer', 'change image and settings', 'Component'],
      setVariables: ['developer', 'change variables', 'Component'],
      setProbes: ['developer', 'change health checks', 'Component'],
      setAutoscaling: ['developer', 'set autoscaling', 'Component'],
      removeAutoscaling: ['developer', 'remove autoscaling', 'Component'],
      setPlacement: ['developer', 'change placement', 'Component'],
      deployComponent: ['developer', 'deploy', 'Component'],
      rollbackComponent: ['developer', 'roll back', 'Component'],
      promoteRelease: ['developer', 'promote releases'],
      startComponent: ['developer', 'start', 'Component'],
      stopComponent: ['developer', 'stop', 'Component'],
      restartComponent: ['developer', 'restart', 'Component'],
      scaleComponent: ['developer', 'scale', 'Component'],
      deleteInstance: ['developer', 'delete instances', 'Component'],
      addVolume: ['developer', 'add volumes', 'Component'],
      updateVolume: ['developer', 'change volumes'],
      deleteVolume: ['developer', 'delete volumes'],
      createVolumeSnapshot: ['developer', 'create snapshots of volumes'],
      restoreVolumeSnapshot: ['developer', 'restore volumes from snapshots'],
      setSnapshotSchedule: ['developer', 'set snapshot schedules'],
      removeSnapshotSchedule: ['developer', 'remove snapshot schedules'],
      deleteVolumeSnapshot: ['developer', 'delete snapshots of volumes'],
      addDependency: ['developer', 'add dependencies', 'Component'],
      deleteDependency: ['developer', 'remove dependencies', 'Component'],
      cancelJob: ['developer', 'cancel jobs'],
      cancelRun: ['developer', 'cancel runs'],
      runComponent: ['developer', 'run commands', 'Component'],
      createSchedule: ['developer', 'create schedules', 'Component'],
      updateSchedule: ['developer', 'change schedules'],
      deleteSchedule: ['developer', 'delete schedules'],
      createDeployHook: ['developer', 'create deploy hooks', 'Component'],
      updateDeployHook: ['developer', 'change deploy hooks'],
      rotateDeployHook: ['developer', 'replace URLs of deploy hooks'],
      deleteDeployHook: ['developer', 'delete deploy hooks'],
      deleteComponent: ['developer', 'delete', 'Component'],
    },
  },
  {
    title: 'Ports',
    place: 'component',
    actions: {
      addPort: ['developer', 'add', 'Component'],
      changePortAlias: ['developer', 'change aliases', 'Port'],
      changePortProtocol: ['developer', 'change protocols', 'Port'],
      openOuterService: ['developer', 'open to the outside', 'Port'],
      closeOuterService: ['developer', 'close to the outside', 'Port'],
      openInnerService: ['developer', 'open inside the cluster', 'Port'],
      closeInnerService: ['developer', 'close inside the cluster', 'Port'],
      deletePort: ['developer', 'delete', 'Port'],
    },
  },
  {
    title: 'Gateway rules',
    place: 'component',
    actions: {
      createHttpRule: ['developer', 'create HTTP rules', 'Application', 'Component', 'Port'],
      updateHttpRule: ['developer', 'change HTTP rules'],
      createTcpRule: ['developer', 'create TCP rules', 'Application', 'Component', 'Port'],
      updateTcpRule: ['developer', 'change TCP rules'],
      deleteGatewayRule: ['developer', 'delete'],
    },
  },
  {
    title: 'Applications',
    place: 'application',
    actions: {
      createApplication: ['developer', 'create', 'Team'],
      copyApplication: ['developer', 'copy', 'Team', 'Application'],
      updateApplication: ['developer', 'change settings', 'Application'],
      applyManifest: ['developer', 'apply manifests', 'Team'],
      deployApplication: ['developer', 'deploy', 'Application'],
      rollbackApplication: ['developer', 'roll back', 'Application'],
      startApplication: ['developer', 'start', 'Application'],
      stopApplication: ['developer', 'stop', 'Application'],
      restartApplication: ['developer', 'restart', 'Application'],
      openPreview: ['developer', 'open previews', 'Application'],
      closePreview: ['developer', 'close previews', 'Application'],
      installApplication: ['developer', 'install templates', 'Application'],
      upgradeApplication: ['developer', 'upgrade templates', 'Application'],
      rollbackUpgrade: ['developer', 'roll back upgrades'],
      uninstallComponentGroup: ['developer', 'uninstall templates'],
      publishApplication: ['developer', 'publish as templates', 'Application'],
      deleteApplication: ['developer', 'delete', 'Application'],
    },
  },
  {
    title: 'Team',
    place: 'team',
    actions: {
      updateTeam: ['owner', 'change settings', 'Team'],
      addTeamMember: ['admin', 'add members', 'Team'],
      changeTeamMemberRole: ['admin', 'change roles of members', 'Team'],
      removeTeamMember: ['admin', 'remove members', 'Team'],
      setGroupRole: ['admin', 'set roles of groups', 'Team'],
      openTeamRegion: ['admin', 'open regions', 'Team'],
      closeTeamRegion: ['admin', 'close regions', 'Team'],
      enableTemplateVersion: ['developer', 'enable template versions'],
      disableTemplateVersion: ['developer', 'disable template versions'],
      deleteTemplateVersion: ['developer', 'delete template versions'],
      deleteTeam: ['owner', 'delete', 'Team'],
    },
  },
  {
    title: 'Certificates',
    place: 'team',
    actions: {
      addCertificate: ['developer', 'add', 'Team'],
      replaceCertificate: ['developer', 'replace'],
      deleteCertificate: ['developer', 'delete'],
    },
  },
  {
    title: 'Registry credentials',
    place: 'team',
    actions: {
      createRegistryCredential: ['developer', 'add', 'Team'],
      updateRegistryCredential: ['developer', 'change'],
      deleteRegistryCredential: ['developer', 'delete'],
    },
  },
  {
    title: 'Service accounts and tokens',
    place: 'team',
    actions: {
      createServiceAccount: ['admin', 'create service accounts', 'Team'],
      updateServiceAccount: ['admin', 'change service accounts'],
      deleteServiceAccount: ['admin', 'delete service accounts'],
      addTrust: ['admin', 'trust pipelines'],
      removeTrust: ['admin', 'stop trusting pipelines'],
      createAccessToken: ['admin', 'create tokens'],
      revokeAccessToken: ['admin', 'revoke tokens'],
    },
  },
  {
    title: 'Webhooks',
    place: 'team',
    actions: {
      createWebhook: ['admin', 'create', 'Team'],
      updateWebhook: ['admin', 'change'],
      testWebhook: ['admin', 'test'],
      redeliver: ['admin', 'redeliver messages'],
      rotateWebhookSecret: ['admin', 'rotate secrets'],
      deleteWebhook: ['admin', 'delete'],
    },
  },
  {
    title: 'Enterprise',
    place: 'enterprise',
    actions: {
      createTeam: ['administrator', 'create teams'],
      createUser: ['administrator', 'create users'],
      updateUser: ['administrator', 'change users'],
      endSession: ['administrator', 'end sessions'],
      createRole: ['administrator', 'create roles'],
      updateRole: ['administrator', 'change roles'],
      deleteRole: ['administrator', 'delete roles'],
      createRegion: ['administrator', 'create regions'],
      updateRegion: ['administrator', 'change regions', 'Region'],
      deleteRegion: ['administrator', 'delete regions', 'Region'],
      setTeamQuota: ['administrator', 'set quotas', 'Team'],
      importNamespace: ['administrator', 'import namespaces', 'Team'],
      removeRegionOrphans: ['administrator', 'remove leftovers in clusters', 'Region'],
      publishTemplate: ['administrator', 'publish templates for all teams'],
    },
  },
] as const satisfies readonly ActionGroup[];

type Actions = (typeof actionGroups)[number]['actions'];
type NamesIn<A> = A extends unknown ? keyof A : never;
/** `read` is to see an object. It is included in every role and grant. */
export type Action = 'read' | NamesIn<Actions>;

type NamesOn<A, On> = A extends unknown
  ? {
      [Name in keyof A]: A[Name] extends readonly [unknown, unknown, ...infer Types]
        ? On extends Types[number]
          ? Name
          : never
        : never;
    }[keyof A]
  : never;
/** The actions on objects of a type. */
export type ActionOn<On extends ActedOn> = NamesOn<Actions, On>;

const rows: [action: string, ActionGroup['actions'][string]][] = [
  ['read', ['viewer', 'read']],
  ...actionGroups.flatMap(({ actions }: ActionGroup) => Object.entries(actions)),
];

export const actionsOn = <On extends ActedOn>(type: On) =>
  rows.filter(([, [, , ...on]]) => on.includes(type)).map(([action]) => action as ActionOn<On>);

export type ActionSet = ReadonlySet<Action>;

/** The lowest role in the team that includes each action. */
export const requiredRoles = Object.fromEntries(rows.map(([action, [role]]) => [action, role])) as {
  readonly [action in Action]: Role | 'administrator';
};

/** What each action does in words: `rotate secrets`. */
export const actionWords = Object.fromEntries(rows.map(([action, [, words]]) => [action, words])) as {
  readonly [action in Action]: string;
};

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

/** The name of an action in GraphQL. */
export const enumName = (action: string) => action.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
