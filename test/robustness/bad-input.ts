import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { issue } from '../support/certificates.ts';
import {
  createAll,
  createApplication,
  createComponent,
  createMember,
  createPerson,
  createSession,
  succeed,
  unique,
} from '../support/fixtures.ts';
import { simulatedInstance } from '../support/instances.ts';
import { pendingJob } from '../support/jobs.ts';
import { pendingRun } from '../support/runs.ts';
import { createdSchedule } from '../support/schedules.ts';
import { ringTemplate } from '../support/templates.ts';
import { type GraphqlResult, startTrellis, type Trellis } from '../support/trellis.ts';
import { expectUnchanged } from '../support/unchanged.ts';

const mutations = schema.getMutationType()!.getFields();

let trellis: Trellis;
/** For every mutation an input that would succeed, with all its fields. */
let good: Record<string, any>;
let all: Awaited<ReturnType<typeof createAll>>;

async function setUp(): Promise<void> {
  trellis = await startTrellis({ bodyLimitBytes: 4_194_304 });
  all = await createAll(trellis);
  const member = await createMember(trellis, all.team.teamId, 'DEVELOPER');
  const person = await createPerson(trellis);
  const { accessToken } = await succeed(
    trellis,
    'createAccessToken',
    { name: 'x' },
    'accessToken { tokenId: uid }',
  );
  const team = { teamId: all.team.teamId };
  const region = { regionId: all.region.regionId };
  const component = { componentId: all.component.componentId };
  const cluster = { certificateIssuer: 'letsencrypt' };
  await succeed(trellis, 'updateRegion', { region, cluster }, '__typename');
  const port = { at: { component, number: all.port.number } };
  const { template } = await succeed(
    trellis,
    'publishTemplate',
    { template: ringTemplate(1).text },
    'template { uid }',
  );
  const templateVersion = { template: { templateId: template.uid }, version: '1.0.0' };
  const issued = await issue({ names: ['bad-input.example'] });
  const target = {
    application: { appId: all.application.appId },
    component,
    portNumber: all.port.number,
  };
  const httpRule = {
    domain: 'bad-input.example',
    path: '/',
    domainCookie: 'a=b',
    domainHeader: 'a=b',
    pathRewrite: true,
    rewriteRules: [{ regex: '^/a', replacement: '/b', flag: 'last' }],
    weight: 50,
    extensions: ['a:b'],
    autoSsl: true,
    autoSslConfig: 'x',
    configuration: {
      bodySizeMB: 1,
      bufferCount: 1,
      bufferSizeKB: 1,
      isBuffered: true,
      connectTimeoutSeconds: 1,
      readTimeoutSeconds: 1,
      sendTimeoutSeconds: 1,
      setHeaders: [{ key: 'A', value: 'b' }],
    },
  };
  const certificateInput = { team, name: 'one', chain: issued.pem, key: issued.key };
  const { certificate } = await succeed(
    trellis,
    'addCertificate',
    certificateInput,
    'certificate { certificateId: uid }',
  );
  const credentialInput = { team, host: 'registry.example', username: 'robot', password: 'secret' };
  const { credential } = await succeed(
    trellis,
    'createRegistryCredential',
    credentialInput,
    'credential { credentialId: uid }',
  );
  const { serviceAccount } = await succeed(
    trellis,
    'createServiceAccount',
    { team, name: 'robot', role: 'DEVELOPER' },
    'serviceAccount { serviceAccountId: uid }',
  );
  const addTrust = {
    serviceAccount,
    issuer: 'https://issuer.example',
    audience: 'trellis',
    claims: [{ name: 'sub', pattern: 'repo:shop/web:*' }],
    expiresAt: '2100-01-01T00:00:00Z',
    grants: [{ actions: ['DEPLOY_COMPONENT'] }],
  };
  const { trust } = await succeed(trellis, 'addTrust', addTrust, 'trust { trustId: uid }');
  const createWebhook = {
    team,
    url: 'https://receiver.example/hook',
    events: ['port.*'],
    document:
      'query($event: ID!, $first: Int) { node(id: $event) { id } teams(first: $first) { totalCount } }',
    variables: { first: 3 },
    serviceAccount,
  };
  const { webhook } = await succeed(trellis, 'createWebhook', createWebhook, 'webhook { webhookId: uid }');
  const { delivery } = await succeed(trellis, 'testWebhook', { webhook }, 'delivery { deliveryId: uid }');
  await succeed(trellis, 'updateComponent', { component, opensWebhooks: true }, '__typename');
  const name = unique('released');
  const made = await createComponent(trellis, all.application.appId, { name, isDeployed: true });
  const released = { componentId: made.componentId };
  const staging = await createApplication(trellis, all, unique('staging'));
  await createComponent(trellis, staging.appId, { name });
  const promoteRelease = {
    release: { at: { component: released, number: 1 } },
    to: { appId: staging.appId },
  };
  const logged = await simulatedInstance(trellis, all.team.teamId);
  const run = await pendingRun(trellis, all.team.teamId);
  const schedule = await createdSchedule(trellis, all.team.teamId);
  const timing = { cron: '30 3 * * MON-FRI', timeZone: 'Europe/Berlin', concurrency: 'REPLACE' };
  const scheduled = { ...timing, command: ['true'], timeoutSeconds: 60 };
  const createDeployHook = { component, name: 'pipeline', tagPattern: 'v1.*' };
  const { deployHook } = await succeed(
    trellis,
    'createDeployHook',
    createDeployHook,
    'deployHook { deployHookId: uid }',
  );
  const { role } = await succeed(
    trellis,
    'createRole',
    { name: 'deployer', actions: ['DEPLOY_COMPONENT'] },
    'role { roleId: uid }',
  );
  const { rule } = await succeed(
    trellis,
    'createHttpRule',
    { ...target, domain: 'other.example' },
    'rule { httpRuleId: uid }',
  );
  const { rule: tcpRule } = await succeed(
    trellis,
    'createTcpRule',
    { ...target, endpoint: '10.0.0.1:7776' },
    'rule { tcpRuleId: uid }',
  );
  const { componentId } = await createComponent(trellis, all.application.appId);
  const addVolume = {
    component,
    name: 'data',
    path: '/data',
    type: 'config-file',
    fileContent: 'x',
    capacityGiB: 1,
    accessMode: 'RWX',
    sharePolicy: 'all',
  };
  await succeed(trellis, 'addVolume', addVolume, '__typename');
  const { component: _, ...changedVolume } = addVolume;
  const ring = ringTemplate(1);
  await succeed(trellis, 'publishTemplate', { template: ring.text }, 'template { uid }');
  const install = {
    application: target.application,
    store: { url: trellis.url, domain: 'self', accessKey: trellis.adminToken },
    templateId: ring.key,
    version: ring.version,
  };
  const { group } = await succeed(trellis, 'installApplication', install, 'group { groupId: uid }');
  const { groupId } = group;
  good = {
    addDependency: { component, dependency: { componentId } },
    deleteDependency: { component, dependency: { componentId } },
    addVolume: { ...addVolume, name: 'other', path: '/other' },
    updateVolume: { volume: { at: { component, name: 'data' } }, ...changedVolume },
    deleteVolume: { volume: { at: { component, name: 'data' } } },
    createVolumeSnapshot: { volume: { at: { component, name: 'data' } }, name: 'before-upgrade' },
    deleteVolumeSnapshot: { volume: { at: { component, name: 'data' } }, name: 'a', dryRun: false },
    setSnapshotSchedule: {
      volume: { at: { component, name: 'data' } },
      ...{ cron: '30 3 * * *', timeZone: 'UTC', keep: 7, expectedRevision: 1, dryRun: false },
    },
    removeSnapshotSchedule: {
      volume: { at: { component, name: 'data' } },
      ...{ expectedRevision: 1, dryRun: false },
    },
    restoreVolumeSnapshot: { volume: { at: { component, name: 'data' } }, name: 'a', dryRun: false },
    replaceCertificate: { certificate, chain: issued.pem, key: issued.key },
    setProbes: {
      component,
      startup: {
        http: { port: 80, path: '/', scheme: 'HTTP', headers: [{ name: 'X', value: 'x' }] },
        initialDelaySeconds: 0,
        periodSeconds: 1,
        timeoutSeconds: 1,
        failureThreshold: 1,
        successThreshold: 1,
      },
      readiness: { tcp: { port: 80 } },
      liveness: { command: ['true'] },
    },
    setVariables: {
      component,
      set: [
        {
          name: 'A',
          value: '1',
          label: 'a',
          isSecret: true,
          scope: 'CONNECTION',
          isChangeable: true,
          portNumber: 1,
        },
      ],
      remove: [{ name: 'B', scope: 'ENVIRONMENT' }],
    },
    addCertificate: { ...certificateInput, name: 'two' },
    createServiceAccount: { team, name: 'other', role: 'VIEWER' },
    updateServiceAccount: { serviceAccount, name: 'another', role: 'ADMIN' },
    deleteServiceAccount: { serviceAccount, dryRun: false },
    addTrust,
    createDeployHook,
    updateDeployHook: { deployHook, name: 'other', tagPattern: 'v1.*', expectedRevision: 1 },
    rotateDeployHook: { deployHook, expectedRevision: 1 },
    deleteDeployHook: { deployHook, expectedRevision: 1, dryRun: false },
    removeTrust: { trust, dryRun: false },
    createWebhook,
    updateWebhook: { ...createWebhook, team: undefined, webhook, isEnabled: true },
    deleteWebhook: { webhook, dryRun: false },
    rotateWebhookSecret: { webhook },
    testWebhook: { webhook },
    redeliver: { delivery },
    createRole: { name: 'reader', actions: ['READ_LOGS'] },
    updateRole: { role, name: 'stopper', actions: ['STOP_COMPONENT'] },
    deleteRole: { role },
    createRegistryCredential: { ...credentialInput, host: 'other.example:5000' },
    updateRegistryCredential: { credential, username: 'other', password: 'other' },
    deleteRegistryCredential: { credential, force: true },
    createHttpRule: { ...target, ...httpRule, certificate, opensPort: true },
    createTcpRule: {
      ...target,
      endpoint: '10.0.0.1:7777',
      mappedAddress: '10.0.0.2:7777',
      extensions: [{ key: 'a', value: 'b' }],
    },
    updateTcpRule: {
      rule: tcpRule,
      endpoint: '10.0.0.1:7778',
      mappedAddress: '10.0.0.2:7778',
      extensions: [{ key: 'a', value: 'b' }],
    },
    cancelJob: { job: await pendingJob(trellis, all) },
    deleteCertificate: { certificate },
    deleteGatewayRule: { rule },
    updateHttpRule: { rule, certificate, ...httpRule },
    applyManifest: {
      team: { teamId: all.team.teamId },
      region: { name: all.region.name },
      document: `application: ${all.application.name}\nnote: x\n`,
      prune: 'OWNED',
      allowsDestruction: true,
      deploy: 'NONE',
      expectedPlan: '0'.repeat(64),
    },
    installApplication: {
      acceptsCredentials: true,
      application: target.application,
      store: { url: 'http://127.0.0.1:1', domain: 'x', type: 'STANDARD', accessKey: 'x' },
      templateId: 'a',
      version: '1',
      isDeployed: true,
      variables: [{ component: 'a', name: 'A', scope: 'ENVIRONMENT', value: 'a' }],
    },
    publishTemplate: {
      template: '{}',
      name: 'a',
      description: 'a',
      logo: 'https://example.org/logo.svg',
      versionAlias: 'a',
      versionDescription: 'a',
      isEnabled: true,
    },
    upgradeApplication: {
      acceptsCredentials: true,
      application: target.application,
      upgrades: [
        {
          storeName: 'a',
          templateId: 'a',
          version: '1',
          variables: [{ component: 'a', name: 'A', scope: 'CONNECTION', value: 'a' }],
        },
      ],
      dryRun: true,
    },
    publishApplication: {
      application: target.application,
      catalogue: 'ENTERPRISE',
      template: templateVersion.template,
      version: '1.0.0',
      name: 'a',
      description: 'a',
      logo: 'https://example.org/logo.svg',
      versionAlias: 'a',
      versionDescription: 'a',
      isEnabled: true,
    },
    disableTemplateVersion: templateVersion,
    enableTemplateVersion: templateVersion,
    deleteTemplateVersion: { ...templateVersion, dryRun: false },
    rollbackComponent: { component: released, release: 1, expectedRevision: 1, dryRun: false },
    rollbackApplication: {
      application: target.application,
      at: '2100-01-01T00:00:00Z',
      expectedRevision: 1,
      dryRun: false,
    },
    promoteRelease: {
      ...promoteRelease,
      includesResources: true,
      expectedRevision: 1,
      dryRun: false,
    },
    rollbackUpgrade: { group: { groupId: 1 }, dryRun: false },
    addPort: { component, number: 9999, protocol: 'TCP', alias: 'WEB', isInner: true },
    addTeamMember: {
      team,
      user: { email: person.email },
      role: 'VIEWER',
      applications: [target.application],
    },
    changePortAlias: { port, alias: 'OTHER', serviceName: 'other' },
    changePortProtocol: { port, protocol: 'GRPC' },
    closeInnerService: { port },
    closeOuterService: { port },
    createAccessToken: {
      name: 'x',
      user: { email: member.email },
      expiresAt: '2100-01-01T00:00:00Z',
      isReadOnly: true,
      grants: [{ actions: ['READ'] }],
    },
    createApplication: {
      team,
      region,
      name: 'shop',
      note: 'a',
      principal: 'b',
      governanceMode: 'c',
      orderIndex: 1,
      isDefault: false,
      logo: 'https://example.org',
    },
    createComponent: {
      application: { appId: all.application.appId },
      name: 'web',
      alias: 'web',
      image: 'nginx:1',
      version: '1',
      description: 'x',
      category: 'CACHE',
      command: 'run',
      replicas: 1,
      cpuMillicores: 1,
      memoryMiB: 1,
      extendMethod: 'STATE',
      gpuMemoryMiB: 1,
      kind: 'web',
      isInner: true,
      opensWebhooks: true,
      isUpgradedAfterBuild: false,
      probes: { readiness: { grpc: { port: 80, service: 'x' } } },
      checksPorts: true,
      preStopSeconds: 1,
      terminationGracePeriodSeconds: 2,
      deployDeadlineSeconds: 10,
      needsRoot: true,
      source: {
        kind: 'SOURCE_CODE',
        codeFrom: 'x',
        gitUrl: 'https://git.example/x',
        gitProjectId: 1,
        codeVersion: 'main',
        language: 'Go',
        serverType: 'git',
        oauthServiceId: 1,
        containerCommand: 'run',
      },
      clusterName: 'web',
      isDeployed: true,
      variables: [
        { name: 'A', value: '1', label: 'a', scope: 'CONNECTION', isChangeable: true, portNumber: 1 },
      ],
      volumes: [
        {
          name: 'v',
          path: '/v',
          type: 'config-file',
          fileContent: 'x',
          capacityGiB: 1,
          accessMode: 'RWX',
          sharePolicy: 'all',
        },
      ],
      dependencies: [component],
    },
    updateComponent: {
      component,
      name: 'web',
      image: 'nginx:1',
      version: '1',
      description: 'x',
      category: 'CACHE',
      command: 'run',
      replicas: 1,
      cpuMillicores: 1,
      memoryMiB: 1,
      gpuMemoryMiB: 1,
      extendMethod: 'STATE',
      kind: 'web',
      isInner: true,
      opensWebhooks: true,
      isUpgradedAfterBuild: false,
      checksPorts: true,
      preStopSeconds: 1,
      terminationGracePeriodSeconds: 2,
      deployDeadlineSeconds: 10,
      needsRoot: true,
      source: {
        kind: 'SOURCE_CODE',
        codeFrom: 'x',
        gitUrl: 'https://git.example/x',
        gitProjectId: 1,
        codeVersion: 'main',
        language: 'Go',
        serverType: 'git',
        oauthServiceId: 1,
        containerCommand: 'run',
      },
      deploy: true,
    },
    importNamespace: { team, region, namespace: 'shop', name: 'shop', dryRun: false },
    deployComponent: { component, dryRun: false },
    startComponent: { component },
    stopComponent: { component, force: true, dryRun: false },
    restartComponent: { component },
    setAutoscaling: { component, minReplicas: 1, maxReplicas: 2, cpuPercent: 50, memoryPercent: 50 },
    removeAutoscaling: { component, dryRun: false },
    setPlacement: {
      component,
      nodeLabels: [{ key: 'disktype', value: 'ssd' }],
      tolerations: [{ key: 'dedicated', operator: 'EQUAL', value: 'web', effect: 'NO_SCHEDULE' }],
      spread: 'NODE',
      minAvailable: 1,
    },
    scaleComponent: { component, replicas: 1, cpuMillicores: 1, memoryMiB: 1 },
    deployApplication: { application: target.application, dryRun: false },
    startApplication: { application: target.application },
    stopApplication: { application: target.application, force: true, dryRun: false },
    restartApplication: { application: target.application },
    createRegion: {
      name: 'north',
      alias: 'North',
      url: 'https://north.example',
      websocketUrl: 'wss://north.example',
      httpDomain: 'north.example',
      tcpDomain: 'north.example',
      status: 'ENABLED',
      description: 'x',
      cpuCores: 1.5,
      memoryMiB: 1,
      diskGiB: 1.5,
      allowsRoot: true,
      credentials: { token: 'x', caCertificate: 'x', clientCertificate: 'x', clientKey: 'x' },
    },
    changeTeamMemberRole: { team, user: { email: member.email }, role: 'ADMIN' },
    closeTeamRegion: { team, region, dryRun: false },
    deleteApplication: { application: target.application, force: false, deleteVolumes: false, dryRun: false },
    deleteComponent: { component, force: false, deleteVolumes: false, dryRun: false },
    runComponent: { component: logged.component, command: ['sh', '-c', 'exit 0'], timeoutSeconds: 60 },
    cancelRun: { run, expectedRevision: 1 },
    createSchedule: { component: logged.component, ...scheduled },
    updateSchedule: { schedule, ...scheduled, isPaused: true, expectedRevision: 1 },
    deleteSchedule: { schedule, expectedRevision: 1, dryRun: false },
    deleteInstance: { component, instance: 'web-1', dryRun: false },
    deleteRegion: { region, dryRun: false },
    removeRegionOrphans: { region, deleteVolumes: false, dryRun: false },
    deleteTeam: { team, dryRun: false },
    updateRegion: {
      region,
      alias: 'North',
      url: 'https://north.example',
      websocketUrl: 'wss://north.example',
      httpDomain: 'north.example',
      tcpDomain: 'north.example',
      status: 'MAINTENANCE',
      description: 'x',
      scope: 'PUBLIC',
      cpuCores: 1.5,
      memoryMiB: 1,
      diskGiB: 1.5,
      allowsRoot: true,
      credentials: { token: 'x', caCertificate: 'x', clientCertificate: 'x', clientKey: 'x' },
    },
    uninstallComponentGroup: { group: { groupId }, force: false, deleteVolumes: false, dryRun: false },
    updateApplication: {
      application: target.application,
      name: 'shop',
      note: 'a',
      principal: 'b',
      governanceMode: 'c',
      orderIndex: 1,
      isDefault: false,
      logo: 'https://example.org',
    },
    updateTeam: { team, alias: 'North' },
    updateUser: {
      user: { email: member.email },
      nickName: 'new',
      phone: '1',
      isActive: false,
      isAdministrator: true,
    },
    createTeam: { name: 'north', alias: 'North', owner: { email: person.email } },
    createUser: { email: 'new@trellis.example', nickName: 'new', phone: '1', isAdministrator: false },
    deletePort: { port },
    openInnerService: { port },
    openOuterService: { port },
    openTeamRegion: { team, region, cpuQuotaMillicores: 1, memoryQuotaMiB: 1 },
    setGroupRole: { team, group: 'platform', role: 'VIEWER' },
    endSession: { session: { sessionId: await createSession(trellis) } },
    setTeamQuota: { team, region, cpuQuotaMillicores: 1, memoryQuotaMiB: 1 },
    removeTeamMember: { team, user: { email: member.email } },
    revokeAccessToken: { token: { tokenId: accessToken.tokenId } },
  };
}

