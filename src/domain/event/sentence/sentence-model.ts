import { fieldsPhrase } from './fields-model.ts';
import type { Described, FieldChange } from './model.ts';

type Phrase = (change: Described) => string;

const nouns: Readonly<Record<string, string>> = {
  AccessToken: 'access token',
  Application: 'application',
  Certificate: 'certificate',
  Component: 'component',
  ComponentRun: 'run',
  DeployHook: 'deploy hook',
  Domain: 'domain',
  Enterprise: 'enterprise',
  GroupRole: 'group',
  Job: 'job',
  Port: 'port',
  Region: 'region',
  RegistryCredential: 'credential for',
  Role: 'role',
  Schedule: 'schedule',
  ServiceAccount: 'service account',
  Session: 'session',
  StoreConnection: 'store',
  TcpRule: 'TCP rule',
  Team: 'team',
  Template: 'template',
  Trust: 'trust in',
  User: 'user',
  Volume: 'volume',
  Webhook: 'webhook to',
};

/** What a sentence begins with, because it is about one component or application. */
const prefixOf = ({ type, name, component }: Described): string | null =>
  type === 'Component' || type === 'Application' ? name : component;

/** The object, unless the sentence begins with it: `port 8080`. Rules are what they lead from. */
const objectOf: Phrase = ({ type, name }) => {
  if (type === 'HttpRule') return name ?? 'HTTP rule';
  const noun = nouns[type] ?? type;
  return name === null ? noun.replace(/ (?:for|in|to)$/, '') : `${noun} ${name}`;
};

const fieldOf = ({ fields }: Described, field: string): FieldChange | undefined =>
  fields.find((each) => each.field === field);

/** The value of a field, after the change or, of what is gone, before it. The name of an object instead of its id. */
function partOf(change: Described, field: string): string | null {
  const found = fieldOf(change, field);
  const value = found?.after ?? found?.before ?? null;
  if (value === null) return null;
  return change.nameOf?.(field, value) ?? (field.endsWith('Id') ? null : String(value));
}

const fieldsIn = (change: Described, without: readonly string[] = []) =>
  fieldsPhrase(
    change.fields.filter(({ field }) => !without.includes(field)),
    change.nameOf,
  );

const is =
  (participle: string): Phrase =>
  (change) =>
    `${subjectOf(change)}is ${participle}`;
/** The object and a space, or nothing after the name that the sentence begins with. */
const subjectOf: Phrase = (change) =>
  change.type === 'Component' || change.type === 'Application'
    ? prefixOf(change) === null
      ? `${nouns[change.type]} `
      : ''
    : `${objectOf(change)} `;
const does =
  (verb: string): Phrase =>
  (change) =>
    `${subjectOf(change)}${verb}`;

const updated: Phrase = (change) => {
  const fields = fieldsIn(change);
  const isPrefixed = subjectOf(change) === '';
  if (fields === '') return is('changed')(change);
  if (isPrefixed) return fields;
  // `port 8080 opens inside`, but `port 8080: alias WEB → SHOP`.
  return /^(?:opens|closes) /.test(fields) ? does(fields)(change) : `${objectOf(change)}: ${fields}`;
};

/** A port that is added, with what it opens. */
const portAdded: Phrase = (change) => {
  const protocol = partOf(change, 'protocol');
  const opens = fieldsPhrase(
    change.fields.filter(({ field, after }) => /^is(?:Inn|Out)er$/.test(field) && String(after) === 'true'),
  );
  const what = `${objectOf(change)}${protocol === null ? '' : ` (${protocol.toUpperCase()})`} is added`;
  return opens === '' ? what : `${what}, ${opens}`;
};

const roleOf = (change: Described) => partOf(change, 'roleId') ?? partOf(change, 'role') ?? 'member';
const personOf = (change: Described) => change.name ?? partOf(change, 'userId') ?? 'Somebody';

const jobOn =
  (verb: string): Phrase =>
  (change) => {
    const components = fieldOf(change, 'components')?.after;
    if (!Array.isArray(components)) return does(`${verb}s`)(change);
    return components.length === 1 ? `1 component ${verb}s` : `${components.length} components ${verb}`;
  };

const withDetail =
  (phrase: Phrase, field: string, word: string): Phrase =>
  (change) => {
    const value = partOf(change, field);
    return value === null ? phrase(change) : [phrase(change), word, value].filter(Boolean).join(' ');
  };

const run =
  (verb: string): Phrase =>
  (change) => {
    const { after } = fieldOf(change, 'command') ?? {};
    const schedule = partOf(change, 'schedule');
    return [
      'run',
      Array.isArray(after) && `of \`${after.join(' ')}\``,
      schedule !== null && `by the schedule ${schedule}`,
      verb,
    ]
      .filter(Boolean)
      .join(' ');
  };

/** With the reason, which is a code: `NOT_A_MEMBER`. */
const refused = (what: string, change: Described) => {
  const reason = partOf(change, 'reason');
  return reason === null ? what : `${what}: ${reason.toLowerCase().replaceAll('_', ' ')}`;
};

