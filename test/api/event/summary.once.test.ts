import { beforeAll, describe, expect, it } from 'vitest';
import { deliveredActions, undeliveredActions } from '../../../src/db/write/events.ts';
import type { Described } from '../../../src/domain/event/sentence/model.ts';
import { sentenceOf } from '../../../src/domain/event/sentence/sentence-model.ts';
import { everyChange } from '../../support/every-change.ts';
import { loadedKeys } from '../../support/loaded-keys.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
const told: { action: string; summary: string; objectName: string | null }[] = [];

/** What mutations leave in the record whose sentences do not follow from their actions. */
const own: Record<string, string> = {
  'application.apply_manifest': 'app: a manifest is applied, with 1 change',
  'application.copy': 'copy is a copy of app',
  'application.deploy': 'app: N components deploy',
  'application.import': 'shop is imported from the namespace shop',
  'application.install': 'app: Ring of 1 1.0.0 is installed',
  'application.publish': 'app is published as a template with the version v',
  'application.restart': 'app: 1 component restarts',
  'application.rollback': 'app is rolled back from 2.0.0 to 1.0.0',
  'application.rollback_components': 'app: components are rolled back to earlier releases',
  'application.start': 'app: 2 components start',
  'application.stop': 'app: N components stop and keep their data',
  'application.uninstall': 'app: Ring of 1 1.0.0 is uninstalled',
  'application.upgrade': 'app is upgraded from 1.0.0 to 2.0.0',
  'component.add_dependency': 'web depends on web',
  'component.delete_dependency': 'web no longer depends on web',
  'component.promote': 'promoted gets a release from another application with the image nginx:1.29',
  'component.restart': 'web restarts',
  'component.rollback': 'web is rolled back to release 1',
  'component.set_autoscaling': 'web scales between 1 and 3 instances',
  'component.start': 'web starts',
  'component.stop': 'web stops and keeps its data',
  'deploy_hook.rotate': 'web: deploy hook Deploy hook: URL replaced',
  'domain.release': 'web: domain www.example is available to other teams',
  'enterprise.bootstrap': 'The first administrator is created',
  'http_rule.create': 'web: www.example/ routes to port N',
  'instance.delete': 'web: instance web-0 is replaced',
  'job.cancel': 'Job 1 is cancelled',
  'port.add': 'web: port 8080 (HTTP) is added',
  'port.close_inner': 'web: port 8080 closes inside',
  'port.close_outer': 'web: port 8080 closes to the outside',
  'port.open_inner': 'web: port 8080 opens inside',
  'port.open_outer': 'web: port 8080 opens to the outside',
  'region.remove_orphans': 'Region region: 2 unused objects are removed',
  'run.start': 'web: run of `true` starts',
  'session.end': 'admin signs out',
  'tcp_rule.create': 'web: TCP rule 0.0.0.0:30000 routes to port 8080',
  'tcp_rule.publish': 'web: TCP rule 0.0.0.0:30000 opens to the outside',
  'tcp_rule.unpublish': 'web: TCP rule 0.0.0.0:30000 closes to the outside',
  'team.add_member': 'user is now admin',
  'team.change_member_role': 'user is now admin',
  'team.close_region': 'Region region is closed for team team',
  'team.open_region': 'Region region is open for team team',
  'team.remove_member': 'admin is no longer a member',
  'team.set_group_role': 'Members of group group are now viewer',
  'template.delete_version': 'Version 3.0.0 of template Ring of 1 is deleted',
  'template.disable_version': 'Version 1.0.0 of template Ring of 1 is disabled',
  'template.enable_version': 'Version 1.0.0 of template Ring of 1 is enabled',
  'template.publish': 'Version 1.0.0 of template Ring of 1 is published',
  'volume_snapshot.create': 'web: snapshot s of volume data is created',
  'volume_snapshot.delete': 'web: snapshot s of volume data is deleted',
  'volume_snapshot.restore': 'web: volume data is restored from snapshot s',
  'webhook.redeliver': 'Webhook to https://receiver.example/hook: message redelivered',
  'webhook.test': 'Webhook to https://receiver.example/hook: test message sent',
};

/** The nouns of objects that their actions do not name. */
const nouns: Record<string, string> = {
  http_rule: '',
  registry_credential: 'credential for',
  store_connection: 'store',
  tcp_rule: 'TCP rule',
  trust: 'trust in',
  webhook: 'webhook to',
};