type Path = (string | number)[];

/** A place in an input, and what the schema says of it. */
interface Place {
  path: Path;
  owner: string;
  type: GraphQLInputType;
  isOneOf: boolean;
  isRequired: boolean;
}

const isList = (type: GraphQLInputType) => isListType(isNonNullType(type) ? type.ofType : type);

/** Every field of an input type, where it stands in the example; of a oneOf also those not in the example. */
function placesOf(type: GraphQLInputObjectType, example: any, at: Path): Place[] {
  return Object.values(type.getFields()).flatMap((field) => {
    const place: Place = {
      path: [...at, field.name],
      owner: `${type.name}.${field.name}`,
      type: field.type,
      isOneOf: Boolean(type.isOneOf),
      isRequired: isRequiredInputField(field),
    };
    const named = getNamedType(field.type);
    if (!isInputObjectType(named)) return [place];
    const list = isList(field.type);
    const value = example?.[field.name];
    return [place, ...placesOf(named, list ? value?.[0] : value, list ? [...place.path, 0] : place.path)];
  });
}

/** A copy of the input with another value at the path; in a oneOf it is the only field then. */
function withValue(input: any, path: Path, value: unknown, alone: boolean): any {
  const copy = structuredClone(input ?? {});
  const parent = path.slice(0, -1).reduce<any>((object, step, index) => {
    object[step] ??= typeof path[index + 1] === 'number' ? [] : {};
    return object[step];
  }, copy);
  if (alone) for (const key of Object.keys(parent)) delete parent[key];
  const last = path.at(-1)!;
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}

