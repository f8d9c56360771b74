import { issue } from './certificates.ts';
import { type All, unique } from './fixtures.ts';
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

/** Mutations whose events belong to no team. That of the event of `deleteTeam` is gone. */
const outsideTeams = new Set([
  'createAccessToken',
  'createRegion',
  'createRole',
  'createTeam',
  'createUser',
  'deleteRegion',
  'deleteRole',
  'deleteTeam',
  'deleteTemplateVersion',
  'disableTemplateVersion',
  'enableTemplateVersion',
  'endSession',
  'publishTemplate',
  'removeRegionOrphans',
  'revokeAccessToken',
  'updateRegion',
  'updateRole',
  'updateUser',
]);

/** `webhook.create` for `createWebhook`. */
const actionOf = (name: string) => {
  const [verb, ...noun] = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).split('_');
  return `${noun.join('_')}.${verb}`;
};

/** What is recorded of mutations whose names say it otherwise. */
const recorded: Record<string, string> = {
  addDependency: 'component.add_dependency',
  addTeamMember: 'team.add_member',
  applyManifest: 'application.apply_manifest',
  changePortAlias: 'port.change_alias',
  changePortProtocol: 'port.change_protocol',
  changeTeamMemberRole: 'team.change_member_role',
  closeInnerService: 'port.close_inner',
  closeOuterService: 'port.close_outer',
  closeTeamRegion: 'team.close_region',
  deleteDependency: 'component.delete_dependency',
  deleteGatewayRule: 'http_rule.delete',
  deleteTemplateVersion: 'template.delete_version',
  disableTemplateVersion: 'template.disable_version',
  enableTemplateVersion: 'template.enable_version',
  importNamespace: 'application.create',
  openInnerService: 'port.open_inner',
  openOuterService: 'port.open_outer',
  openTeamRegion: 'team.open_region',
  promoteRelease: 'component.promote',
  publishApplication: 'template.publish',
  redeliver: 'webhook.redeliver',
  removeAutoscaling: 'component.remove_autoscaling',
  removeRegionOrphans: 'region.remove_orphans',
  removeSnapshotSchedule: 'volume.remove_snapshot_schedule',
  removeTeamMember: 'team.remove_member',
  rollbackApplication: 'application.rollback_components',
  rollbackUpgrade: 'application.rollback',
  rotateWebhookSecret: 'webhook.rotate_secret',
  runComponent: 'run.start',
  setAutoscaling: 'component.set_autoscaling',
  setGroupRole: 'team.set_group_role',
  setPlacement: 'component.set_placement',
  setProbes: 'component.set_probes',
  setSnapshotSchedule: 'volume.set_snapshot_schedule',
  setTeamQuota: 'team.set_quota',
  setVariables: 'component.set_variables',
  uninstallComponentGroup: 'application.uninstall',
};

