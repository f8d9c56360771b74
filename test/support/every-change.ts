import { issue } from './certificates.ts';
import type { createAll } from './fixtures.ts';
import {
  attempt,
  createApplication,
  createComponent,
  createMember,
  createPerson,
  createSession,
  createTeam,
  succeed,
  unique,
} from './fixtures.ts';
import { createTemplate, upgradedGroup } from './installs.ts';
import { namespaceToImport, simulatedInstance, simulatedSnapshot } from './instances.ts';
import { pendingJob } from './jobs.ts';
import { pendingRun } from './runs.ts';
import { createdSchedule, newSchedule, rarely } from './schedules.ts';
import { ringTemplate } from './templates.ts';
import type { Trellis } from './trellis.ts';
import { webhookInput } from './webhooks.ts';

/** A mutation with an input that changes something, and the action that is recorded. */
export interface ChangeCase {
  input: () => object | Promise<object>;
  action: string;
  inTeam: boolean;
  /** Whether it changes a cluster and no row but that of its event. */
  isInCluster?: boolean;
}

/** A case for every mutation. */
export async function everyChange(
  trellis: Trellis,
  all: Awaited<ReturnType<typeof createAll>>,
): Promise<Record<string, ChangeCase>> {
  const issued = await issue({ names: ['record.example'] });
  const renewed = await issue({ names: ['record.example'] });
  let freeNumber = 20_000;
  const port = () => ({ at: { component: { componentId: all.component.componentId }, number: 8080 } });
  const place = () => ({ team: { teamId: all.team.teamId }, region: { name: all.region.name } });

  const region = () => ({
    name: unique('region'),
    url: 'https://region.example',
    websocketUrl: 'wss://region.example',
    httpDomain: 'http.example',
    tcpDomain: 'tcp.example',
    // A region that is open for no team is visible to others only if it is public.
    scope: 'PUBLIC',
  });

  const target = async () => {
    const component = { componentId: all.component.componentId };
    const number = freeNumber++;
    await succeed(trellis, 'addPort', { component, number, protocol: 'HTTP' }, 'port { id }');
    return { application: { appId: all.application.appId }, component, portNumber: number };
  };
  const httpRule = async () => ({ ...(await target()), domain: `${unique('www')}.example` });
  const newRule = async () =>
    (await succeed(trellis, 'createHttpRule', await httpRule(), 'rule { id }')).rule;

  const newCertificate = async () => {
    const input = changes.addCertificate!.input() as object;
    const { certificate } = await succeed(trellis, 'addCertificate', input, 'certificate { uid }');
    return { uid: certificate.uid as number };
  };

  const other = async () => ({
    componentId: (await createComponent(trellis, all.application.appId)).componentId,
  });
  const newVolume = async () => {
    const input = (await changes.addVolume!.input()) as object;
    return { id: (await succeed(trellis, 'addVolume', input, 'volume { id }')).volume.id as string };
  };

  const newSnapshot = async () => {
    const { componentId, ...input } = await simulatedSnapshot(trellis, all.team.teamId);
    return input;
  };

  /** A template that the own application has not installed yet, with a second version. */
  const installed = () => createTemplate(trellis, all.application.appId);

  /** A published version to change. */
  async function newVersion({
    version = '1.0.0',
    ...options
  }: { version?: string } & Record<string, unknown> = {}) {
    const input = { template: ringTemplate(1).text, ...options };
    const { template } = await succeed(trellis, 'publishTemplate', input, 'template { uid }');
    return { template: { templateId: template.uid }, version };
  }

  const newCredential = () => ({
    team: { teamId: all.team.teamId },
    host: `${unique('registry')}.example`,
    username: 'robot',
    password: 'secret',
  });
  const createdCredential = async () => {
    const selection = 'credential { credentialId: uid }';
    const { credential } = await succeed(trellis, 'createRegistryCredential', newCredential(), selection);
    return credential;
  };

  const newAccount = () => ({
    team: { teamId: all.team.teamId },
    name: unique('robot'),
    role: 'DEVELOPER',
  });
  const createdAccount = async () => {
    const { serviceAccount } = await succeed(
      trellis,
      'createServiceAccount',
      newAccount(),
      'serviceAccount { serviceAccountId: uid }',
    );
    return serviceAccount;
  };
  const newTrust = async () => ({
    serviceAccount: await createdAccount(),
    issuer: 'https://issuer.example',
    audience: 'trellis',
    claims: [{ name: 'sub', pattern: 'repo:shop/web:*' }],
  });
  const newWebhook = async () => ({
    ...webhookInput(all.team.teamId, { document: 'query($event: ID!) { node(id: $event) { id } }' }),
    serviceAccount: await createdAccount(),
  });
  const createdWebhook = async () =>
    (await succeed(trellis, 'createWebhook', await newWebhook(), 'webhook { webhookId: uid }')).webhook;
  const createdDelivery = async () => {
    const input = { webhook: await createdWebhook() };
    return (await succeed(trellis, 'testWebhook', input, 'delivery { deliveryId: uid }')).delivery;
  };
  /** A component whose deploy hooks work. */
  const open = async () => {
    const component = await other();
    await succeed(trellis, 'updateComponent', { component, opensWebhooks: true }, '__typename');
    return component;
  };
  const newHook = async () => {
    const input = { component: await open() };
    return (await succeed(trellis, 'createDeployHook', input, 'deployHook { deployHookId: uid }')).deployHook;
  };
  const newRole = () => ({ name: unique('role'), actions: ['DEPLOY_COMPONENT'] });
  const createdRole = async () =>
    (await succeed(trellis, 'createRole', newRole(), 'role { roleId: uid }')).role;

  const changes: Record<string, ChangeCase> = {
    createServiceAccount: { input: newAccount, action: 'service_account.create', inTeam: true },
    updateServiceAccount: {
      input: async () => ({ serviceAccount: await createdAccount(), role: 'VIEWER' }),
      action: 'service_account.update',
      inTeam: true,
    },
    deleteServiceAccount: {
      input: async () => ({ serviceAccount: await createdAccount() }),
      action: 'service_account.delete',
      inTeam: true,
    },
    createWebhook: { input: newWebhook, action: 'webhook.create', inTeam: true },
    updateWebhook: {
      input: async () => ({ webhook: await createdWebhook(), url: 'https://receiver.example/other' }),
      action: 'webhook.update',
      inTeam: true,
    },
    deleteWebhook: {
      input: async () => ({ webhook: await createdWebhook() }),
      action: 'webhook.delete',
      inTeam: true,
    },
    rotateWebhookSecret: {
      input: async () => ({ webhook: await createdWebhook() }),
      action: 'webhook.rotate_secret',
      inTeam: true,
    },
    testWebhook: {
      input: async () => ({ webhook: await createdWebhook() }),
      action: 'webhook.test',
      inTeam: true,
    },
    redeliver: {
      input: async () => ({ delivery: await createdDelivery() }),
      action: 'webhook.redeliver',
      inTeam: true,
    },
    addTrust: { input: newTrust, action: 'trust.add', inTeam: true },
    removeTrust: {
      input: async () => ({
        trust: (await succeed(trellis, 'addTrust', await newTrust(), 'trust { trustId: uid }')).trust,
      }),
      action: 'trust.remove',
      inTeam: true,
    },
    createDeployHook: {
      input: async () => ({ component: await open() }),
      action: 'deploy_hook.create',
      inTeam: true,
    },
    updateDeployHook: {
      input: async () => ({ deployHook: await newHook(), tagPattern: 'v1.*' }),
      action: 'deploy_hook.update',
      inTeam: true,
    },
    rotateDeployHook: {
      input: async () => ({ deployHook: await newHook() }),
      action: 'deploy_hook.rotate',
      inTeam: true,
    },
    deleteDeployHook: {
      input: async () => ({ deployHook: await newHook() }),
      action: 'deploy_hook.delete',
      inTeam: true,
    },
    createRole: { input: newRole, action: 'role.create', inTeam: false },
    updateRole: {
      input: async () => ({ role: await createdRole(), actions: ['STOP_COMPONENT'] }),
      action: 'role.update',
      inTeam: false,
    },
    deleteRole: {
      input: async () => ({ role: await createdRole() }),
      action: 'role.delete',
      inTeam: false,
    },
    createRegistryCredential: {
      input: newCredential,
      action: 'registry_credential.create',
      inTeam: true,
    },
    updateRegistryCredential: {
      input: async () => ({ credential: await createdCredential(), password: 'other' }),
      action: 'registry_credential.update',
      inTeam: true,
    },
    deleteRegistryCredential: {
      input: async () => ({ credential: await createdCredential() }),
      action: 'registry_credential.delete',
      inTeam: true,
    },
    addCertificate: {
      input: () => ({
        team: { teamId: all.team.teamId },
        name: unique('certificate'),
        chain: issued.pem,
        key: issued.key,
      }),
      action: 'certificate.add',
      inTeam: true,
    },
    addDependency: {
      input: async () => ({
        component: { componentId: all.component.componentId },
        dependency: await other(),
      }),
      action: 'component.add_dependency',
      inTeam: true,
    },
    addVolume: {
      input: async () => ({ component: await other(), name: 'data', path: '/data', type: 'local' }),
      action: 'volume.add',
      inTeam: true,
    },
    addPort: {
      input: () => ({
        component: { componentId: all.component.componentId },
        number: freeNumber++,
        protocol: 'TCP',
      }),
      action: 'port.add',
      inTeam: true,
    },
    addTeamMember: {
      input: async () => ({
        team: { teamId: all.team.teamId },
        user: { userId: (await createPerson(trellis)).userId },
        role: 'ADMIN',
      }),
      action: 'team.add_member',
      inTeam: true,
    },
    cancelJob: {
      input: async () => ({ job: await pendingJob(trellis, all) }),
      action: 'job.cancel',
      inTeam: true,
    },
    runComponent: {
      input: async () => {
        const { component: of } = await simulatedInstance(trellis, all.team.teamId);
        return { component: of, command: ['true'] };
      },
      action: 'run.start',
      inTeam: true,
    },
    cancelRun: {
      input: async () => ({ run: await pendingRun(trellis, all.team.teamId) }),
      action: 'run.cancel',
      inTeam: true,
    },
    createSchedule: {
      input: () => newSchedule(trellis, all.team.teamId),
      action: 'schedule.create',
      inTeam: true,
    },
    updateSchedule: {
      input: async () => ({ schedule: await createdSchedule(trellis, all.team.teamId), isPaused: true }),
      action: 'schedule.update',
      inTeam: true,
    },
    deleteSchedule: {
      input: async () => ({ schedule: await createdSchedule(trellis, all.team.teamId) }),
      action: 'schedule.delete',
      inTeam: true,
    },
    changePortAlias: {
      input: () => ({ port: port(), alias: `X${freeNumber++}` }),
      action: 'port.change_alias',
      inTeam: true,
    },
    changePortProtocol: {
      input: async () => {
        await attempt(trellis, 'closeOuterService', { port: port() });
        await attempt(trellis, 'changePortProtocol', { port: port(), protocol: 'HTTP' });
        return { port: port(), protocol: 'UDP' };
      },
      action: 'port.change_protocol',
      inTeam: true,
    },
    closeInnerService: {
      input: async () => {
        await attempt(trellis, 'openInnerService', { port: port() });
        return { port: port() };
      },
      action: 'port.close_inner',
      inTeam: true,
    },
    closeOuterService: {
      input: async () => {
        await attempt(trellis, 'openOuterService', { port: port() });
        return { port: port() };
      },
      action: 'port.close_outer',
      inTeam: true,
    },
    closeTeamRegion: {
      input: async () => {
        const place = await changes.openTeamRegion!.input();
        await succeed(trellis, 'openTeamRegion', place, 'team { uid }');
        return place;
      },
      action: 'team.close_region',
      inTeam: true,
    },
    changeTeamMemberRole: {
      input: async () => ({
        team: { teamId: all.team.teamId },
        user: { userId: (await createMember(trellis, all.team.teamId, 'VIEWER')).userId },
        role: 'ADMIN',
      }),
      action: 'team.change_member_role',
      inTeam: true,
    },
    applyManifest: {
      input: () => ({
        ...place(),
        document: `application: ${all.application.name}\nnote: ${unique('note')}\n`,
      }),
      action: 'application.apply_manifest',
      inTeam: true,
    },
    createAccessToken: { input: () => ({ name: 'recorded' }), action: 'access_token.create', inTeam: false },
    createApplication: {
      input: () => ({ ...place(), name: unique('app') }),
      action: 'application.create',
      inTeam: true,
    },
    createComponent: {
      input: () => ({ application: { appId: all.application.appId }, name: 'x', image: 'x:1' }),
      action: 'component.create',
      inTeam: true,
    },
    createHttpRule: { input: httpRule, action: 'http_rule.create', inTeam: true },
    createRegion: { input: region, action: 'region.create', inTeam: false },
    createTcpRule: {
      input: async () => ({ ...(await target()), endpoint: `10.0.0.1:${freeNumber++}` }),
      action: 'tcp_rule.create',
      inTeam: true,
    },
    createTeam: { input: () => ({ name: unique('team') }), action: 'team.create', inTeam: false },
    createUser: {
      input: () => ({ email: `${unique('u')}@trellis.example`, nickName: 'U' }),
      action: 'user.create',
      inTeam: false,
    },
    importNamespace: {
      input: () => namespaceToImport(trellis, all.team.teamId),
      action: 'application.create',
      inTeam: true,
    },
    createVolumeSnapshot: {
      input: async () => ({
        ...(await newSnapshot()),
        name: unique('s'),
      }),
      action: 'volume_snapshot.create',
      inTeam: true,
    },
    deleteVolumeSnapshot: {
      input: () => newSnapshot(),
      action: 'volume_snapshot.delete',
      inTeam: true,
    },
    restoreVolumeSnapshot: {
      input: () => newSnapshot(),
      action: 'volume_snapshot.restore',
      inTeam: true,
    },
    setSnapshotSchedule: {
      input: async () => ({ volume: (await newSnapshot()).volume, cron: rarely, keep: 3 }),
      action: 'volume.set_snapshot_schedule',
      inTeam: true,
    },
    removeSnapshotSchedule: {
      input: async () => {
        const { volume } = await newSnapshot();
        await succeed(trellis, 'setSnapshotSchedule', { volume, cron: rarely, keep: 3 }, '__typename');
        return { volume };
      },
      action: 'volume.remove_snapshot_schedule',
      inTeam: true,
    },
    deleteInstance: {
      input: () => simulatedInstance(trellis, all.team.teamId),
      action: 'instance.delete',
      inTeam: true,
    },
    deleteGatewayRule: {
      input: async () => ({ rule: { id: (await newRule()).id } }),
      action: 'http_rule.delete',
      inTeam: true,
    },
    deleteCertificate: {
      input: async () => ({ certificate: { certificateId: (await newCertificate()).uid } }),
      action: 'certificate.delete',
      inTeam: true,
    },
    deleteRegion: {
      input: async () => {
        const made = await succeed(trellis, 'createRegion', region(), 'region { uid }');
        return { region: { regionId: made.region.uid } };
      },
      action: 'region.delete',
      inTeam: false,
    },
    removeRegionOrphans: {
      input: async () => {
        const input = { ...region(), driver: 'SIMULATED' };
        const made = await succeed(trellis, 'createRegion', input, 'region { uid }');
        return { region: { regionId: made.region.uid }, deleteVolumes: true };
      },
      action: 'region.remove_orphans',
      inTeam: false,
      isInCluster: true,
    },
    // The team of the event is gone.
    deleteTeam: {
      input: async () => ({ team: { teamId: (await createTeam(trellis)).teamId } }),
      action: 'team.delete',
      inTeam: false,
    },
    deleteDependency: {
      input: async () => {
        const pair = { component: await other(), dependency: await other() };
        await succeed(trellis, 'addDependency', pair, '__typename');
        return pair;
      },
      action: 'component.delete_dependency',
      inTeam: true,
    },
    deleteVolume: {
      input: async () => ({ volume: await newVolume() }),
      action: 'volume.delete',
      inTeam: true,
    },
    deleteApplication: {
      input: async () => ({ application: { appId: (await createApplication(trellis, all)).appId } }),
      action: 'application.delete',
      inTeam: true,
    },
    deleteComponent: {
      input: async () => {
        const { componentId } = await createComponent(trellis, all.application.appId);
        return { component: { componentId } };
      },
      action: 'component.delete',
      inTeam: true,
    },
    uninstallComponentGroup: {
      input: async () => {
        const { install } = await installed();
        const { group } = await succeed(trellis, 'installApplication', install, 'group { uid }');
        return { group: { groupId: group.uid } };
      },
      action: 'application.uninstall',
      inTeam: true,
    },
    updateApplication: {
      input: () => ({ application: { appId: all.application.appId }, note: unique('note') }),
      action: 'application.update',
      inTeam: true,
    },
    deletePort: {
      input: async () => {
        const number = freeNumber++;
        const component = { componentId: all.component.componentId };
        await succeed(trellis, 'addPort', { component, number, protocol: 'TCP' }, 'port { id }');
        return { port: { at: { component, number } } };
      },
      action: 'port.delete',
      inTeam: true,
    },
    installApplication: {
      input: async () => (await installed()).install,
      action: 'application.install',
      inTeam: true,
    },
    publishTemplate: {
      input: () => ({ template: ringTemplate(1).text }),
      action: 'template.publish',
      inTeam: false,
    },
    upgradeApplication: {
      input: async () => {
        const { install, upgrade } = await installed();
        await succeed(trellis, 'installApplication', install, 'group { uid }');
        return upgrade;
      },
      action: 'application.upgrade',
      inTeam: true,
    },
    publishApplication: {
      input: () => ({ application: { appId: all.application.appId }, version: unique('v') }),
      action: 'template.publish',
      inTeam: true,
    },
    disableTemplateVersion: {
      input: () => newVersion(),
      action: 'template.disable_version',
      inTeam: false,
    },
    enableTemplateVersion: {
      input: () => newVersion({ isEnabled: false }),
      action: 'template.enable_version',
      inTeam: false,
    },
    deleteTemplateVersion: {
      input: async () => {
        const template = ringTemplate(1, { key: (await installed()).ring.key, version: '3.0.0' }).text;
        return newVersion({ template, version: '3.0.0' });
      },
      action: 'template.delete_version',
      inTeam: false,
    },
    rollbackUpgrade: {
      input: async () => ({ group: await upgradedGroup(trellis, all.application.appId) }),
      action: 'application.rollback',
      inTeam: true,
    },
    openInnerService: {
      input: async () => {
        await attempt(trellis, 'closeInnerService', { port: port() });
        return { port: port() };
      },
      action: 'port.open_inner',
      inTeam: true,
    },
    openOuterService: {
      input: async () => {
        await attempt(trellis, 'closeOuterService', { port: port() });
        return { port: port() };
      },
      action: 'port.open_outer',
      inTeam: true,
    },
    openTeamRegion: {
      input: async () => {
        const made = await succeed(trellis, 'createRegion', region(), 'region { uid }');
        return { team: { teamId: all.team.teamId }, region: { regionId: made.region.uid } };
      },
      action: 'team.open_region',
      inTeam: true,
    },
    replaceCertificate: {
      input: async () => ({
        certificate: { certificateId: (await newCertificate()).uid },
        chain: renewed.pem,
        key: renewed.key,
      }),
      action: 'certificate.replace',
      inTeam: true,
    },
    setProbes: {
      input: () => ({
        component: { componentId: all.component.componentId },
        readiness: { tcp: { port: (freeNumber++ % 60_000) + 1 } },
      }),
      action: 'component.set_probes',
      inTeam: true,
    },
    setPlacement: {
      input: () => ({
        component: { componentId: all.component.componentId },
        nodeLabels: [{ key: 'disktype', value: `v${freeNumber++}` }],
      }),
      action: 'component.set_placement',
      inTeam: true,
    },
    setVariables: {
      input: () => ({
        component: { componentId: all.component.componentId },
        set: [{ name: `V${freeNumber++}`, value: 'x' }],
      }),
      action: 'component.set_variables',
      inTeam: true,
    },
    updateVolume: {
      input: async () => ({ volume: await newVolume(), path: '/new' }),
      action: 'volume.update',
      inTeam: true,
    },
    setGroupRole: {
      input: () => ({ team: { teamId: all.team.teamId }, group: unique('group'), role: 'VIEWER' }),
      action: 'team.set_group_role',
      inTeam: true,
    },
    endSession: {
      input: async () => ({ session: { sessionId: await createSession(trellis) } }),
      action: 'session.end',
      inTeam: false,
    },
    setTeamQuota: {
      input: () => ({ ...place(), cpuQuotaMillicores: freeNumber++ * 1000 }),
      action: 'team.set_quota',
      inTeam: true,
    },
    removeTeamMember: {
      input: async () => ({
        team: { teamId: all.team.teamId },
        user: { userId: (await createMember(trellis, all.team.teamId, 'VIEWER')).userId },
      }),
      action: 'team.remove_member',
      inTeam: true,
    },
    updateHttpRule: {
      input: async () => ({ rule: { id: (await newRule()).id }, path: '/new' }),
      action: 'http_rule.update',
      inTeam: true,
    },
    updateTcpRule: {
      input: async () => {
        const input = (await changes.createTcpRule!.input()) as object;
        const made = await succeed(trellis, 'createTcpRule', input, 'rule { id }');
        return { rule: { id: made.rule.id }, mappedAddress: '192.0.2.1:80' };
      },
      action: 'tcp_rule.update',
      inTeam: true,
    },
    updateRegion: {
      input: () => ({ region: { name: all.region.name }, alias: unique('alias') }),
      action: 'region.update',
      inTeam: false,
    },
    updateTeam: {
      input: () => ({ team: { teamId: all.team.teamId }, alias: unique('alias') }),
      action: 'team.update',
      inTeam: true,
    },
    updateUser: {
      input: async () => ({
        user: { userId: (await createMember(trellis, all.team.teamId, 'VIEWER')).userId },
        phone: '+49 1',
      }),
      action: 'user.update',
      inTeam: false,
    },
    revokeAccessToken: {
      input: async () => {
        const made = await succeed(
          trellis,
          'createAccessToken',
          { name: 'gone' },
          'accessToken { tokenId: uid }',
        );
        return { token: { tokenId: made.accessToken.tokenId } };
      },
      action: 'access_token.revoke',
      inTeam: false,
    },
  };

  /** A component of its own in the state. */
  const componentIn = async (state: 'undeploy' | 'running' | 'closed') => {
    const isDeployed = state !== 'undeploy';
    const { componentId } = await createComponent(trellis, all.application.appId, { isDeployed });
    const component = { componentId };
    if (state === 'closed') await succeed(trellis, 'stopComponent', { component }, 'component { uid }');
    return component;
  };
  const inApplication = async (state: 'undeploy' | 'running' | 'closed') => {
    await componentIn(state);
    return { application: { appId: all.application.appId } };
  };
  const recordedAs = (action: string, input: () => Promise<object>) => ({ input, action, inTeam: true });
  Object.assign(changes, {
    updateComponent: recordedAs('component.update', async () => ({
      component: await componentIn('running'),
      image: 'x:2',
      deploy: true,
    })),
    deployComponent: recordedAs('component.deploy', async () => ({
      component: await componentIn('undeploy'),
    })),
    startComponent: recordedAs('component.start', async () => ({ component: await componentIn('closed') })),
    stopComponent: recordedAs('component.stop', async () => ({ component: await componentIn('running') })),
    restartComponent: recordedAs('component.restart', async () => ({
      component: await componentIn('running'),
    })),
    setAutoscaling: recordedAs('component.set_autoscaling', async () => ({
      component: await componentIn('running'),
      ...{ minReplicas: 1, maxReplicas: 3, cpuPercent: 80 },
    })),
    removeAutoscaling: recordedAs('component.remove_autoscaling', async () => {
      const component = await componentIn('running');
      const autoscaling = { minReplicas: 1, maxReplicas: 3, cpuPercent: 80 };
      await succeed(trellis, 'setAutoscaling', { component, ...autoscaling }, '__typename');
      return { component };
    }),
    scaleComponent: recordedAs('component.scale', async () => ({
      component: await componentIn('running'),
      replicas: 2,
    })),
    deployApplication: recordedAs('application.deploy', () => inApplication('undeploy')),
    startApplication: recordedAs('application.start', () => inApplication('closed')),
    stopApplication: recordedAs('application.stop', () => inApplication('running')),
    restartApplication: recordedAs('application.restart', () => inApplication('running')),
    rollbackComponent: recordedAs('component.rollback', async () => ({
      component: await componentIn('running'),
      release: 1,
    })),
    rollbackApplication: recordedAs('application.rollback_components', async () => {
      const component = await componentIn('running');
      const { release } = await trellis.data('query($by: ReleaseRef!) { release(by: $by) { createdAt } }', {
        by: { at: { component, number: 1 } },
      });
      await succeed(trellis, 'updateComponent', { component, image: 'x:2', deploy: true }, '__typename');
      return { application: { appId: all.application.appId }, at: release.createdAt };
    }),
    promoteRelease: recordedAs('component.promote', async () => {
      const name = unique('promoted');
      const source = await createApplication(trellis, all, unique('source'));
      const component = await createComponent(trellis, source.appId, { name, isDeployed: true });
      await createComponent(trellis, all.application.appId, { name });
      return {
        release: { at: { component: { componentId: component.componentId }, number: 1 } },
        to: { appId: all.application.appId },
      };
    }),
  });

  return changes;
}