const isIn = (example: any, path: Path): boolean =>
  path.reduce((object, step) => object?.[step], example) != null;

/** Texts that may hold line breaks. */
const prose =
  /(AddCertificateInput\.(chain|key)|WebhookInput\.document|RegistryCredentialInput\.password|Variable\w*\.value|\.(\w*[dD]escription|note|command|containerCommand|fileContent|\w+Certificate|clientKey))$/;
/** Texts that may have up to a MiB; others have 64 KiB at most, and to send more to each of them takes long. */
const long = /\.(fileContent|template|logo|chain|key)$/;
/** Texts that name something: an unknown one is not there. */
const naming = /Ref\./;

const badTexts = (owner: string) => [
  'a\u0000b',
  '\u0000',
  'a\u0007b',
  'a\ud800b',
  '\udc00a',
  'x'.repeat(long.test(owner) ? 1_100_000 : 70_000),
  ...(prose.test(owner) ? [] : ['a\nb', 'a\r\nb']),
];

const wrong: Record<string, unknown[]> = {
  String: [1, true, {}, ['a', 'b']],
  ID: [true, {}, 1.5],
  Int: ['1', 1.5, 2 ** 31, -(2 ** 31) - 1, 1e300, true, {}, -1_000_000_000],
  Float: ['1', true, {}, 1e300],
  Boolean: ['true', 0, {}],
  JSON: ['{}', 1, true, [1], { unknown: 1 }],
  DateTime: ['yesterday', '2026-13-01T00:00:00Z', '2026-01-01', '2026-01-01T00:00:00', 0, true, {}, ''],
  enum: ['NOPE', 'http', 1, true, {}],
};

