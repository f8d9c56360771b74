import type { Described } from './model.ts';
import {
  does,
  fieldOf,
  fieldsIn,
  is,
  jobOn,
  noted,
  objectOf,
  type Phrase,
  partIs,
  partOf,
  personOf,
  portAdded,
  prefixOf,
  refused,
  roleOf,
  run,
  templateOf,
  updated,
  versions,
  withDetail,
} from './phrase-model.ts';

/** The actions whose sentences do not follow from their verbs. */
const phrases: Readonly<Record<string, Phrase>> = {
  'access_token.exchange': is('issued to a pipeline'),
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
  'application.rollback': versions('is rolled back'),
  'application.rollback_components': () => 'components are rolled back to earlier releases',
  'application.start': jobOn('start'),
  'application.stop': (change) =>
    `${jobOn('stop')(change)} and keep their data`.replace(/^(1 .*) keep their/, '$1 keeps its'),
  'application.uninstall': (change) => `${templateOf(change)} is uninstalled`,
  'application.upgrade': versions('is upgraded'),
  'certificate.expiring': does('expires soon'),
  'preview.expired': does('expires and is deleted'),
  'preview.update': is('updated'),
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
  'component.deploy_stopped': () => 'the deploy is stopped: the pre-deploy command failed',
  'component.promote': withDetail(() => 'gets a release from another application', 'image', 'with the image'),
  'component.restart': does('restarts'),
  'component.rollback': withDetail(() => 'is rolled back', 'release', 'to release'),
  'component.set_autoscaling': (change) => {
    const [least, most] = ['minReplicas', 'maxReplicas'].map((field) => fieldOf(change, field));
    if (least?.before === null && most) return `scales between ${least.after} and ${most.after} instances`;
    return `autoscaling: ${fieldsIn(change)}`;
  },
  'component.start': does('starts'),
  'component.stop': does('stops and keeps its data'),
  'demo.create': () => 'the demo is created',
  'deploy_hook.rotate': noted('URL replaced'),
  'domain.release': is('available to other teams'),
  'enterprise.bootstrap': () => 'the first administrator is created',
  'http_rule.create': (change) => {
    const port = partOf(change, 'portId');
    return port === null ? `${objectOf(change)} is added` : `${objectOf(change)} routes to port ${port}`;
  },
  'instance.delete': (change) =>
    `${['instance', partOf(change, 'instance')].filter(Boolean).join(' ')} is replaced`,
  'job.failed': (change) => {
    const error = partOf(change, 'error');
    return error === null ? does('fails')(change) : `${does('fails')(change)}: ${error}`;
  },
  'port.add': portAdded,
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
  seed: () => 'sample data is created',
  'service_account.refuse_token': (change) =>
    refused(`a token of a pipeline was refused for ${objectOf(change)}`, change),
  'session.create': (change) => `${personOf(change)} signs in`,
  'session.end': (change) => `${personOf(change)} signs out`,
  'sign_in.refuse': (change) => refused('a sign-in was refused', change),
  'tcp_rule.create': (change) => {
    const port = partOf(change, 'portId');
    return port === null ? `${objectOf(change)} is added` : `${objectOf(change)} routes to port ${port}`;
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
  'template.delete_version': partIs('version', 'version', 'deleted'),
  'template.disable_version': partIs('version', 'disabledVersion', 'disabled'),
  'template.enable_version': partIs('version', 'enabledVersion', 'enabled'),
  'template.publish': partIs('version', 'version', 'published'),
  'user.link': (change) => `${objectOf(change)} can sign in with the identity provider`,
  'volume.set_snapshot_schedule': (change) => {
    const [cron, zone, keep] = ['cron', 'timeZone', 'keep'].map((field) => partOf(change, field));
    const times = [cron, zone].filter(Boolean).join(' ');
    return `${objectOf(change)}: snapshot schedule set to ${[times, keep && `${keep} kept`].filter(Boolean).join(', ')}`;
  },
  'volume_snapshot.create': partIs('snapshot', 'snapshot', 'created'),
  'volume_snapshot.delete': partIs('snapshot', 'snapshot', 'deleted'),
  'volume_snapshot.restore': withDetail(does('is restored from'), 'snapshot', 'snapshot'),
  'webhook.disable': withDetail(is('turned off'), 'disabledReason', 'because of'),
  'webhook.redeliver': noted('message redelivered'),
  'webhook.test': noted('test message sent'),
};

/** The verbs that are said by other ones. */
const ofVerbs: Readonly<Record<string, Phrase>> = {
  publish: does('opens to the outside'),
  unpublish: does('closes to the outside'),
};

/** The verbs whose events say in their fields what has changed. */
const isUpdate = (action: string) => /\.(?:update|upgrade|scale|set_\w+|change_\w+)$/.test(action);

/** `deleted` for `delete`. */
const participleOf = (verb: string) =>
  (verb === 'cancel' ? 'cancell' : verb)
    .replace(/e$/, '')
    .replace(/(?<=[^aeiou])y$/, 'i')
    .replace(/^([^aeiou]*[aeiou])([^aeiouwxy])$/, '$1$2$2')
    .concat('ed');

/** `webhook.delete` is said as `is deleted`, and `webhook.rotate_secret` as `secret rotated`. */
function phraseOf(action: string): Phrase | undefined {
  const own = phrases[action] ?? (isUpdate(action) ? updated : undefined);
  const [verb, ...part] = action.split('.')[1]?.split('_') ?? [];
  if (own || verb === undefined) return own;
  if (part.length > 0) return noted(`${part.join(' ')} ${participleOf(verb)}`);
  return ofVerbs[verb] ?? is(participleOf(verb));
}

const beginsWithVerb =
  /^(?:is|are|starts|stops|restarts|depends|no longer|goes|gets|scales|crashes|opens|closes)\b/;

/** What has changed, in one sentence with names: `frontend: port 8080 opens to the outside`. */
export function sentenceOf(change: Described): string {
  const { action } = change;
  const text = phraseOf(action)?.(change).trim() ?? action;
  const prefix = prefixOf(change);
  // `web starts`, but `web: port 8080 opens inside`.
  if (prefix !== null)
    return `${prefix}${beginsWithVerb.test(text) && prefix === change.name ? '' : ':'} ${text}`;
  // Names stay as they are.
  return text.startsWith(personOf(change)) ? text : text.slice(0, 1).toUpperCase() + text.slice(1);
}
