import { issue } from './certificates.ts';
import { type Person, unique } from './fixtures.ts';
import { failing } from './region-drivers.ts';
import { insertRun } from './runs.ts';
import { insertSchedule, insertSnapshotSchedule } from './schedules.ts';
import { ringTemplate } from './templates.ts';
import { startTrellis, type Trellis, type TrellisOptions } from './trellis.ts';

type Table = 'user' | 'team' | 'region' | 'application' | 'component' | 'httpRule';
/** Sets columns that no operation sets: every field of an answer is to hold something. */
export const update = (trellis: Trellis, table: Table, id: string | number, data: object) =>
  trellis.services.db.transaction((tx) => (tx[table] as any).update({ where: { id }, data }));

const credentials = {
  token: 'token of the cluster',
  caCertificate: 'PEM of the authority',
  clientCertificate: 'PEM of the client',
  clientKey: 'PEM of its key',
};

/** Three versions of one template, offered by Trellis itself. */
export async function publishRing(trellis: Trellis, size = 2) {
  const { key } = ringTemplate(1);
  for (const version of ['1.0.0', '2.0.0', '3.0.0']) {
    const edit = (app: any) => {
      app.port_map_list[0].is_outer_service = true;
    };
    const { text } = ringTemplate(size, { key, version, edit });
    await trellis.succeed('publishTemplate', { template: text }, 'template { uid }');
  }
  return { key };
}

/** What to install of Trellis's own store, as REST and as GraphQL say it. */
export const installBody = (trellis: Trellis, key: string, version = '1.0.0') => ({
  market_url: trellis.url,
  market_domain: 'self',
  market_type: 'standard',
  market_access_key: trellis.adminToken,
  app_model_id: key,
  app_model_version: version,
});
export const installInput = (trellis: Trellis, appId: number, key: string, version = '1.0.0') => ({
  application: { appId },
  store: { url: trellis.url, domain: 'self', accessKey: trellis.adminToken },
  templateId: key,
  version,
});

export interface World {
  trellis: Trellis;
  viewer: Person;
  team: { teamId: string; name: string };
  /** Another team, which the viewer does not belong to. */
  rival: { teamId: string; name: string };
  regions: Record<'main' | 'second' | 'failing', { regionId: string; name: string }>;
  credentials: typeof credentials;
  /** Paths of REST. */
  place: string;
  application: string;
  component: string;
  appId: number;
  componentId: string;
  alias: string;
  domain: string;
  /** An application in a region whose cluster does not answer. */
  failing: { appId: number; path: string };
  template: { key: string };
  installed: { appId: number };
  update(table: Table, id: string | number, data: object): Promise<unknown>;
}

const filledComponent = {
  description: 'The shop itself',
  category: 'CACHE',
  command: '--verbose',
  gpuMemoryMiB: 64,
  extendMethod: 'STATE',
  deploy: true,
  source: {
    kind: 'SOURCE_CODE',
    codeFrom: 'hosted',
    gitUrl: 'https://git.example/shop.git',
    gitProjectId: 12,
    codeVersion: 'main',
    language: 'Go',
    serverType: 'svn',
    oauthServiceId: 3,
    containerCommand: 'run --name shop',
  },
  opensWebhooks: true,
  isUpgradedAfterBuild: false,
  kind: 'web',
  isInner: true,
  clusterName: 'shop-in-the-cluster',
};

const filledApplication = {
  isDefault: true,
  orderIndex: 7,
  note: 'The web shop',
  principal: 'Amara Okafor',
  governanceMode: 'KUBERNETES_NATIVE_SERVICE',
  logo: 'https://store.example/logo.svg',
};

/** What an install leaves on an application. */
const installedApplication = {
  storeName: 'demo',
  storeUrl: 'https://store.example',
  templateName: 'Shop',
  version: '1.2.3',
};