function badValues({ type, owner, isRequired }: Place): unknown[] {
  const named = getNamedType(type);
  const values: unknown[] = [];
  if (isRequired) values.push(undefined, null);
  if (isInputObjectType(named)) return [...values, 'text', 1, { bogus: 1 }];
  if (named.name === 'String' || named.name === 'ID') values.push(...badTexts(owner));
  const others = wrong[named.name] ?? wrong.enum!;
  values.push(...(isList(type) ? others.filter((value) => !Array.isArray(value)) : others));
  // Any whole number orders a list.
  return owner.endsWith('.orderIndex') ? values.filter((value) => value !== -1_000_000_000) : values;
}

/** What they name is in a store, or in a template: their own suites have examples that succeed. */
const ofStores = new Set(['installApplication', 'publishTemplate', 'rollbackUpgrade', 'upgradeApplication']);

const documentOf = (name: string) => {
  const title = `${name[0]!.toUpperCase()}${name.slice(1)}`;
  return `mutation M($input: ${title}Input!) {
    ${name}(input: $input) {
      __typename
      ... on Error { code message }
      ... on InvalidInputError { issues { path message } }
    }
  }`;
};

/** What was refused, as code and paths; whatever else came back is shown. */
function refusal(result: GraphqlResult, name: string): { codes: string[]; paths: string[] } | GraphqlResult {
  const failed = result.data?.[name];
  if (failed?.code) {
    const paths = (failed.issues ?? []).map((issue: { path: string[] }) => issue.path.join('.'));
    return { codes: [failed.code], paths };
  }
  if (!result.errors?.length || result.data) return result;
  return {
    codes: [...new Set(result.errors.map(({ extensions }) => extensions.code))],
    paths: result.errors.flatMap(({ extensions }) =>
      (extensions.issues ?? []).map((issue: { path: Path }) => issue.path.join('.')),
    ),
  };
}

