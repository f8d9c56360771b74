import type { ChangeCase } from './every-change.ts';
import type { All } from './fixtures.ts';
import { upgradedGroup } from './installs.ts';
import { simulatedInstance, simulatedSnapshot } from './instances.ts';
import { pendingJob } from './jobs.ts';
import type { RegistryServer } from './registry-server.ts';
import { pendingRun } from './runs.ts';
import { newSchedule } from './schedules.ts';
import type { Trellis } from './trellis.ts';

/** A call of an operation that reads. */
export interface ReadCase {
  given: object;
  /** What the answer has, for the callers that may read it. */
  has: string;
  /** What somebody of another team gets. NOT_FOUND if omitted. */
  outsider?: 'ok' | 'FORBIDDEN';
}

/** A call of every operation that reads, each of which returns something. */
export async function everyRead(
  trellis: Trellis,
  all: All,
  registry: RegistryServer,
  changes: Record<string, ChangeCase>,
): Promise<Record<string, ReadCase>> {
  const make = async (mutation: string, selection: string, input: object = {}) =>
    trellis.succeed(mutation, { ...(await changes[mutation]!.input()), ...input }, selection);
  const team = { id: all.team.id };
  const region = { name: all.region.name };
  const application = { id: all.application.id };
  const component = { id: all.component.id };

  const set = ['DB_PASSWORD', 'MODE'].map((name) => ({ name, value: 'hunter2' }));
  await trellis.succeed('setVariables', { component, set }, '__typename');
  await trellis.addPort(all.component.componentId, 8081);
  const rule = { application, component, portNumber: 8081, domain: 'www.read-shop.example', opensPort: true };
  const { rule: httpRule } = await trellis.succeed('createHttpRule', rule, 'rule { id }');
  const { rule: tcpRule } = await make('createTcpRule', 'rule { id }');
  await upgradedGroup(trellis, all.application.appId);
  const { jobId } = await pendingJob(trellis, all);
  const logged = await simulatedInstance(trellis, all.team.teamId);
  const run = await pendingRun(trellis, all.team.teamId);
  const scheduled = await newSchedule(trellis, all.team.teamId);
  const { schedule } = await trellis.succeed('createSchedule', scheduled, 'schedule { scheduleId: uid }');
  const kept = await simulatedSnapshot(trellis, all.team.teamId);
  const cluster = await trellis.createRegion({ driver: 'KUBERNETES', url: 'https://127.0.0.1:1' });
  const { certificate } = await make('addCertificate', 'certificate { id name }');
  const { credential } = await make('createRegistryCredential', 'credential { id host }');
  const { template } = await make('publishTemplate', 'template { id key }');
  const { volume } = await make('addVolume', 'volume { id name }', { component });
  const { webhook } = await make('createWebhook', 'webhook { id url }', { events: ['service_account.*'] });
  await trellis.succeed('updateComponent', { component, opensWebhooks: true }, '__typename');
  const { deployHook } = await make('createDeployHook', 'deployHook { id }', { component });
  await trellis.succeed('updateApplication', { application, previews: { most: 100 } }, '__typename');
  const { preview } = await make('openPreview', 'preview { id key }');
  const { serviceAccount } = await make('createServiceAccount', 'serviceAccount { name }');
  const { groupRole } = await make('setGroupRole', 'groupRole { group }');
  const { role } = await make('createRole', 'role { name }');
  const { user } = await make('createUser', 'user { id email }');
  const dependent = await make('addDependency', 'component { id }');
  const deployed = await make('deployComponent', 'component { id }');
  await make('deployComponent', 'component { id }', { component: { id: deployed.component.id } });
  const release = { at: { component: { id: deployed.component.id }, number: 1 } };
  const { nickName } = (await trellis.data('{ viewer { user { nickName } } }')).viewer.user;

  return {
    check_image: { given: { team, image: `${registry.host}/shop/web:1.0` }, has: '"exists":true' },
    check_region: { given: { region: { name: cluster.name } }, has: '"isReachable":false' },
    diff_releases: { given: { release, to: 2 }, has: '"diff":[]' },
    export_manifest: { given: { application }, has: `application: ${all.application.name}` },
    find_applications: { given: { search: all.application.name }, has: all.application.id, outsider: 'ok' },
    find_components: { given: { team, region, search: all.component.alias }, has: all.component.id },
    find_teams: { given: { search: all.team.name }, has: all.team.id, outsider: 'ok' },
    find_templates: { given: { search: 'Ring' }, has: '"version":"2.0.0"', outsider: 'ok' },
    get_application: { given: { application }, has: all.component.id },
    get_certificate: { given: { certificate: { id: certificate.id } }, has: certificate.name },
    get_component: { given: { component }, has: 'http://www.read-shop.example/' },
    get_component_traffic_history: {
      given: { component: logged.component, last: 'DAY' },
      has: '"stepSeconds":300',
    },
    get_component_usage: { given: { component: logged.component }, has: logged.instance },
    get_component_usage_history: {
      given: { component: logged.component, last: 'DAY' },
      has: '"stepSeconds":300',
    },
    get_job: { given: { job: { jobId } }, has: '"status":"PENDING"' },
    get_limits: { given: {}, has: 'LIMIT_TOKENS', outsider: 'ok' },
    get_node: { given: { id: httpRule.id }, has: 'www.read-shop.example' },
    get_port: { given: { port: { at: { component, number: 8081 } } }, has: 'www.read-shop.example' },
    get_region: { given: { region }, has: all.region.name },
    get_release: { given: { release }, has: '"number":1' },
    get_registry_credential: { given: { credential: { id: credential.id } }, has: credential.host },
    get_team: { given: { team }, has: all.region.name },
    get_team_resources: { given: { team, region }, has: '"totalMemoryMiB":0' },
    get_template: { given: { template: { id: template.id } }, has: template.key, outsider: 'ok' },
    get_user: { given: { user: { id: user.id } }, has: user.email },
    get_viewer: { given: {}, has: nickName, outsider: 'ok' },
    get_webhook: { given: { webhook: { id: webhook.id } }, has: webhook.url },
    list_access_tokens: { given: { first: 1 }, has: '"hasNextPage":true', outsider: 'ok' },
    list_administrators: { given: {}, has: nickName, outsider: 'FORBIDDEN' },
    list_certificates: { given: { team }, has: certificate.id },
    list_deliveries: {
      given: { webhook: { id: webhook.id }, status: 'PENDING' },
      has: 'service_account.create',
    },
    list_dependencies: { given: { component: { id: dependent.component.id } }, has: '"totalCount":1' },
    get_run: { given: { run }, has: 'sleep' },
    list_runs: { given: { component: logged.component }, has: 'sleep' },
    get_schedule: { given: { schedule }, has: '0 0 1 1 *' },
    list_schedules: { given: { component: scheduled.component }, has: '"totalCount":1' },
    get_preview: { given: { preview: { id: preview.id } }, has: preview.key },
    list_previews: { given: { application }, has: preview.key },
    list_deploy_hooks: { given: { component }, has: deployHook.id },
    list_enterprise_events: {
      given: { action: 'role.create' },
      has: 'role.create',
      outsider: 'FORBIDDEN',
    },
    list_events: { given: { team, action: 'http_rule.create' }, has: 'read-shop' },
    list_group_roles: { given: { team }, has: groupRole.group },
    list_http_rules: { given: { search: 'read-shop' }, has: httpRule.id, outsider: 'ok' },
    list_instances: { given: { component: logged.component }, has: logged.instance },
    list_jobs: { given: { team, status: 'PENDING' }, has: all.application.name },
    list_members: { given: { team }, has: '"OWNER"' },
    list_ports: { given: { component, isOuter: true }, has: '"number":8081' },
    list_region_orphans: { given: { region }, has: '"orphans":[]' },
    list_region_teams: { given: { region }, has: all.team.name },
    list_regions: { given: { search: all.region.name }, has: all.region.name, outsider: 'ok' },
    list_registry_credentials: { given: { team }, has: credential.host },
    list_releases: { given: { component: release.at.component }, has: '"totalCount":2' },
    list_roles: { given: { first: 100 }, has: role.name, outsider: 'ok' },
    list_rules: { given: { application }, has: 'www.read-shop.example' },
    list_service_accounts: { given: { team }, has: serviceAccount.name },
    list_sessions: { given: {}, has: '"totalCount":0', outsider: 'ok' },
    list_tcp_rules: { given: { isPublished: true }, has: tcpRule.id, outsider: 'ok' },
    list_team_resources: { given: { of: [{ team, region }] }, has: all.team.name, outsider: 'ok' },
    list_upgrade_records: { given: { application }, has: '2.0.0' },
    list_upgrades: { given: { application }, has: '"toVersion":"2.0.0"' },
    list_users: { given: { search: user.email }, has: user.email, outsider: 'FORBIDDEN' },
    list_variables: { given: { component }, has: '"value":"hunter2"' },
    list_volume_snapshots: {
      given: { component: { componentId: kept.componentId } },
      has: kept.name,
    },
    list_volumes: { given: { component }, has: volume.name },
    list_webhooks: { given: { team }, has: webhook.url },
    plan_manifest: {
      given: { team, region, document: `application: ${all.application.name}\nnote: planned\n` },
      has: '"after":"planned"',
    },
    read_logs: {
      given: { component: logged.component, tail: 1, search: 'HEALTH' },
      has: '"source":"INSTANCES","gap":"NO_LOGS_URL"',
    },
  };
}
