import type { InputOf } from '../../documents/mutation.ts';

export type Action = InputOf<'createRole'>['actions'][number];

/** Groups of actions, from the smallest place that they are limited to up to the enterprise. */
const groups = {
  components: { title: 'Components', place: 'component' },
  ports: { title: 'Ports', place: 'component' },
  rules: { title: 'Gateway rules', place: 'component' },
  applications: { title: 'Applications', place: 'application' },
  team: { title: 'Team', place: 'team' },
  certificates: { title: 'Certificates', place: 'team' },
  registries: { title: 'Registry credentials', place: 'team' },
  automation: { title: 'Service accounts and tokens', place: 'team' },
  webhooks: { title: 'Webhooks', place: 'team' },
  enterprise: { title: 'Enterprise', place: 'enterprise' },
} as const;
type Group = keyof typeof groups;

/** Every action in words, with the group that it is shown in. READ is part of every grant and role. */
const words: { readonly [action in Exclude<Action, 'READ'>]: readonly [group: Group, verb: string] } = {
  READ_LOGS: ['components', 'read logs'],
  READ_SECRETS: ['components', 'read secret variables'],
  CHECK_IMAGE: ['components', 'check images'],
  CREATE_COMPONENT: ['components', 'create'],
  UPDATE_COMPONENT: ['components', 'change image and settings'],
  SET_VARIABLES: ['components', 'change variables'],
  SET_PROBES: ['components', 'change health checks'],
  SET_AUTOSCALING: ['components', 'set autoscaling'],
  REMOVE_AUTOSCALING: ['components', 'remove autoscaling'],
  SET_PLACEMENT: ['components', 'change placement'],
  DEPLOY_COMPONENT: ['components', 'deploy'],
  ROLLBACK_COMPONENT: ['components', 'roll back'],
  PROMOTE_RELEASE: ['components', 'promote releases'],
  START_COMPONENT: ['components', 'start'],
  STOP_COMPONENT: ['components', 'stop'],
  RESTART_COMPONENT: ['components', 'restart'],
  SCALE_COMPONENT: ['components', 'scale'],
  DELETE_INSTANCE: ['components', 'delete instances'],
  ADD_VOLUME: ['components', 'add volumes'],
  UPDATE_VOLUME: ['components', 'change volumes'],
  DELETE_VOLUME: ['components', 'delete volumes'],
  CREATE_VOLUME_SNAPSHOT: ['components', 'create snapshots of volumes'],
  RESTORE_VOLUME_SNAPSHOT: ['components', 'restore volumes from snapshots'],
  SET_SNAPSHOT_SCHEDULE: ['components', 'set snapshot schedules'],
  REMOVE_SNAPSHOT_SCHEDULE: ['components', 'remove snapshot schedules'],
  DELETE_VOLUME_SNAPSHOT: ['components', 'delete snapshots of volumes'],
  ADD_DEPENDENCY: ['components', 'add dependencies'],
  DELETE_DEPENDENCY: ['components', 'remove dependencies'],
  CANCEL_JOB: ['components', 'cancel jobs'],
  CANCEL_RUN: ['components', 'cancel runs'],
  RUN_COMPONENT: ['components', 'run commands'],
  CREATE_SCHEDULE: ['components', 'create schedules'],
  UPDATE_SCHEDULE: ['components', 'change schedules'],
  DELETE_SCHEDULE: ['components', 'delete schedules'],
  CREATE_DEPLOY_HOOK: ['components', 'create deploy hooks'],
  UPDATE_DEPLOY_HOOK: ['components', 'change deploy hooks'],
  ROTATE_DEPLOY_HOOK: ['components', 'replace URLs of deploy hooks'],
  DELETE_DEPLOY_HOOK: ['components', 'delete deploy hooks'],
  DELETE_COMPONENT: ['components', 'delete'],

  ADD_PORT: ['ports', 'add'],
  CHANGE_PORT_ALIAS: ['ports', 'change aliases'],
  CHANGE_PORT_PROTOCOL: ['ports', 'change protocols'],
  OPEN_OUTER_SERVICE: ['ports', 'open to the outside'],
  CLOSE_OUTER_SERVICE: ['ports', 'close to the outside'],
  OPEN_INNER_SERVICE: ['ports', 'open inside the cluster'],
  CLOSE_INNER_SERVICE: ['ports', 'close inside the cluster'],
  DELETE_PORT: ['ports', 'delete'],

  CREATE_HTTP_RULE: ['rules', 'create HTTP rules'],
  UPDATE_HTTP_RULE: ['rules', 'change HTTP rules'],
  CREATE_TCP_RULE: ['rules', 'create TCP rules'],
  UPDATE_TCP_RULE: ['rules', 'change TCP rules'],
  DELETE_GATEWAY_RULE: ['rules', 'delete'],

  CREATE_APPLICATION: ['applications', 'create'],
  COPY_APPLICATION: ['applications', 'copy'],
  UPDATE_APPLICATION: ['applications', 'change settings'],
  APPLY_MANIFEST: ['applications', 'apply manifests'],
  DEPLOY_APPLICATION: ['applications', 'deploy'],
  ROLLBACK_APPLICATION: ['applications', 'roll back'],
  START_APPLICATION: ['applications', 'start'],
  STOP_APPLICATION: ['applications', 'stop'],
  RESTART_APPLICATION: ['applications', 'restart'],
  OPEN_PREVIEW: ['applications', 'open previews'],
  CLOSE_PREVIEW: ['applications', 'close previews'],
  INSTALL_APPLICATION: ['applications', 'install templates'],
  UPGRADE_APPLICATION: ['applications', 'upgrade templates'],
  ROLLBACK_UPGRADE: ['applications', 'roll back upgrades'],
  UNINSTALL_COMPONENT_GROUP: ['applications', 'uninstall templates'],
  PUBLISH_APPLICATION: ['applications', 'publish as templates'],
  DELETE_APPLICATION: ['applications', 'delete'],

  UPDATE_TEAM: ['team', 'change settings'],
  ADD_TEAM_MEMBER: ['team', 'add members'],
  CHANGE_TEAM_MEMBER_ROLE: ['team', 'change roles of members'],
  REMOVE_TEAM_MEMBER: ['team', 'remove members'],
  SET_GROUP_ROLE: ['team', 'set roles of groups'],
  OPEN_TEAM_REGION: ['team', 'open regions'],
  CLOSE_TEAM_REGION: ['team', 'close regions'],
  ENABLE_TEMPLATE_VERSION: ['team', 'enable template versions'],
  DISABLE_TEMPLATE_VERSION: ['team', 'disable template versions'],
  DELETE_TEMPLATE_VERSION: ['team', 'delete template versions'],
  DELETE_TEAM: ['team', 'delete'],

  ADD_CERTIFICATE: ['certificates', 'add'],
  REPLACE_CERTIFICATE: ['certificates', 'replace'],
  DELETE_CERTIFICATE: ['certificates', 'delete'],

  CREATE_REGISTRY_CREDENTIAL: ['registries', 'add'],
  UPDATE_REGISTRY_CREDENTIAL: ['registries', 'change'],
  DELETE_REGISTRY_CREDENTIAL: ['registries', 'delete'],

  CREATE_SERVICE_ACCOUNT: ['automation', 'create service accounts'],
  UPDATE_SERVICE_ACCOUNT: ['automation', 'change service accounts'],
  DELETE_SERVICE_ACCOUNT: ['automation', 'delete service accounts'],
  ADD_TRUST: ['automation', 'trust pipelines'],
  REMOVE_TRUST: ['automation', 'stop trusting pipelines'],
  CREATE_ACCESS_TOKEN: ['automation', 'create tokens'],
  REVOKE_ACCESS_TOKEN: ['automation', 'revoke tokens'],

  CREATE_WEBHOOK: ['webhooks', 'create'],
  UPDATE_WEBHOOK: ['webhooks', 'change'],
  TEST_WEBHOOK: ['webhooks', 'test'],
  REDELIVER: ['webhooks', 'redeliver messages'],
  ROTATE_WEBHOOK_SECRET: ['webhooks', 'rotate secrets'],
  DELETE_WEBHOOK: ['webhooks', 'delete'],

  CREATE_TEAM: ['enterprise', 'create teams'],
  CREATE_USER: ['enterprise', 'create users'],
  UPDATE_USER: ['enterprise', 'change users'],
  END_SESSION: ['enterprise', 'end sessions'],
  CREATE_ROLE: ['enterprise', 'create roles'],
  UPDATE_ROLE: ['enterprise', 'change roles'],
  DELETE_ROLE: ['enterprise', 'delete roles'],
  CREATE_REGION: ['enterprise', 'create regions'],
  UPDATE_REGION: ['enterprise', 'change regions'],
  DELETE_REGION: ['enterprise', 'delete regions'],
  SET_TEAM_QUOTA: ['enterprise', 'set quotas'],
  IMPORT_NAMESPACE: ['enterprise', 'import namespaces'],
  REMOVE_REGION_ORPHANS: ['enterprise', 'remove leftovers in clusters'],
  PUBLISH_TEMPLATE: ['enterprise', 'publish templates for all teams'],
};