/** A team with everything in it that the two surfaces tell of, most of it filled to the last field. */
export async function createWorld(options: TrellisOptions = {}): Promise<World> {
  const trellis = await startTrellis({ drivers: [failing], ...options });
  const team = await trellis.createTeam(unique('shop-team'));
  const main = await trellis.createRegion({
    alias: 'Europe, Frankfurt',
    description: 'Production',
    cpuCores: 12.5,
    memoryMiB: 65_536,
    diskGiB: 500,
    cluster: { certificateIssuer: 'letsencrypt' },
    credentials,
  });
  const second = await trellis.createRegion();
  const burning = await trellis.createRegion({ cpuCores: 4 });
  const open = (of: { teamId: string }, { regionId }: { regionId: string }, quota: object = {}) =>
    trellis.succeed(
      'openTeamRegion',
      { team: { teamId: of.teamId }, region: { regionId }, ...quota },
      'team { uid }',
    );
  await open(team, main, { cpuQuotaMillicores: 7_000, memoryQuotaMiB: 9_000 });
  await open(team, second);
  await open(team, burning);
  await update(trellis, 'region', second.regionId, { status: 'maintenance' });

  const rival = await trellis.createPlace();
  await open(rival.team, main);
  const { teamId: orphan } = await trellis.createTeam();
  await trellis.succeed(
    'setGroupRole',
    { team: { teamId: team.teamId }, group: 'shop', role: 'VIEWER' },
    '__typename',
  );
  await trellis.createSession();
  await update(trellis, 'team', orphan, { creatorId: null, isActive: false });
  const viewer = await trellis.createMember(team.teamId, 'VIEWER');
  // A second administrator, with every field; the bearer of the token has most of them empty.
  const { user } = await trellis.succeed(
    'createUser',
    { email: `${unique('boss')}@trellis.example`, nickName: 'Ingrid', isAdministrator: true, phone: '+47 1' },
    'user { uid }',
  );
  await update(trellis, 'user', user.uid, { origin: 'ldap', clientIp: '192.0.2.1', isActive: false });

  const { application } = await trellis.succeed(
    'createApplication',
    {
      team: { teamId: team.teamId },
      region: { regionId: main.regionId },
      name: 'Shop',
      ...filledApplication,
    },
    'application { appId: uid }',
  );
  const { appId } = application;
  await update(trellis, 'application', appId, installedApplication);
  // Before there are components, which a copy would request as well.
  await trellis.succeed('updateApplication', { application: { appId }, previews: {} }, '__typename');
  await trellis.succeed('openPreview', { application: { appId }, key: 'pr-1' }, '__typename');
  const component = await trellis.createComponent(appId, {
    ...filledComponent,
    replicas: 3,
    cpuMillicores: 500,
    memoryMiB: 1_000,
  });
  await trellis.services.db.transaction(async (tx) => {
    const group = await tx.componentGroup.create({
      data: { applicationId: appId, name: 'by hand', createdAt: new Date() },
    });
    await tx.component.update({
      where: { id: component.componentId },
      data: { groupId: group.id },
    });
  });
  // One of which nothing is known but what is required.
  const plain = await trellis.createComponent(appId);
  await update(trellis, 'component', plain.componentId, { creatorId: null });

  const { componentId } = component;
  await trellis.addPort(componentId, 8080, { isInner: true });
  await trellis.addPort(componentId, 9090, { protocol: 'MYSQL', alias: 'DATA' });
  const at = (number: number) => ({ port: { at: { component: { componentId }, number } } });
  await trellis.succeed('openOuterService', at(8080), 'port { id }');
  await trellis.succeed('openOuterService', at(9090), 'port { id }');
  const domain = `${unique('www')}.example`;
  const { pem, key } = await issue({ names: [domain] });
  const { certificate } = await trellis.succeed(
    'addCertificate',
    { team: { teamId: team.teamId }, chain: pem, key },
    'certificate { uid }',
  );
  const { serviceAccount } = await trellis.succeed(
    'createServiceAccount',
    { team: { teamId: team.teamId }, name: 'robot', role: 'DEVELOPER' },
    'serviceAccount { serviceAccountId: uid }',
  );
  const grants = [{ actions: ['DEPLOY_COMPONENT'], component: { componentId } }];
  await trellis.succeed('createAccessToken', { name: 'ci', serviceAccount, grants }, '__typename');
  const trust = {
    serviceAccount,
    issuer: 'https://issuer.example',
    audience: 'trellis',
    claims: [{ name: 'sub', pattern: 'repo:shop/web:*' }],
    grants,
  };
  await trellis.succeed('addTrust', trust, '__typename');
  const { webhook } = await trellis.succeed(
    'createWebhook',
    {
      team: { teamId: team.teamId },
      url: 'https://receiver.example/hook',
      events: ['certificate.*', 'port.add'],
      document:
        'query($event: ID!, $first: Int) { node(id: $event) { id } teams(first: $first) { totalCount } }',
      variables: { first: 3 },
      serviceAccount,
    },
    'webhook { webhookId: uid }',
  );
  await trellis.succeed('testWebhook', { webhook }, '__typename');
  await trellis.succeed('updateComponent', { component: { componentId }, opensWebhooks: true }, '__typename');
  await trellis.succeed('createDeployHook', { component: { componentId } }, '__typename');
  const scheduleId = await insertSchedule(trellis, componentId);
  await insertRun(trellis, componentId, { scheduleId });
  await trellis.succeed('createRole', { name: unique('role'), actions: ['SCALE_COMPONENT'] }, '__typename');
  await trellis.succeed(
    'createRegistryCredential',
    { team: { teamId: team.teamId }, host: 'registry.example', username: 'robot', password: 'secret' },
    '__typename',
  );
  const target = { application: { appId }, component: { componentId } };
  const { rule } = await trellis.succeed(
    'createHttpRule',
    {
      ...target,
      portNumber: 8080,
      domain,
      path: '/shop',
      domainCookie: 'a=b;c=d',
      domainHeader: 'X-Beta=1',
      weight: 40,
      extensions: ['retries:3', 'cors:on'],
      autoSsl: true,
      autoSslConfig: 'letsencrypt',
      certificate: { certificateId: certificate.uid },
    },
    'rule { uid }',
  );
  await update(trellis, 'httpRule', rule.uid, {
    pathRewrite: true,
    rewrites: '[{"regex":"/a","replacement":"/b"}]',
  });
  await trellis.succeed(
    'createTcpRule',
    {
      ...target,
      portNumber: 9090,
      endpoint: '[2001:db8::1]:30500',
      extensions: [
        { key: 'one', value: '1' },
        { key: 'two', value: '2' },
      ],
    },
    'rule { uid }',
  );

  const alone = await trellis.createApplication({ team, region: burning });
  await trellis.createComponent(alone.appId, { deploy: true });
  // Only now: a component with work in progress has the status of that work, and its driver is not asked.
  await update(trellis, 'region', burning.regionId, { driver: 'failing' });
  const template = await publishRing(trellis);
  const installed = await trellis.createApplication({ team, region: main });
  await trellis.succeed(
    'installApplication',
    installInput(trellis, installed.appId, template.key),
    'group { uid }',
  );
  await insertSnapshotSchedule(trellis, installed.appId);
  const place = `/teams/${team.teamId}/regions/${main.name}`;
  return {
    trellis,
    viewer,
    team,
    rival: rival.team,
    regions: { main, second, failing: burning },
    credentials,
    place,
    application: `${place}/apps/${appId}`,
    component: `${place}/apps/${appId}/services/${componentId}`,
    appId,
    componentId,
    alias: component.alias,
    domain,
    failing: {
      appId: alone.appId,
      path: `/teams/${team.teamId}/regions/${burning.name}/apps/${alone.appId}`,
    },
    template,
    installed,
    update: (table, id, data) => update(trellis, table, id, data),
  };
}