const shown = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 60);

/**
 * What is wrong of every field. Of each, only some of the values are sent unless `hasEveryValue`: together, the fields of
 * one kind get all of them.
 */
export function badInput({ hasEveryValue }: { hasEveryValue: boolean }): void {
  beforeAll(setUp);
  afterAll(() => trellis?.close());
  const recount = expectUnchanged(() => trellis);

  const valuesOf = (place: Place, index: number) =>
    badValues(place).filter((value, nth) => hasEveryValue || value == null || (nth + index) % 5 === 0);

  describe('every field of every mutation', () => {
    it.each(Object.keys(mutations))('%s refuses what is wrong, and names the field', async (name) => {
      const example = good[name];
      expect(example, `${name} has no example above`).toBeDefined();
      const type = getNamedType(mutations[name]!.args[0]!.type) as GraphQLInputObjectType;
      const query = documentOf(name);
      for (const [index, place] of placesOf(type, example, []).entries()) {
        const [path, field] = [['input', ...place.path].join('.'), place.path.at(-1)];
        for (const value of valuesOf(place, index)) {
          const input = withValue(example, place.path, value, place.isOneOf);
          const found = refusal(await trellis.graphql(query, { input }), name);
          const what = `${path} = ${shown(value)}: ${shown(found)}`;
          expect(found, what).toHaveProperty('codes');
          const { codes, paths } = found as { codes: string[]; paths: string[] };
          const isUnknown = naming.test(place.owner) && codes[0] === 'NOT_FOUND';
          if (isUnknown) continue;
          expect(codes, what).toEqual(['INVALID_INPUT']);
          // A reference without its only field is wrong as a whole.
          const parent = path.slice(0, -`.${field}`.length);
          const named = paths.some(
            (each) =>
              each === path ||
              each.startsWith(`${path}.`) ||
              (place.isOneOf && each === parent) ||
              // Without an example, what the object requires is missing as well.
              (!isIn(example, place.path.slice(0, -1)) && each.startsWith(`${parent}.`)),
          );
          expect(named ? path : paths, what).toBe(path);
        }
      }
    });

    it.each(Object.keys(mutations))(
      '%s refuses unknown fields, and references that are not one',
      async (name) => {
        const example = good[name];
        const type = getNamedType(mutations[name]!.args[0]!.type) as GraphQLInputObjectType;
        const query = documentOf(name);
        const places = placesOf(type, example, []);
        const objects = places.filter(({ type: each }) => isInputObjectType(getNamedType(each)));
        const tries: [Path, unknown][] = [[['bogus'], 1]];
        for (const { path, type: each } of objects) {
          const named = getNamedType(each) as GraphQLInputObjectType;
          const at = isList(each) ? [...path, 0] : path;
          if (!named.isOneOf) tries.push([[...at, 'bogus'], 1]);
          else {
            const other = Object.keys(named.getFields()).find((field) => field !== 'id')!;
            tries.push([at, {}], [at, { id: null }], [at, { id: 'a', [other]: 'b' }]);
            tries.push([at, { id: 'a', [other]: null }]);
          }
        }
        for (const [path, value] of tries) {
          const input = withValue(example, path, value, false);
          const found = refusal(await trellis.graphql(query, { input }), name);
          const what = `${path.join('.')} = ${shown(value)}: ${shown(found)}`;
          expect(found, what).toMatchObject({ codes: ['INVALID_INPUT'] });
          const { paths } = found as { paths: string[] };
          expect(paths.some((each) => each.startsWith(`input.${path.join('.')}`)) || paths, what).toBe(true);
        }
      },
    );

    it('the examples are valid before they are made invalid', async () => {
      // Nothing is written: each runs as a reader, whom only the last door stops.
      const { secret } = await succeed(
        trellis,
        'createAccessToken',
        { name: 'reader', isReadOnly: true },
        'secret',
      );
      await recount();
      for (const name of Object.keys(mutations).filter((each) => !ofStores.has(each))) {
        const { data } = await trellis.data(documentOf(name), { input: good[name] }, secret).then(
          (found) => ({ data: found[name] }),
          (error) => ({ data: String(error) }),
        );
        expect(data, name).toMatchObject({ code: 'FORBIDDEN', message: 'This access token is read-only.' });
      }
    });
  });

  describe('numbers of ports and the like', () => {
    it.each([
      ['addPort', 'number', [0, -1, 65_536, 2_147_483_647]],
      ['createComponent', 'replicas', [-1, 10_001]],
      ['createComponent', 'cpuMillicores', [-1]],
      ['createComponent', 'memoryMiB', [-1]],
      ['createRegion', 'cpuCores', [-0.1, 1e7]],
      ['createRegion', 'url', ['ftp://x.example', 'north', 'https://', ' https://x.example', 'javascript:1']],
      ['createRegion', 'httpDomain', ['-a.example', 'A.example', 'a..example', 'a_b.example', 'a.example.']],
      ['createTeam', 'name', ['', 'North', '1north', 'north-', 'a'.repeat(64), 'nörth', 'a b']],
      ['createUser', 'email', ['', 'x', 'x@', '@x.example', 'a b@x.example', `${'a'.repeat(250)}@x.example`]],
      ['createUser', 'nickName', ['', ' ', '\u00a0', 'x'.repeat(65)]],
      ['addPort', 'alias', ['', 'web', '1WEB', 'WEB-1', 'W'.repeat(65)]],
      ['changePortAlias', 'serviceName', ['', 'Web', '-web', 'web-', 'w'.repeat(64)]],
      ['createAccessToken', 'expiresAt', ['2020-01-01T00:00:00Z', '0000-01-01T00:00:00Z']],
    ] as [string, string, unknown[]][])('%s: %s out of its range', async (name, field, values) => {
      for (const value of values) {
        const input = { ...good[name], [field]: value };
        const found = refusal(await trellis.graphql(documentOf(name), { input }), name);
        expect(found, shown(value)).toHaveProperty('codes', ['INVALID_INPUT']);
        const { paths } = found as { paths: string[] };
        expect([...new Set(paths)], shown(value)).toEqual([`input.${field}`]);
      }
    });

    it('all errors of an input are reported at once', async () => {
      const input = { ...good.createRegion, name: 'NO', url: 'no', httpDomain: '-', cpuCores: -1 };
      const found = refusal(await trellis.graphql(documentOf('createRegion'), { input }), 'createRegion');
      expect(found).toEqual({
        codes: ['INVALID_INPUT'],
        paths: ['input.name', 'input.url', 'input.httpDomain', 'input.cpuCores'],
      });
      const typed = { ...good.createRegion, name: 1, memoryMiB: '1', status: 'NOPE', bogus: 1 };
      const other = refusal(
        await trellis.graphql(documentOf('createRegion'), { input: typed }),
        'createRegion',
      ) as { paths: string[] };
      expect(other.paths.sort()).toEqual(['input.bogus', 'input.memoryMiB', 'input.name', 'input.status']);
    });
  });

  describe('missing objects', () => {
    const unknownIds: [name: string, reference: string, ...values: object[]][] = [
      [
        'createApplication',
        'team',
        { teamId: 'nope' },
        { name: 'nope' },
        { id: 'nope' },
        { id: 'VGVhbTpub3Bl' },
      ],
      ['createApplication', 'region', { regionId: 'nope' }, { name: 'nope' }, { id: 'UmVnaW9uOm5vcGU' }],
      ['createComponent', 'application', { appId: 2_147_483_647 }, { id: 'QXBwbGljYXRpb246eA' }],
      ['addPort', 'component', { componentId: 'nope' }, { id: 'Q29tcG9uZW50Og' }],
      [
        'addTeamMember',
        'user',
        { userId: 2_147_483_647 },
        { email: 'nobody@trellis.example' },
        { id: 'VXNlcjotMQ' },
      ],
      ['deletePort', 'port', { id: 'UG9ydDo5OTk5OTk5OTk5OTk' }, { id: 'UG9ydDoxLjU' }, { id: 'UG9ydDphAGI' }],
      ['endSession', 'session', { sessionId: 'nope' }, { id: 'U2Vzc2lvbjp4' }],
      ['revokeAccessToken', 'token', { tokenId: 'nope' }, { id: 'QWNjZXNzVG9rZW46eA' }],
    ];
    it.each(unknownIds)('%s: an unknown %s is NOT_FOUND', async (name, reference, ...values) => {
      for (const value of values) {
        const input = { ...good[name], [reference]: value };
        const found = refusal(await trellis.graphql(documentOf(name), { input }), name);
        expect(found, shown(value)).toEqual({ codes: ['NOT_FOUND'], paths: [] });
      }
    });

    it('returns NOT_FOUND for the global id of another type', async () => {
      const input = { ...good.addPort, component: { id: all.application.id } };
      expect(refusal(await trellis.graphql(documentOf('addPort'), { input }), 'addPort')).toEqual({
        codes: ['NOT_FOUND'],
        paths: [],
      });
    });
  });
}
