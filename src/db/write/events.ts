import { type Action, requiredRoles } from '../../kernel/actions.ts';

/** A change that was refused, of an object of the type or of something in it. */
export const refusedAction = 'change.refuse';

/** The actions in the audit log that are not named after a mutation, by object type. */
const others = {
  Enterprise: [
    'enterprise.bootstrap',
    'secret_key.rotate',
    'demo.create',
    'seed',
    'sign_in.refuse',
    refusedAction,
  ],
  User: ['user.link'],
  AccessToken: ['access_token.exchange'],
  Role: [],
  ServiceAccount: ['service_account.refuse_token'],
  Trust: [],
  Session: ['session.create'],
  Team: ['team.open_region', 'team.close_region', 'team.set_quota', refusedAction, 'quota.nearly_reached'],
  GroupRole: ['team.set_group_role'],
  TeamMember: ['team.add_member', 'team.change_member_role', 'team.remove_member'],
  RegistryCredential: [],
  Certificate: ['certificate.expiring'],
  Region: ['region.read_credentials', 'region.remove_orphans'],
  Application: [
    'application.rollback_components',
    'application.uninstall',
    'application.import',
    'application.apply_manifest',
    refusedAction,
  ],
  Preview: ['preview.update', 'preview.expired'],
  Component: [
    'component.set_autoscaling',
    'component.remove_autoscaling',
    'component.set_probes',
    'component.set_placement',
    'component.set_variables',
    'component.add_dependency',
    'component.delete_dependency',
    'component.close',
    'instance.delete',
    'component.upgrade',
    refusedAction,
    'component.crashed',
    'component.deploy_stopped',
    'component.promote',
  ],
  ComponentRun: ['run.start', 'run.cancel', 'run.succeeded', 'run.failed'],
  Schedule: [],
  DeployHook: [],
  Volume: [
    'volume.set_snapshot_schedule',
    'volume.remove_snapshot_schedule',
    'volume_snapshot.create',
    'volume_snapshot.delete',
    'volume_snapshot.restore',
  ],
  Job: ['job.failed'],
  Port: [
    'port.open_outer',
    'port.close_outer',
    'port.open_inner',
    'port.close_inner',
    'port.change_protocol',
    'port.change_alias',
    'port.upgrade',
    'port.update',
  ],
  HttpRule: ['http_rule.delete', 'http_rule.publish', 'http_rule.unpublish'],
  TcpRule: ['tcp_rule.delete', 'tcp_rule.publish', 'tcp_rule.unpublish'],
  Template: [
    'template.enable_version',
    'template.disable_version',
    'template.delete_version',
    'template.delete',
  ],
  StoreConnection: ['store_connection.delete'],
  Webhook: ['webhook.disable', 'webhook.rotate_secret', 'webhook.redeliver'],
  Domain: ['domain.release'],
} as const;

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? '' : '_'}${Lowercase<First>}${Snake<Rest>}`
  : Name;

/** `webhook.create` for `create_webhook`. */
type NamedAfter<Mutation extends string> = Mutation extends `${infer Verb}_${infer Noun}`
  ? `${Noun}.${Verb}`
  : never;

/** The mutations of these names are recorded as others. */
const unused = ['component.run', 'group_role.set', 'team_member.add', 'team_member.remove'] as const;

/** The type of an object that events are about. */
export type SubjectType = keyof typeof others;
type NamedAction<S extends SubjectType> = Extract<
  NamedAfter<Snake<Action>>,
  `${Snake<Uncapitalize<S>>}.${string}`
>;
export type EventAction<S extends SubjectType = SubjectType> =
  | (typeof others)[S][number]
  | Exclude<NamedAction<S>, (typeof unused)[number]>;

const snake = (name: string) => name.replace(/(?<!^)[A-Z]/g, '_$&').toLowerCase();
const subjects = new Set(Object.keys(others).map(snake));

/** The actions that are named after mutations. */
const named = Object.keys(requiredRoles).flatMap((mutation) => {
  const [verb, ...noun] = snake(mutation).split('_');
  const action = `${noun.join('_')}.${verb}`;
  return subjects.has(noun.join('_')) && !unused.some((each) => each === action)
    ? [action as EventAction]
    : [];
});

/** The actions of events that are not sent to webhooks: they are about a message that is sent because of them. */
export const undeliveredActions = ['webhook.test', 'webhook.redeliver'] as const satisfies EventAction[];

/** The actions of events that are sent to webhooks. */
export const deliveredActions: readonly EventAction[] = [...Object.values(others).flat(), ...named].filter(
  (action) => !undeliveredActions.some((each) => each === action),
);