/** A template with its version. */
const templateOf: Phrase = (change) => {
  const [template, version] = [partOf(change, 'templateName'), partOf(change, 'version')];
  return [template ?? 'a template', version].filter(Boolean).join(' ');
};

const versions =
  (verb: string): Phrase =>
  (change) => {
    const { before, after } = fieldOf(change, 'version') ?? fieldOf(change, 'templates') ?? {};
    const [old, now] = [before, after].map((value) =>
      [value]
        .flat()
        .map((each) => (each as { version?: string } | null)?.version ?? each)
        .join(', '),
    );
    return old && now ? `${verb} from ${old} to ${now}` : verb;
  };

/** The actions whose sentences are their own. Others are those of their verbs. */
const phrases: Readonly<Record<string, Phrase>> = {
  'access_token.exchange': is('exchanged for the token of a pipeline'),
  'access_token.revoke': is('revoked'),
  'application.apply_manifest': (change) => {
    const changes = Number(fieldOf(change, 'changes')?.after ?? 0);
    return `a manifest is applied, with ${changes} ${changes === 1 ? 'change' : 'changes'}`;
  },
  'application.copy': withDetail(() => 'is a copy', 'copyOfId', 'of'),
  'application.deploy': jobOn('deploy'),
  'application.import': withDetail(() => 'is imported', 'namespace', 'from the namespace'),
  'application.install': (change) => `${templateOf(change)} is installed`,
  'application.publish': withDetail(() => 'is published as a template', 'version', 'with the version'),
  'application.restart': jobOn('restart'),
  'application.rollback': versions('goes back'),
  'application.rollback_components': () => 'components go back to earlier releases',
  'application.start': jobOn('start'),
  'application.stop': (change) =>
    `${jobOn('stop')(change)} and keep their data`.replace(/^(1 .*) keep their/, '$1 keeps its'),
  'application.uninstall': (change) => `${templateOf(change)} is uninstalled`,
  'application.upgrade': versions('is upgraded'),
  'certificate.expiring': does('expires soon'),
  'preview.close': is('closed'),
  'preview.expired': is('deleted, because it has expired'),
  'preview.open': is('opened'),
  'preview.update': does('is updated'),
  'certificate.replace': is('replaced'),
  'change.refuse': (change) => {
    const isPlan = fieldOf(change, 'dryRun') !== undefined;
    return `${isPlan ? 'a plan of ' : ''}${partOf(change, 'mutation') ?? 'a change'} was refused`;
  },
  'component.add_dependency': (change) =>
    `depends on ${partOf(change, 'dependencyId') ?? 'another component'}`,
  'component.close': does('stops and keeps its data'),
  'component.crashed': (change) => {
    const reason = partOf(change, 'reason');
    return reason === null ? 'crashes' : `crashes: ${reason}`;
  },
  'component.delete_dependency': (change) =>
    `no longer depends on ${partOf(change, 'dependencyId') ?? 'another component'}`,
  'component.deploy': (change) => {
    const fields = fieldsIn(change);
    return fields === '' ? is('deployed')(change) : `${is('deployed')(change)} with ${fields}`;
  },
  'component.deploy_stopped': () => 'the deploy is stopped, because the command before it failed',
  'component.promote': withDetail(() => 'gets a release of another application', 'image', 'with the image'),
  'component.remove_autoscaling': () => 'autoscaling is removed',
  'component.restart': does('restarts'),
  'component.rollback': withDetail(() => 'goes back', 'release', 'to release'),
  'component.set_autoscaling': (change) => {
    const [least, most] = ['minReplicas', 'maxReplicas'].map((field) => fieldOf(change, field));
    if (least?.before === null && most) return `scales between ${least.after} and ${most.after} instances`;
    return `autoscaling: ${fieldsIn(change)}`;
  },
  'component.start': does('starts'),
  'component.stop': does('stops and keeps its data'),
  'demo.create': () => 'the demo is created',
  'deploy_hook.rotate': does('gets a new address'),
  'domain.release': is('free for other teams'),
  'enterprise.bootstrap': () => 'the first administrator is created',
  'http_rule.create': (change) => {
    const port = partOf(change, 'portId');
    return port === null ? `${objectOf(change)} is added` : `${objectOf(change)} leads to port ${port}`;
  },
  'instance.delete': withDetail(() => 'an instance is replaced:', 'instance', ''),
  'job.cancel': is('cancelled'),
  'job.failed': (change) => {
    const error = partOf(change, 'error');
    return error === null ? does('fails')(change) : `${does('fails')(change)}: ${error}`;
  },
  'port.add': portAdded,
  'port.change_alias': (change) => `${objectOf(change)}: ${fieldsIn(change)}`,
  'port.close_inner': does('closes inside'),
  'port.close_outer': does('closes to the outside'),
  'port.create': portAdded,
  'port.open_inner': does('opens inside'),
  'port.open_outer': does('opens to the outside'),
  'quota.nearly_reached': (change) => {
    const [resource, region] = [partOf(change, 'resource'), partOf(change, 'region')];
    const { after: used } = fieldOf(change, 'used') ?? {};
    const { after: limit } = fieldOf(change, 'limit') ?? {};
    const what = resource === 'cpuMillicores' ? 'millicores of CPU' : 'MiB of memory';
    return `${used} of ${limit} ${what} are used in ${region}`;
  },
  'region.read_credentials': (change) => `credentials of ${objectOf(change)} are read`,
  'region.remove_orphans': (change) => {
    const { after } = fieldOf(change, 'orphans') ?? {};
    const count = Array.isArray(after) ? after.length : 0;
    return `${objectOf(change)}: ${count} unused ${count === 1 ? 'object is' : 'objects are'} removed`;
  },
  'run.cancel': run('is cancelled'),
  'run.failed': run('fails'),
  'run.start': run('starts'),
  'run.succeeded': run('succeeds'),
  'secret_key.rotate': () => 'the secret key is rotated',
  seed: () => 'data for trials is created',
  'service_account.refuse_token': (change) =>
    refused(`a token of a pipeline was refused for ${objectOf(change)}`, change),
  'session.create': (change) => `${personOf(change)} signs in`,
  'session.end': (change) => `${personOf(change)} signs out`,
  'sign_in.refuse': (change) => refused('a sign-in was refused', change),
  'tcp_rule.create': (change) => {
    const port = partOf(change, 'portId');
    return port === null ? `${objectOf(change)} is added` : `${objectOf(change)} leads to port ${port}`;
  },
  'team.add_member': (change) => `${personOf(change)} is now ${roleOf(change)}`,
  'team.change_member_role': (change) => `${personOf(change)} is now ${roleOf(change)}`,
  'team.close_region': (change) =>
    `region ${partOf(change, 'regionId') ?? partOf(change, 'region') ?? ''} is closed for ${objectOf(change)}`,
  'team.open_region': (change) =>
    `region ${partOf(change, 'regionId') ?? ''} is open for ${objectOf(change)}`,
  'team.remove_member': (change) => `${personOf(change)} is no longer a member`,
  'team.set_group_role': (change) => {
    const { after } = fieldOf(change, 'role') ?? fieldOf(change, 'roleId') ?? {};
    return after === null || after === undefined
      ? `members of ${objectOf(change)} no longer have a role`
      : `members of ${objectOf(change)} are now ${roleOf(change)}`;
  },
  'team.set_quota': updated,
  'template.delete_version': withDetail(does('loses a version:'), 'version', ''),
  'template.disable_version': withDetail(
    (change) => `${objectOf(change)} no longer offers`,
    'disabledVersion',
    'version',
  ),
  'template.enable_version': withDetail(
    (change) => `${objectOf(change)} offers`,
    'enabledVersion',
    'version',
  ),
  'template.publish': withDetail(is('published'), 'version', 'with the version'),
  'user.link': (change) => `${objectOf(change)} can sign in with the identity provider`,
  'volume.remove_snapshot_schedule': does('is no longer saved by a schedule'),
  'volume.set_snapshot_schedule': (change) => {
    const [cron, zone, keep] = ['cron', 'timeZone', 'keep'].map((field) => partOf(change, field));
    const times = [cron, zone].filter(Boolean).join(' ');
    return `${objectOf(change)} is saved by a schedule (${[times, keep && `${keep} kept`].filter(Boolean).join(', ')})`;
  },
  'volume_snapshot.create': withDetail(does('is saved as'), 'snapshot', 'the snapshot'),
  'volume_snapshot.delete': withDetail(does('loses'), 'snapshot', 'the snapshot'),
  'volume_snapshot.restore': withDetail(does('is restored from'), 'snapshot', 'the snapshot'),
  'webhook.disable': withDetail(is('switched off'), 'disabledReason', 'because of'),
  'webhook.redeliver': does('gets a message again'),
  'webhook.rotate_secret': does('gets a new secret'),
  'webhook.test': does('gets a test message'),
};