const entries = Object.entries(words) as [Exclude<Action, 'READ'>, readonly [Group, string]][];

export const allActions: readonly Action[] = ['READ', ...entries.map(([action]) => action)];

const sizes = ['component', 'application', 'team', 'enterprise'] as const;
export type Size = (typeof sizes)[number];

const actionsWithin = (size: Size) =>
  entries.filter(([, [group]]) => sizes.indexOf(groups[group].place) <= sizes.indexOf(size));

/** The actions that mean something in a place of this size, as boxes to check. */
export const optionsWithin = (size: Size) =>
  actionsWithin(size).map(([value, [group, text]]) => ({ value, text, group: groups[group].title }));

/** Actions in words, by group: `Components`, `deploy, read logs`. Of a whole group, `everything`. */
export function inWords(actions: readonly Action[], all: string): [title: string, verbs: string][] {
  const held = new Set<Action>(actions);
  return (Object.keys(groups) as Group[]).flatMap((group): [string, string][] => {
    const members = entries.filter(([, [each]]) => each === group);
    const verbs = members.filter(([action]) => held.has(action)).map(([, [, verb]]) => verb);
    if (verbs.length === 0) return [];
    return [[groups[group].title, verbs.length === members.length ? all : verbs.join(', ')]];
  });
}

/** Whether the actions are all that mean something in a place of this size. */
export function isEverything(actions: readonly Action[], size: Size): boolean {
  const held = new Set<Action>(actions);
  return actionsWithin(size).every(([action]) => held.has(action));
}