/** What any other mutation leaves: the object, and what was done to it, to a part of it, or to its fields. */
function regular(action: string, name: string | null): RegExp {
  const [type, done] = action.split('.') as [string, string];
  const [verb, ...part] = done.split('_') as [string, ...string[]];
  const noun = ['application', 'component'].includes(type) ? '' : (nouns[type] ?? type.replaceAll('_', ' '));
  const object = `${noun} ${name ?? ''}`.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const participle = `${verb.replace(/[ey]$/, '')}[a-z]?ed`;
  const what = /^(?:update|upgrade|scale|set_|change_)/.test(done)
    ? '(?:: .+(?: → | set| changed| removed).*| is changed)'
    : part.length > 0
      ? `: ${part.join(' ')} ${participle}`
      : ` is ${participle}`;
  return new RegExp(`^(?:[\\w-]+: )?${object}${what}$`, 'i');
}

/** Names without what makes them different, and numbers that count up as N. */
const normal = (summary: string) =>
  summary.replace(/[-_][0-9a-f]{8}(?=\b|_)/gi, '').replace(/\bX?2\d{4}|\d{2,3}(?= components)/g, 'N');

beforeAll(async () => {
  const all = await trellis.createAll();
  for (const [name, { input }] of Object.entries(await everyChange(trellis, all)))
    await trellis.succeed(name, await input(), '__typename');
  let after: string | null = null;
  do {
    const { events }: any = await trellis.data(
      `query($after: String) {
        events(first: 100, after: $after) { nodes { action summary objectName } pageInfo { endCursor } }
      }`,
      { after },
    );
    told.unshift(...events.nodes.toReversed());
    after = events.pageInfo.endCursor;
  } while (after);
}, 120_000);

describe('the summary of an event', () => {
  it('has a sentence for each action', () => {
    const actions = [...deliveredActions, ...undeliveredActions];
    // An action that is no verb, such as `crashed`, has a sentence of its own.
    const isWrong = (action: string) => /[a-z](?:ed|ing)ed\b/.test(sentenceOf(described({ action })));
    expect(actions.filter(isWrong)).toEqual([]);
    expect(isWrong('component.rusted')).toBe(true);
  });

  it('says in words what each mutation does', () => {
    const first = new Map(told.toReversed().map((event) => [event.action, event]));
    const irregular = [...first.values()].filter(
      ({ action, summary, objectName }) => !regular(action, objectName).test(summary),
    );
    const sentences = irregular.map(({ action, summary }) => [action, normal(summary)]);
    expect(Object.fromEntries(sentences)).toEqual(own);
  });

  it('has no ids, and nothing that is not there', () => {
    for (const { summary } of told)
      expect(normal(summary)).not.toMatch(/[0-9a-f]{32}|\bnull\b|undefined| {2}/);
  });
});

const web = { type: 'Component', name: 'web', component: null };
const fields = (changes: { [field: string]: [unknown, unknown] }) =>
  Object.entries(changes).map(([field, [before, after]]) => ({ field, before, after }));
const described = (change: Partial<Described>): Described => ({
  ...{ action: 'component.update', ...web, fields: [] },
  ...change,
});