const ofVerbs: Readonly<Record<string, Phrase>> = {
  add: is('added'),
  create: is('created'),
  delete: is('deleted'),
  publish: does('opens to the outside'),
  remove: is('removed'),
  unpublish: does('closes to the outside'),
};

/** The verbs whose events say in their fields what has changed. */
const isUpdate = (action: string) => /\.(?:update|upgrade|scale|set_\w+|change_\w+)$/.test(action);

const beginsWithVerb =
  /^(?:is|are|starts|stops|restarts|depends|no longer|goes|gets|scales|crashes|opens|closes)\b/;

/** What has changed, in one sentence with names: `frontend: port 8080 opens to the outside`. */
export function sentenceOf(change: Described): string {
  const { action } = change;
  const phrase = phrases[action] ?? (isUpdate(action) ? updated : ofVerbs[action.split('.')[1] ?? '']);
  const text = phrase?.(change).trim() ?? action;
  const prefix = prefixOf(change);
  // `web starts`, but `web: port 8080 opens inside`.
  if (prefix !== null)
    return `${prefix}${beginsWithVerb.test(text) && prefix === change.name ? '' : ':'} ${text}`;
  // Names stay as they are.
  return text.startsWith(personOf(change)) ? text : text.slice(0, 1).toUpperCase() + text.slice(1);
}