/** A case for every mutation. */
export async function everyChange(trellis: Trellis, all: All): Promise<Record<string, ChangeCase>> {
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
    await trellis.succeed('addPort', { component, number, protocol: 'HTTP' }, 'port { id }');
    return { application: { appId: all.application.appId }, component, portNumber: number };
  };
  const httpRule = async () => ({ ...(await target()), domain: `${unique('www')}.example` });
  const newRule = async () => (await trellis.succeed('createHttpRule', await httpRule(), 'rule { id }')).rule;

  const newCertificate = async () => {
    const input = await inputs.addCertificate!();
    const { certificate } = await trellis.succeed('addCertificate', input, 'certificate { uid }');
    return { uid: certificate.uid as number };
  };

  const other = async () => ({
    componentId: (await trellis.createComponent(all.application.appId)).componentId,
  });
  const newVolume = async () => {
    const input = await inputs.addVolume!();
    return { id: (await trellis.succeed('addVolume', input, 'volume { id }')).volume.id as string };
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
    const { template } = await trellis.succeed('publishTemplate', input, 'template { uid }');
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
    const { credential } = await trellis.succeed('createRegistryCredential', newCredential(), selection);
    return credential;
  };

  const newAccount = () => ({
    team: { teamId: all.team.teamId },
    name: unique('robot'),
    role: 'DEVELOPER',
  });
  const createdAccount = async () => {
    const { serviceAccount } = await trellis.succeed(
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
    (await trellis.succeed('createWebhook', await newWebhook(), 'webhook { webhookId: uid }')).webhook;
  const createdDelivery = async () => {
    const input = { webhook: await createdWebhook() };
    return (await trellis.succeed('testWebhook', input, 'delivery { deliveryId: uid }')).delivery;
  };
  /** A component whose deploy hooks work. */
  const open = async () => {
    const component = await other();
    await trellis.succeed('updateComponent', { component, opensWebhooks: true }, '__typename');
    return component;
  };
  const newPreview = async () => {
    const application = { appId: all.application.appId };
    await trellis.succeed('updateApplication', { application, previews: { most: 100 } }, '__typename');
    return { application, key: unique('pr') };
  };
  const newHook = async () => {
    const input = { component: await open() };
    return (await trellis.succeed('createDeployHook', input, 'deployHook { deployHookId: uid }')).deployHook;
  };
  const newRole = () => ({ name: unique('role'), actions: ['DEPLOY_COMPONENT'] });
  const createdRole = async () =>
    (await trellis.succeed('createRole', newRole(), 'role { roleId: uid }')).role;

  /** A component of its own in the state. */
  const componentIn = async (state: 'undeploy' | 'running' | 'closed') => {
    const deploy = state !== 'undeploy';
    const { componentId } = await trellis.createComponent(all.application.appId, { deploy });
    const component = { componentId };
    if (state === 'closed') await trellis.succeed('stopComponent', { component }, 'component { uid }');
    return component;
  };
  const inApplication = async (state: 'undeploy' | 'running' | 'closed') => {
    await componentIn(state);
    return { application: { appId: all.application.appId } };
  };
  const inputs: Record<string, () => object | Promise<object>> = {
    createServiceAccount: newAccount,
    updateServiceAccount: async () => ({ serviceAccount: await createdAccount(), role: 'VIEWER' }),
    deleteServiceAccount: async () => ({ serviceAccount: await createdAccount() }),
    createWebhook: newWebhook,
    updateWebhook: async () => ({ webhook: await createdWebhook(), url: 'https://receiver.example/other' }),
    deleteWebhook: async () => ({ webhook: await createdWebhook() }),
    rotateWebhookSecret: async () => ({ webhook: await createdWebhook() }),
    testWebhook: async () => ({ webhook: await createdWebhook() }),
    redeliver: async () => ({ delivery: await createdDelivery() }),
    addTrust: newTrust,
    removeTrust: async () => ({
      trust: (await trellis.succeed('addTrust', await newTrust(), 'trust { trustId: uid }')).trust,
    }),
    createDeployHook: async () => ({ component: await open() }),
    updateDeployHook: async () => ({ deployHook: await newHook(), tagPattern: 'v1.*' }),
    rotateDeployHook: async () => ({ deployHook: await newHook() }),
    deleteDeployHook: async () => ({ deployHook: await newHook() }),
    createRole: newRole,
    updateRole: async () => ({ role: await createdRole(), actions: ['STOP_COMPONENT'] }),
    deleteRole: async () => ({ role: await createdRole() }),
    createRegistryCredential: newCredential,
    updateRegistryCredential: async () => ({ credential: await createdCredential(), password: 'other' }),
    deleteRegistryCredential: async () => ({ credential: await createdCredential() }),
    addCertificate: () => ({
      team: { teamId: all.team.teamId },
      name: unique('certificate'),
      chain: issued.pem,
      key: issued.key,
    }),
    addDependency: async () => ({
      component: { componentId: all.component.componentId },
      dependency: await other(),
    }),
    addVolume: async () => ({ component: await other(), name: 'data', path: '/data', type: 'local' }),
    addPort: () => ({
      component: { componentId: all.component.componentId },
      number: freeNumber++,
      protocol: 'TCP',
    }),
    addTeamMember: async () => ({
      team: { teamId: all.team.teamId },
      user: { userId: (await trellis.createPerson()).userId },
      role: 'ADMIN',
    }),
    cancelJob: async () => ({ job: await pendingJob(trellis, all) }),
    runComponent: async () => {
      const { component: of } = await simulatedInstance(trellis, all.team.teamId);
      return { component: of, command: ['true'] };
    },
    cancelRun: async () => ({ run: await pendingRun(trellis, all.team.teamId) }),
    createSchedule: () => newSchedule(trellis, all.team.teamId),
    updateSchedule: async () => ({
      schedule: await createdSchedule(trellis, all.team.teamId),
      isPaused: true,
    }),
    deleteSchedule: async () => ({ schedule: await createdSchedule(trellis, all.team.teamId) }),
    changePortAlias: () => ({ port: port(), alias: `X${freeNumber++}` }),
    changePortProtocol: async () => {
      await trellis.attempt('closeOuterService', { port: port() });
      await trellis.attempt('changePortProtocol', { port: port(), protocol: 'HTTP' });
      return { port: port(), protocol: 'UDP' };
    },
    closeInnerService: async () => {
      await trellis.attempt('openInnerService', { port: port() });
      return { port: port() };
    },
    closeOuterService: async () => {
      await trellis.attempt('openOuterService', { port: port() });
      return { port: port() };
    },
    closeTeamRegion: async () => {
      const place = await inputs.openTeamRegion!();
      await trellis.succeed('openTeamRegion', place, 'team { uid }');
      return place;
    },
    changeTeamMemberRole: async () => ({
      team: { teamId: all.team.teamId },
      user: { userId: (await trellis.createMember(all.team.teamId, 'VIEWER')).userId },
      role: 'ADMIN',
    }),
    applyManifest: () => ({
      ...place(),
      document: `application: ${all.application.name}\nnote: ${unique('note')}\n`,
    }),
    copyApplication: () => ({
      ...place(),
      application: { appId: all.application.appId },
      name: unique('copy'),
      secrets: 'OMIT',
    }),
    openPreview: newPreview,
    closePreview: async () => {
      const preview = await newPreview();
      await trellis.succeed('openPreview', preview, '__typename');
      return preview;
    },
    createAccessToken: () => ({ name: 'recorded' }),
    createApplication: () => ({ ...place(), name: unique('app') }),
    createComponent: () => ({ application: { appId: all.application.appId }, name: 'x', image: 'x:1' }),
    createHttpRule: httpRule,
    createRegion: region,
    createTcpRule: async () => ({ ...(await target()), endpoint: `10.0.0.1:${freeNumber++}` }),
    createTeam: () => ({ name: unique('team') }),
    createUser: () => ({ email: `${unique('u')}@trellis.example`, nickName: 'U' }),
    importNamespace: () => namespaceToImport(trellis, all.team.teamId),
    createVolumeSnapshot: async () => ({
      ...(await newSnapshot()),
      name: unique('s'),
    }),
    deleteVolumeSnapshot: () => newSnapshot(),
    restoreVolumeSnapshot: () => newSnapshot(),
    setSnapshotSchedule: async () => ({ volume: (await newSnapshot()).volume, cron: rarely, keep: 3 }),
    removeSnapshotSchedule: async () => {
      const { volume } = await newSnapshot();
      await trellis.succeed('setSnapshotSchedule', { volume, cron: rarely, keep: 3 }, '__typename');
      return { volume };
    },
    deleteInstance: () => simulatedInstance(trellis, all.team.teamId),
    deleteGatewayRule: async () => ({ rule: { id: (await newRule()).id } }),
    deleteCertificate: async () => ({ certificate: { certificateId: (await newCertificate()).uid } }),
    deleteRegion: async () => {
      const made = await trellis.succeed('createRegion', region(), 'region { uid }');
      return { region: { regionId: made.region.uid } };
    },
    removeRegionOrphans: async () => {
      const input = { ...region(), driver: 'SIMULATED' };
      const made = await trellis.succeed('createRegion', input, 'region { uid }');
      return { region: { regionId: made.region.uid }, deleteVolumes: true };
    },
    deleteTeam: async () => ({ team: { teamId: (await trellis.createTeam()).teamId } }),
    deleteDependency: async () => {
      const pair = { component: await other(), dependency: await other() };
      await trellis.succeed('addDependency', pair, '__typename');
      return pair;
    },
    deleteVolume: async () => ({ volume: await newVolume() }),
    deleteApplication: async () => ({ application: { appId: (await trellis.createApplication(all)).appId } }),
    deleteComponent: async () => {
      const { componentId } = await trellis.createComponent(all.application.appId);
      return { component: { componentId } };
    },
    uninstallComponentGroup: async () => {
      const { install } = await installed();
      const { group } = await trellis.succeed('installApplication', install, 'group { uid }');
      return { group: { groupId: group.uid } };
    },
    updateApplication: () => ({ application: { appId: all.application.appId }, note: unique('note') }),
    deletePort: async () => {
      const number = freeNumber++;
      const component = { componentId: all.component.componentId };
      await trellis.succeed('addPort', { component, number, protocol: 'TCP' }, 'port { id }');
      return { port: { at: { component, number } } };
    },
    installApplication: async () => (await installed()).install,
    publishTemplate: () => ({ template: ringTemplate(1).text }),
    upgradeApplication: async () => {
      const { install, upgrade } = await installed();
      await trellis.succeed('installApplication', install, 'group { uid }');
      return upgrade;
    },
    publishApplication: () => ({ application: { appId: all.application.appId }, version: unique('v') }),
    disableTemplateVersion: () => newVersion(),
    enableTemplateVersion: () => newVersion({ isEnabled: false }),
    deleteTemplateVersion: async () => {
      const template = ringTemplate(1, { key: (await installed()).ring.key, version: '3.0.0' }).text;
      return newVersion({ template, version: '3.0.0' });
    },
    rollbackUpgrade: async () => ({ group: await upgradedGroup(trellis, all.application.appId) }),
    openInnerService: async () => {
      await trellis.attempt('closeInnerService', { port: port() });
      return { port: port() };
    },
    openOuterService: async () => {
      await trellis.attempt('closeOuterService', { port: port() });
      return { port: port() };
    },
    openTeamRegion: async () => {
      const made = await trellis.succeed('createRegion', region(), 'region { uid }');
      return { team: { teamId: all.team.teamId }, region: { regionId: made.region.uid } };
    },
    replaceCertificate: async () => ({
      certificate: { certificateId: (await newCertificate()).uid },
      chain: renewed.pem,
      key: renewed.key,
    }),
    setProbes: () => ({
      component: { componentId: all.component.componentId },
      readiness: { tcp: { port: (freeNumber++ % 60_000) + 1 } },
    }),
    setPlacement: () => ({
      component: { componentId: all.component.componentId },
      nodeLabels: [{ key: 'disktype', value: `v${freeNumber++}` }],
    }),
    setVariables: () => ({
      component: { componentId: all.component.componentId },
      set: [{ name: `V${freeNumber++}`, value: 'x' }],
    }),
    updateVolume: async () => ({ volume: await newVolume(), path: '/new' }),
    setGroupRole: () => ({ team: { teamId: all.team.teamId }, group: unique('group'), role: 'VIEWER' }),
    endSession: async () => ({ session: { sessionId: await trellis.createSession() } }),
    setTeamQuota: () => ({ ...place(), cpuQuotaMillicores: freeNumber++ * 1000 }),
    removeTeamMember: async () => ({
      team: { teamId: all.team.teamId },
      user: { userId: (await trellis.createMember(all.team.teamId, 'VIEWER')).userId },
    }),
    updateHttpRule: async () => ({ rule: { id: (await newRule()).id }, path: '/new' }),
    updateTcpRule: async () => {
      const input = await inputs.createTcpRule!();
      const made = await trellis.succeed('createTcpRule', input, 'rule { id }');
      return { rule: { id: made.rule.id }, mappedAddress: '192.0.2.1:80' };
    },
    updateRegion: () => ({ region: { name: all.region.name }, alias: unique('alias') }),
    updateTeam: () => ({ team: { teamId: all.team.teamId }, alias: unique('alias') }),
    updateUser: async () => ({
      user: { userId: (await trellis.createMember(all.team.teamId, 'VIEWER')).userId },
      phone: '+49 1',
    }),
    revokeAccessToken: async () => {
      const made = await trellis.succeed(
        'createAccessToken',
        { name: 'gone' },
        'accessToken { tokenId: uid }',
      );
      return { token: { tokenId: made.accessToken.tokenId } };
    },
    updateComponent: async () => ({
      component: await componentIn('running'),
      image: 'x:2',
      deploy: true,
    }),
    deployComponent: async () => ({
      component: await componentIn('undeploy'),
    }),
    startComponent: async () => ({ component: await componentIn('closed') }),
    stopComponent: async () => ({ component: await componentIn('running') }),
    restartComponent: async () => ({
      component: await componentIn('running'),
    }),
    setAutoscaling: async () => ({
      component: await componentIn('running'),
      ...{ minReplicas: 1, maxReplicas: 3, cpuPercent: 80 },
    }),
    removeAutoscaling: async () => {
      const component = await componentIn('running');
      const autoscaling = { minReplicas: 1, maxReplicas: 3, cpuPercent: 80 };
      await trellis.succeed('setAutoscaling', { component, ...autoscaling }, '__typename');
      return { component };
    },
    scaleComponent: async () => ({
      component: await componentIn('running'),
      replicas: 2,
    }),
    deployApplication: () => inApplication('undeploy'),
    startApplication: () => inApplication('closed'),
    stopApplication: () => inApplication('running'),
    restartApplication: () => inApplication('running'),
    rollbackComponent: async () => ({
      component: await componentIn('running'),
      release: 1,
    }),
    rollbackApplication: async () => {
      const component = await componentIn('running');
      const { release } = await trellis.data('query($by: ReleaseRef!) { release(by: $by) { createdAt } }', {
        by: { at: { component, number: 1 } },
      });
      await trellis.succeed('updateComponent', { component, image: 'x:2', deploy: true }, '__typename');
      return { application: { appId: all.application.appId }, at: release.createdAt };
    },
    promoteRelease: async () => {
      const name = unique('promoted');
      const source = await trellis.createApplication(all, unique('source'));
      const component = await trellis.createComponent(source.appId, { name, deploy: true });
      await trellis.createComponent(all.application.appId, { name });
      return {
        release: { at: { component: { componentId: component.componentId }, number: 1 } },
        to: { appId: all.application.appId },
      };
    },
  };
  return Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => [
      name,
      {
        input,
        action: recorded[name] ?? actionOf(name),
        inTeam: !outsideTeams.has(name),
        isInCluster: name === 'removeRegionOrphans',
      },
    ]),
  );
}
