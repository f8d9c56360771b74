import { beforeAll, describe, expect, it } from 'vitest';
import { deliveredActions, undeliveredActions } from '../../../src/db/write/events.ts';
import type { Described } from '../../../src/domain/event/sentence/model.ts';
import { sentenceOf } from '../../../src/domain/event/sentence/sentence-model.ts';
import { everyChange } from '../../support/every-change.ts';
import { loadedKeys } from '../../support/loaded-keys.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
const told: [action: string, summary: string][] = [];

/** What each mutation leaves in the record. */
const sentences = {
  'access_token.create': 'Access token test is created',
  'access_token.revoke': 'Access token gone is revoked',
  'application.apply_manifest': 'app: a manifest is applied, with 1 change',
  'application.copy': 'copy is a copy of app',
  'application.create': 'app is created',
  'application.delete': 'app-pr is deleted',
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
  'application.update': 'app: note set to note',
  'application.upgrade': 'app is upgraded from 1.0.0 to 2.0.0',
  'certificate.add': 'Certificate certificate is added',
  'certificate.delete': 'Certificate certificate is deleted',
  'certificate.replace': 'Certificate certificate is replaced',
  'component.add_dependency': 'web depends on web',
  'component.create': 'web is created',
  'component.delete': 'web is deleted',
  'component.delete_dependency': 'web no longer depends on web',
  'component.deploy': 'web is deployed',
  'component.promote': 'promoted gets a release from another application with the image nginx:1.29',
  'component.remove_autoscaling': 'web: autoscaling is removed',
  'component.restart': 'web restarts',
  'component.rollback': 'web is rolled back to release 1',
  'component.scale': 'web: instances 1 → 2',
  'component.set_autoscaling': 'web scales between 1 and 3 instances',
  'component.set_placement': 'web: placement set',
  'component.set_probes': 'web: readiness check set',
  'component.set_variables': 'web: variable V20009 set to x',
  'component.start': 'web starts',
  'component.stop': 'web stops and keeps its data',
  'component.update': 'web: deploy hooks no → yes',
  'component.upgrade': 'part-0: image 1.0.0 → 2.0.0',
  'deploy_hook.create': 'web: deploy hook Deploy hook is created',
  'deploy_hook.delete': 'web: deploy hook Deploy hook is deleted',
  'deploy_hook.rotate': 'web: deploy hook Deploy hook: URL replaced',
  'deploy_hook.update': 'web: deploy hook Deploy hook: tag pattern set to v1.*',
  'domain.release': 'web: domain www.example is available to other teams',
  'enterprise.bootstrap': 'The first administrator is created',
  'http_rule.create': 'web: www.example/ routes to port N',
  'http_rule.delete': 'web: www.example/ is deleted',
  'http_rule.update': 'web: www.example/new: path / → /new',
  'instance.delete': 'web: instance web-0 is replaced',
  'job.cancel': 'Job 1 is cancelled',
  'port.add': 'web: port 8080 (HTTP) is added',
  'port.change_alias': 'web: port 8080: alias WEB_8080 → N',
  'port.change_protocol': 'web: port 8080: protocol http → udp',
  'port.close_inner': 'web: port 8080 closes inside',
  'port.close_outer': 'web: port 8080 closes to the outside',
  'port.delete': 'web: port 8080 is deleted',
  'port.open_inner': 'web: port 8080 opens inside',
  'port.open_outer': 'web: port 8080 opens to the outside',
  'preview.close': 'Preview pr is closed',
  'preview.open': 'Preview pr is opened',
  'region.create': 'Region region is created',
  'region.delete': 'Region region is deleted',
  'region.remove_orphans': 'Region region: 2 unused objects are removed',
  'region.update': 'Region region: alias region → alias',
  'registry_credential.create': 'Credential for registry.example is created',
  'registry_credential.delete': 'Credential for registry.example is deleted',
  'registry_credential.update': 'Credential for registry.example: password changed',
  'role.create': 'Role role is created',
  'role.delete': 'Role role is deleted',
  'role.update': 'Role role: permissions changed',
  'run.cancel': 'web: run is cancelled',
  'run.start': 'web: run of `true` starts',
  'schedule.create': 'web: schedule sleep is created',
  'schedule.delete': 'web: schedule sleep is deleted',
  'schedule.update': 'web: schedule sleep: paused no → yes',
  'service_account.create': 'Service account robot is created',
  'service_account.delete': 'Service account robot is deleted',
  'service_account.update': 'Service account robot: role developer → viewer',
  'session.end': 'admin signs out',
  'store_connection.delete': 'Store self is deleted',
  'tcp_rule.create': 'web: TCP rule 0.0.0.0:30000 routes to port 8080',
  'tcp_rule.delete': 'web: TCP rule 0.0.0.0:30003 is deleted',
  'tcp_rule.publish': 'web: TCP rule 0.0.0.0:30000 opens to the outside',
  'tcp_rule.unpublish': 'web: TCP rule 0.0.0.0:30000 closes to the outside',
  'tcp_rule.update': 'web: TCP rule 10.0.0.1:N: mapped IP set to 192.0.2.1, mapped port set to 80',
  'team.add_member': 'user is now admin',
  'team.change_member_role': 'user is now admin',
  'team.close_region': 'Region region is closed for team team',
  'team.create': 'Team team is created',
  'team.delete': 'Team team is deleted',
  'team.open_region': 'Region region is open for team team',
  'team.remove_member': 'admin is no longer a member',
  'team.set_group_role': 'Members of group group are now viewer',
  'team.set_quota': 'Team team: CPU quota 0 millicores → N000 millicores',
  'team.update': 'Team team: alias The team team → alias',
  'template.delete_version': 'Version 3.0.0 of template Ring of 1 is deleted',
  'template.disable_version': 'Version 1.0.0 of template Ring of 1 is disabled',
  'template.enable_version': 'Version 1.0.0 of template Ring of 1 is enabled',
  'template.publish': 'Version 1.0.0 of template Ring of 1 is published',
  'trust.add': 'Trust in https://issuer.example is added',
  'trust.remove': 'Trust in https://issuer.example is removed',
  'user.create': 'User user is created',
  'user.update': 'User user: phone set to +49 1',
  'volume.add': 'web: volume data is added',
  'volume.delete': 'web: volume data is deleted',
  'volume.remove_snapshot_schedule': 'web: volume data: snapshot schedule removed',
  'volume.set_snapshot_schedule': 'web: volume data: snapshot schedule set to 0 0 1 1 * UTC, 3 kept',
  'volume.update': 'web: volume data: path /data → /new',
  'volume_snapshot.create': 'web: snapshot s of volume data is created',
  'volume_snapshot.delete': 'web: snapshot s of volume data is deleted',
  'volume_snapshot.restore': 'web: volume data is restored from snapshot s',
  'webhook.create': 'Webhook to https://receiver.example/hook is created',
  'webhook.delete': 'Webhook to https://receiver.example/hook is deleted',
  'webhook.redeliver': 'Webhook to https://receiver.example/hook: message redelivered',
  'webhook.rotate_secret': 'Webhook to https://receiver.example/hook: secret rotated',
  'webhook.test': 'Webhook to https://receiver.example/hook: test message sent',
  'webhook.update':
    'Webhook to https://receiver.example/other: URL https://receiver.example/hook → https://receiver.example/other',
};

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
        events(first: 100, after: $after) { nodes { action summary } pageInfo { endCursor } }
      }`,
      { after },
    );
    for (const { action, summary } of events.nodes) told.unshift([action, normal(summary)]);
    after = events.pageInfo.endCursor;
  } while (after);
}, 120_000);

describe('the summary of an event', () => {
  it('has a sentence for each action', () => {
    const actions = [...deliveredActions, ...undeliveredActions];
    const without = (action: string) => sentenceOf(described({ action })).includes(action);
    expect(actions.filter(without)).toEqual([]);
    expect(without('component.sing')).toBe(true);
  });

  it('says in words what each mutation does', () => {
    expect(Object.fromEntries(told.toReversed())).toEqual(sentences);
  });

  it('has no ids, and nothing that is not there', () => {
    for (const [, summary] of told) expect(summary).not.toMatch(/[0-9a-f]{32}|\bnull\b|undefined| {2}/);
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
  const one = await loads(1);
  expect(one.length).toBeGreaterThan(0);
  expect(await loads(50)).toEqual(one);
});