describe('a sentence', () => {
  it.each<[Partial<Described>, string]>([
    [
      { fields: fields({ image: ['shop/web:1.0', 'shop/web:1.1'], version: ['1.0', '1.1'] }) },
      'web: image 1.0 → 1.1',
    ],
    [
      { fields: fields({ image: ['shop/web:1.0', 'shop/api:1.1'] }) },
      'web: image shop/web:1.0 → shop/api:1.1',
    ],
    [{ fields: fields({ image: ['h:5000/web', 'h:5000/web:1'] }) }, 'web: image h:5000/web → h:5000/web:1'],
    [
      { fields: fields({ memoryMiB: [512, 1024], cpuMillicores: [100, 200] }) },
      'web: memory 512 MiB → 1024 MiB, CPU 100 millicores → 200 millicores',
    ],
    [
      { fields: fields({ memoryLimitMiB: [512, 0], cpuLimitMillicores: [null, 500] }) },
      'web: memory limit 512 MiB → none, CPU limit as requested → 500 millicores',
    ],
    [{ fields: fields({ livenessProbe: ['{"check":{}}', null] }) }, 'web: liveness check removed'],
    [
      { fields: fields({ livenessProbe: ['{"check":{}}', '{"check":{"a":1}}'] }) },
      'web: liveness check changed',
    ],
    [{ fields: fields({ command: ['a', 'a\nb'] }) }, 'web: command changed'],
    [
      {
        ...{ action: 'run.succeeded', type: 'ComponentRun', name: null, component: 'web' },
        fields: fields({ command: [null, ['true']], schedule: [null, 'nightly'] }),
      },
      'web: run of `true` by the schedule nightly succeeds',
    ],
    [{ fields: fields({ generation: [1, 2] }) }, 'web is changed'],
    [
      { fields: fields(Object.fromEntries([...'abcdefgh'].map((name) => [name, [1, 2]]))) },
      'web: a 1 → 2, b 1 → 2, c 1 → 2, d 1 → 2, e 1 → 2, f 1 → 2, 2 more',
    ],
    [
      {
        action: 'component.set_variables',
        fields: fields({ 'environment KEY': ['[redacted]', '[redacted]'] }),
      },
      'web: variable KEY changed',
    ],
    [
      { action: 'component.crashed', fields: fields({ reason: [null, 'OOMKilled'] }) },
      'web crashes: OOMKilled',
    ],
    [{ action: 'component.close' }, 'web stops and keeps its data'],
    [
      { action: 'component.deploy', fields: fields({ image: ['a:1', 'a:2'] }) },
      'web is deployed with image 1 → 2',
    ],
    [
      {
        action: 'port.update',
        type: 'Port',
        name: '80',
        component: 'web',
        fields: fields({ isOuter: [false, true] }),
      },
      'web: port 80 opens to the outside',
    ],
    [
      { action: 'change.refuse', fields: fields({ mutation: [null, 'deployComponent'] }) },
      'web: deployComponent was refused',
    ],
    [
      {
        action: 'change.refuse',
        type: 'Team',
        name: 'retail',
        fields: fields({ mutation: [null, 'deleteTeam'], dryRun: [null, true] }),
      },
      'A plan of deleteTeam was refused',
    ],
    [
      {
        action: 'team.add_member',
        type: 'TeamMember',
        name: 'anna',
        fields: fields({ role: [null, 'viewer'], roleId: [null, 'r1'] }),
        nameOf: (_, id) => (id === 'r1' ? 'releaser' : undefined),
      },
      'anna is now releaser',
    ],
    [
      {
        action: 'team.set_group_role',
        type: 'GroupRole',
        name: 'ops',
        fields: fields({ role: ['viewer', null] }),
      },
      'Members of group ops no longer have a role',
    ],
    [
      {
        ...{ action: 'volume.set_snapshot_schedule', type: 'Volume', name: 'data', component: 'web' },
        fields: fields({ cron: [null, '0 0 1 1 *'], timeZone: [null, 'UTC'], keep: [null, 3] }),
      },
      'web: volume data: snapshot schedule set to 0 0 1 1 * UTC, 3 kept',
    ],
    [{ action: 'certificate.expiring', type: 'Certificate', name: 'shop' }, 'Certificate shop expires soon'],
    [
      { action: 'job.failed', type: 'Job', name: '26', fields: fields({ error: [null, 'No image.'] }) },
      'Job 26 fails: No image.',
    ],
    [
      {
        action: 'run.failed',
        type: 'ComponentRun',
        name: null,
        component: 'web',
        fields: fields({ command: [null, ['npm', 'test']] }),
      },
      'web: run of `npm test` fails',
    ],
    [
      {
        action: 'quota.nearly_reached',
        type: 'Team',
        name: 'retail',
        fields: fields({
          resource: [null, 'memoryMiB'],
          region: [null, 'us-east'],
          used: [null, 900],
          limit: [null, 1000],
        }),
      },
      '900 of 1000 MiB of memory are used in us-east',
    ],
    [
      {
        action: 'sign_in.refuse',
        type: 'Enterprise',
        name: 'e',
        fields: fields({ reason: [null, 'EXPIRED'] }),
      },
      'A sign-in was refused: expired',
    ],
  ])('is made of %j', (change, sentence) => {
    expect(sentenceOf(described(change))).toBe(sentence);
  });
});

it('looks up the names of an event once, under however many aliases they are selected', async () => {
  const { team } = await trellis.createAll();
  const loads = (aliases: number) => {
    const fields = Array.from({ length: aliases }, (_, index) => `a${index}: summary b${index}: objectName`);
    const query = `query ($by: TeamRef!) { team(by: $by) { events { nodes { ${fields.join(' ')} } } } }`;
    return loadedKeys(() => trellis.data(query, { by: { teamId: team.teamId } }));
  };
  const { length } = await loads(1);
  expect(length).toBeGreaterThan(0);
  // What is remembered of the caller can be looked up again between the two.
  expect((await loads(50)).length).toBeLessThan(length + 10);
});
