import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeGlobalId } from '../../src/kernel/global-id.ts';
import { issue } from '../support/certificates.ts';
import { type Crawled, crawl, emptyFields } from '../support/crawl.ts';
import { unique } from '../support/fixtures.ts';
import { connectMcp } from '../support/mcp.ts';
import { rest } from '../support/openapi.ts';
import { subscribe } from '../support/subscribe.ts';
import {
  type Account,
  createAccount,
  exchange,
  exchanged,
  startIssuer,
  type TestIssuer,
  trust,
} from '../support/token-issuer.ts';
import { startTrellis, type Trellis } from '../support/trellis.ts';
import type { Arguments } from '../support/walk.ts';
import { createWebhook } from '../support/webhooks.ts';
import { derive, fill } from './narrow-world.ts';

let trellis: Trellis;
let issuer: TestIssuer;
let scene: Awaited<ReturnType<typeof createScene>>;
/** What an administrator gets to. */
let all: Crawled;
/** The objects of the hidden application: what a token for it gets to, without what belongs to no application. */
let hiddenIds: string[];

const ofNoApplication = ['Enterprise', 'Region', 'Role', 'Team', 'Template', 'TemplateVersion', 'User'];

/** An application with a component that has everything that names can leak from. */
async function createApp(place: { team: object; region: object }, name: string) {
  const { application } = await trellis.succeed(
    'createApplication',
    { ...place, name: `${name}-app` },
    'application { appId: uid id }',
  );
  const app = { appId: application.appId as number, id: application.id as string };
  return { ...app, name: `${name}-app` };
}

async function createPart(app: { appId: number }, name: string, certificate?: object) {
  const { component } = await trellis.succeed(
    'createComponent',
    {
      application: { appId: app.appId },
      name: `${name}-part`,
      image: `${name}.example/image:1`,
      deploy: true,
      opensWebhooks: true,
      variables: [{ name: 'MODE', value: `${name}-value` }],
      volumes: [{ name: `${name}-volume`, path: '/data', type: 'local', accessMode: 'ReadWriteMany' }],
    },
    'component { id uid alias } job { uid id }',
  );
  const part = { componentId: component.uid as string };
  await trellis.addPort(part.componentId, 8080, { isInner: true });
  const rule = {
    application: { appId: app.appId },
    component: part,
    portNumber: 8080,
    domain: `${name}.${certificate ? 'covered.example' : 'plain.example'}`,
    opensPort: true,
    extensions: ['retries:3'],
    rewriteRules: [{ regex: '/a', replacement: '/b' }],
    configuration: { setHeaders: [{ key: 'X-Part', value: name }] },
    ...(certificate && { certificate }),
  };
  const made = await trellis.succeed('createHttpRule', rule, 'rule { id }');
  return { ...part, id: component.id as string, ruleId: made.rule.id as string };
}

const sessionId = 'f'.repeat(64);

/** What only the owner of both teams sees: its sessions and tokens. A refused token is recorded for the team. */
async function createPrivate(teamId: string, robot: Account, component: object) {
  const { viewer } = await trellis.data('{ viewer { user { userId: uid } } }');
  const { db } = trellis.services;
  const now = new Date();
  const session = {
    userId: Number(viewer.user.userId),
    createdAt: now,
    lastUsedAt: now,
    address: '192.0.2.7',
  };
  const expiresAt = new Date(now.getTime() + 3_600_000);
  await db.transaction((tx) =>
    tx.session.create({ data: { ...session, id: sessionId, expiresAt, browser: 'private-browser' } }),
  );
  const grants = [{ actions: ['READ'], component }];
  await trellis.succeed('createAccessToken', { name: 'private-token', grants }, '__typename');
  await trellis.succeed('createAccessToken', { name: 'private-key', serviceAccount: robot }, '__typename');
  const named = { audience: robot.serviceAccountId };
  await exchanged(trellis, await issuer.token({ aud: 'beside-audience' }), named);
  await exchange(trellis, await issuer.token({ aud: 'beside-audience', sub: 'wrong' }));
  const events = `{ team(by: { teamId: "${teamId}" }) { events { nodes { action } } } }`;
  const { team } = await trellis.data(events);
  expect(team.events.nodes).toContainEqual({ action: 'service_account.refuse_token' });
}

async function createScene() {
  const { teamId, id: teamGlobalId } = await trellis.createTeam(unique('narrow'));
  const other = await trellis.createTeam(unique('hidden-team'));
  const region = await trellis.createRegion({ driver: 'SIMULATED' });
  const at = (of: string) => ({ team: { teamId: of }, region: { name: region.name } });
  for (const of of [teamId, other.teamId]) await trellis.succeed('openTeamRegion', at(of), '__typename');
  const { pem, key } = await issue({ names: ['*.covered.example'] });
  const { certificate } = await trellis.succeed(
    'addCertificate',
    { team: { teamId }, name: 'beside-certificate', chain: pem, key },
    'certificate { id certificateId: uid }',
  );
  const receiver = { events: ['*'], url: 'https://beside-receiver.example/hook' };
  const { webhookId } = await createWebhook(trellis, teamId, receiver);
  const shown = await createApp(at(teamId), 'shown');
  const hidden = await createApp(at(teamId), 'hidden');
  const foreign = await createApp(at(other.teamId), 'foreign');
  const covered = { certificateId: certificate.certificateId };
  const a1 = await createPart(shown, 'shown-one', covered);
  const a2 = await createPart(shown, 'shown-two');
  const b1 = await createPart(hidden, 'hidden-one', covered);
  const c1 = await createPart(foreign, 'foreign-one');
  const componentRef = ({ componentId }: { componentId: string }) => ({ componentId });
  for (const [component, dependency] of [
    [a1, b1],
    [b1, a1],
    [a1, a2],
  ] as const) {
    const input = { component: componentRef(component), dependency: componentRef(dependency) };
    await trellis.succeed('addDependency', input, '__typename');
  }
  await trellis.succeed(
    'createRegistryCredential',
    { team: { teamId }, host: 'beside-registry.example', username: 'robot', password: 'x' },
    '__typename',
  );
  const robot = await createAccount(trellis, teamId, 'VIEWER', 'beside-robot');
  await trust(trellis, issuer, robot, {
    audience: 'beside-audience',
    grants: [{ actions: ['READ'], component: componentRef(b1) }],
  });
  const groupRole = { team: { teamId }, group: 'beside-group', role: 'VIEWER' };
  await trellis.succeed('setGroupRole', groupRole, '__typename');
  await createPrivate(teamId, robot, componentRef(b1));
  const document = 'query($event: ID!) { node(id: $event) { id } }';
  await createWebhook(trellis, teamId, {
    url: 'https://beside-other.example/hook',
    document,
    serviceAccount: robot,
  });
  const { role } = await trellis.succeed(
    'createRole',
    { name: unique('role'), actions: ['DEPLOY_COMPONENT'] },
    'role { roleId: uid }',
  );
  const limited = await trellis.createPerson();
  const applications = [{ appId: hidden.appId }];
  await trellis.succeed(
    'addTeamMember',
    { team: { teamId }, user: { email: limited.email }, customRole: role, applications },
    '__typename',
  );
  const colleague = await trellis.createMember(teamId, 'DEVELOPER');
  await trellis.succeed(
    'updateUser',
    { user: { userId: colleague.userId }, nickName: 'beside-colleague' },
    '__typename',
  );
  const publishing = { application: { appId: hidden.appId }, version: '1.0.0', name: 'beside-template' };
  await trellis.succeed('publishApplication', publishing, '__typename');
  // Both have a rule with it, which one job applies again.
  const renewed = await issue({ names: ['*.covered.example'] });
  await trellis.succeed(
    'replaceCertificate',
    { certificate: covered, chain: renewed.pem, key: renewed.key },
    '__typename',
  );
  const place = at(teamId);
  const parts = {
    shown: { appId: shown.appId, app: shown.name, name: 'shown-one', part: a1, place },
    hidden: { appId: hidden.appId, app: hidden.name, name: 'hidden-one', part: b1, place },
  };
  await fill(trellis, parts.hidden, '192.0.2.1:30001');
  const named = await fill(trellis, parts.shown, '192.0.2.1:30002');
  await derive(trellis, parts.shown, parts.hidden);
  const { jobs } = (
    await trellis.data(`{ team(by: { teamId: "${teamId}" }) { jobs { nodes { id application { name } } } } }`)
  ).team;
  return {
    teamId,
    teamGlobalId,
    other,
    region,
    certificate,
    webhookId,
    shown,
    hidden,
    foreign,
    a1,
    a2,
    b1,
    c1,
    jobs,
    named,
  };
}

/** A token of the owner of both teams, limited to a place. */
async function tokenAt(place: object, token?: string): Promise<string> {
  const grants = [{ actions: ['READ', 'READ_LOGS', 'READ_SECRETS', 'APPLY_MANIFEST'], ...place }];
  return (await trellis.succeed('createAccessToken', { name: 'narrow', grants }, 'secret', token)).secret;
}

/** Values for required arguments that name what the token may see. */
function argumentsFor(): Arguments {
  const { shown, a1, teamId, region, certificate, webhookId, jobs, named } = scene;
  const job = jobs.nodes.find((each: any) => each.application?.name === shown.name);
  return {
    ApplicationRef: `{appId:${shown.appId}}`,
    CertificateRef: `{id:"${certificate.id}"}`,
    ComponentRef: `{componentId:"${a1.componentId}"}`,
    JobRef: `{id:"${job.id}"}`,
    PortRef: `{at:{component:{componentId:"${a1.componentId}"} number:8080}}`,
    RegistryCredentialRef: '{credentialId:1}',
    RegionRef: `{name:"${region.name}"}`,
    ReleaseRef: `{at:{component:{componentId:"${a1.componentId}"} number:1}}`,
    PreviewRef: `{previewId:"${named.previewId}"}`,
    RunRef: `{runId:"${named.runId}"}`,
    ScheduleRef: `{scheduleId:"${named.scheduleId}"}`,
    TeamRef: `{teamId:"${teamId}"}`,
    TeamRegionRef: `{team:{teamId:"${teamId}"} region:{name:"${region.name}"}}`,
    TemplateRef: '{templateId:1}',
    UserRef: '{userId:1}',
    WebhookRef: `{webhookId:"${webhookId}"}`,
    ID: `"${a1.id}"`,
    String: '"x"',
    'planManifest(document)': `"application: ${shown.name}\\nnote: other\\ncomponents: { shown-two-part: {} }"`,
  };
}

/** All that queries return to the token, every field of every object that it gets to, or that an administrator does. */
const everything = (token: string): Promise<Crawled> => crawl(trellis, argumentsFor(), token, all.types);

const names = {
  a1: ['shown-one'],
  a2: ['shown-two'],
  hidden: ['hidden-app', 'hidden-one'],
  foreign: ['hidden-team', 'foreign-app', 'foreign-one'],
  beside: [
    ...['beside-certificate', 'beside-registry', 'beside-robot', 'beside-colleague', 'beside-template'],
    ...['beside-audience', 'beside-group', 'beside-receiver', 'beside-other'],
  ],
  private: ['private-browser', '192.0.2.7', 'private-token'],
};

/** Who sees what: a token, the names that it finds, and those that are as if they did not exist. */
const callers: Record<string, { token: () => Promise<string>; sees: string[]; never: string[] }> = {
  'a token of an administrator for a team': {
    token: () => tokenAt({ team: { teamId: scene.teamId } }),
    sees: [...names.a1, ...names.a2, ...names.hidden, ...names.beside],
    never: [...names.foreign, ...names.private],
  },
  'a token of an administrator for an application': {
    token: () => tokenAt({ application: { appId: scene.shown.appId } }),
    sees: [...names.a1, ...names.a2, 'shown-app'],
    never: [...names.hidden, ...names.foreign, ...names.beside, ...names.private],
  },
  'a token of an administrator for a component': {
    token: () => tokenAt({ component: { componentId: scene.a1.componentId } }),
    sees: [...names.a1, 'shown-app'],
    never: [...names.a2, ...names.hidden, ...names.foreign, ...names.beside, ...names.private],
  },
  'a token of a developer for an application': {
    token: async () => {
      const developer = await trellis.createMember(scene.teamId, 'DEVELOPER');
      return tokenAt({ application: { appId: scene.shown.appId } }, developer.token);
    },
    sees: [...names.a1, ...names.a2, 'shown-app'],
    never: [...names.hidden, ...names.foreign, ...names.beside, ...names.private],
  },
  'a member of an application': {
    token: async () => {
      const person = await trellis.createPerson();
      const member = {
        team: { teamId: scene.teamId },
        user: { email: person.email },
        role: 'DEVELOPER',
        applications: [{ appId: scene.shown.appId }],
      };
      await trellis.succeed('addTeamMember', member, '__typename');
      return person.token;
    },
    sees: [...names.a1, ...names.a2, 'shown-app', ...names.beside],
    never: [...names.hidden, ...names.foreign, ...names.private],
  },
  'a service account': {
    token: async () => {
      const account = { team: { teamId: scene.teamId }, name: unique('robot'), role: 'ADMIN' };
      const { serviceAccount } = await trellis.succeed(
        'createServiceAccount',
        account,
        'serviceAccount { serviceAccountId: uid }',
      );
      return (await trellis.succeed('createAccessToken', { name: 'ci', serviceAccount }, 'secret')).secret;
    },
    sees: [...names.a1, ...names.a2, ...names.hidden, ...names.beside],
    never: [...names.foreign, ...names.private],
  },
  'an exchanged token for a component': {
    token: async () => {
      const account = await createAccount(trellis, scene.teamId, 'ADMIN');
      const component = { componentId: scene.a1.componentId };
      await trust(trellis, issuer, account, {
        audience: 'beside-audience',
        claims: [{ name: 'sub', pattern: 'narrow' }],
        grants: [{ actions: ['READ_LOGS', 'READ_SECRETS', 'APPLY_MANIFEST'], component }],
      });
      const token = await issuer.token({ aud: 'beside-audience', sub: 'narrow' });
      return exchanged(trellis, token, { audience: account.serviceAccountId });
    },
    sees: [...names.a1, 'shown-app'],
    never: [...names.a2, ...names.hidden, ...names.foreign, ...names.beside, ...names.private],
  },
};

/** The fields that have nothing behind them for an administrator in this world, and why. */
const cluster = 'Its region has no cluster.';
const registry = 'No registry has its image.';
const empty: Record<string, string> = {
  'AccessToken.deprecatedUses': 'The use of what is deprecated is not counted.',
  'HttpRule.issuedCertificate': cluster,
  'HttpRule.problems': cluster,
  'ImageCheck.exposedPorts': registry,
  'ImageCheck.platforms': registry,
  'ManifestExport.omitted': 'All of the application can be expressed.',
  'ManifestPlan.images': 'The plan deploys nothing.',
  'ManifestPlan.leftStopped': 'The plan deploys nothing.',
  'Probe.grpc': 'A component has three probes, and there are four kinds.',
  'Query.checkImage': registry,
  'Query.checkRegion': cluster,
  'Region.cluster': cluster,
  'RegionCheck.rights': cluster,
  'RegionCluster.gatewayQueries': cluster,
  'RuleLimitations.ignored': cluster,
  'RuleLimitations.refused': cluster,
  'TcpRule.problems': cluster,
  'TemplateVersion.requiredVariables': 'The application has no secrets.',
  'Viewer.serviceAccount': 'The administrator is a user.',
  'Viewer.session': 'The administrator has an access token.',
};

/** What these callers find, and that they find nothing else on any way. */
export function narrowReads(wanted: (caller: string) => boolean): void {
  beforeAll(async () => {
    trellis = await startTrellis();
    issuer = await startIssuer();
    scene = await createScene();
    all = await crawl(trellis, argumentsFor(), trellis.adminToken);
    const token = await tokenAt({ application: { appId: scene.hidden.appId } });
    const { types } = await everything(token);
    // One job is of components of both.
    const ofBoth = new Set(scene.jobs.nodes.flatMap((job: any) => (job.application ? [] : job.id)));
    hiddenIds = [...types].flatMap(([id, type]) =>
      ofNoApplication.includes(type) || ofBoth.has(id) ? [] : id,
    );
  });
  afterAll(() => Promise.all([trellis?.close(), issuer?.close()]));

  it('has something behind every field that leads to objects', async () => {
    expect(emptyFields(all)).toEqual(Object.keys(empty).sort());
  });

  describe.each(Object.keys(callers).filter(wanted))('%s', (caller) => {
    const { token: create, sees, never } = callers[caller]!;
    let token: string;
    beforeAll(async () => {
      token = await create();
    });
    const isHidden = (name: string) => never.includes(name);

    it('finds what it may see, and nothing else on any way', async () => {
      const { text, types } = await everything(token);
      for (const name of sees) expect(text.includes(name), name).toBe(true);
      for (const name of never) {
        const at = text.indexOf(name);
        expect(at < 0 ? '' : text.slice(Math.max(0, at - 300), at + 100), name).toBe('');
      }
      if (isHidden('hidden-app')) expect(hiddenIds.filter((id) => types.has(id))).toEqual([]);
    });

    it('gets the same answer for what is hidden as for what does not exist', async () => {
      const { shown, hidden, foreign, a1, a2, b1, c1 } = scene;
      const objects: [string, string, string][] = [
        [shown.id, 'shown-app', ''],
        [hidden.id, 'hidden-app', encodeGlobalId('Application', 999_999)],
        [foreign.id, 'foreign-app', encodeGlobalId('Application', 999_999)],
        [a1.id, 'shown-one', ''],
        [a2.id, 'shown-two', encodeGlobalId('Component', 'none')],
        [b1.id, 'hidden-one', encodeGlobalId('Component', 'none')],
        [c1.id, 'foreign-one', encodeGlobalId('Component', 'none')],
        [b1.ruleId, 'hidden-one', encodeGlobalId('HttpRule', 999_999)],
        [a2.ruleId, 'shown-two', encodeGlobalId('HttpRule', 999_999)],
        [scene.certificate.id, 'beside-certificate', encodeGlobalId('Certificate', 999_999)],
      ];
      const ask = async (id: string) => {
        const { data, errors } = await trellis.graphql(`{ node(id: "${id}") { __typename } }`, {}, token);
        return { data, errors: errors?.map(({ message, path }) => ({ message, path })) };
      };
      const { nodes } = await trellis.data(
        'query($ids: [ID!]!) { nodes(ids: $ids) { id } }',
        { ids: objects.map(([id]) => id) },
        token,
      );
      for (const [index, [id, name, absent]] of objects.entries()) {
        expect([name, nodes[index] === null]).toEqual([name, isHidden(name)]);
        if (isHidden(name)) expect(await ask(id), name).toEqual(await ask(absent));
      }
    });

    /** What an administrator finds in the team, without what is hidden from the caller. */
    async function expected() {
      const { team } = await trellis.data(
        `{ team(by: { teamId: "${scene.teamId}" }) { applications { nodes { name } } components(first: 100) { nodes { uid name application { name } } } httpRules(first: 100) { nodes { component { uid } } } } }`,
      );
      const isSeen = (application: string) => application === 'shown-app' || !isHidden('hidden-app');
      const components = team.components.nodes.filter(({ uid, application }: any) =>
        isHidden('shown-two') ? uid === scene.a1.componentId : isSeen(application.name),
      );
      const uids = components.map(({ uid }: any) => uid);
      return {
        components,
        applications: team.applications.nodes.filter(({ name }: any) => isSeen(name)),
        httpRules: team.httpRules.nodes.filter(({ component }: any) => uids.includes(component.uid)),
      };
    }

    it('counts what it may see', async () => {
      const { team } = await trellis.data(
        `{ team(by: { teamId: "${scene.teamId}" }) { componentCount components { totalCount nodes { id } } applications { totalCount nodes { componentCount components { totalCount } } } httpRules { totalCount nodes { id } } jobs(first: 100) { totalCount nodes { id } } events(first: 100) { nodes { id } } members { totalCount nodes { id } } } }`,
        {},
        token,
      );
      const { components, applications, httpRules } = await expected();
      expect(team.componentCount).toBe(components.length);
      expect(team.components.totalCount).toBe(components.length);
      expect(team.applications.totalCount).toBe(applications.length);
      for (const { componentCount, components: list } of team.applications.nodes) {
        expect(componentCount).toBe(list.totalCount);
      }
      expect(team.httpRules.totalCount).toBe(httpRules.length);
      for (const list of ['components', 'httpRules', 'jobs', 'members'] as const) {
        expect(team[list].nodes.length, list).toBe(team[list].totalCount);
      }
    });

    it('finds the same over REST', async () => {
      const { shown, hidden, a1, a2, b1, region, teamId } = scene;
      const place = `/teams/${teamId}/regions/${region.name}`;
      const { components, applications } = await expected();
      const names = (of: { name: string }[]) => of.map(({ name }) => name).sort();
      const apps = await rest(trellis, `get ${place}/apps`, { token });
      expect(apps.body.map((each: any) => each.group_name).sort()).toEqual(names(applications));
      const services = await rest(trellis, `get ${place}/apps/${shown.appId}/services`, { token });
      expect(services.body.map((each: any) => each.service_cname).sort()).toEqual(
        names(components.filter(({ application }: any) => application.name === 'shown-app')),
      );
      for (const [app, part, name] of [
        [shown, a1, 'shown-one'],
        [shown, a2, 'shown-two'],
        [hidden, b1, 'hidden-one'],
      ] as const) {
        const at = `${place}/apps/${app.appId}/services/${part.componentId}/ports`;
        expect((await rest(trellis, `get ${at}`, { token })).status, name).toBe(isHidden(name) ? 404 : 200);
      }
      const teams = await rest(trellis, 'get /teams', { token });
      expect(teams.text).toContain(teamId);
      expect(teams.text).not.toContain('hidden-team');
    });

    it('finds the same with tools', async () => {
      const mcp = await connectMcp(trellis, token);
      const { teamGlobalId, shown, hidden, a1, b1 } = scene;
      const answers = [
        await mcp.call('find_teams'),
        await mcp.call('get_team', { team: { id: teamGlobalId } }),
        await mcp.call('find_applications', { team: { id: teamGlobalId } }),
        await mcp.call('find_components', { team: { id: teamGlobalId } }),
        await mcp.call('get_application', { application: { id: shown.id } }),
        await mcp.call('get_application', { application: { id: hidden.id } }),
        await mcp.call('get_component', { component: { id: a1.id } }),
        await mcp.call('get_component', { component: { id: b1.id } }),
        await mcp.call('list_jobs', { team: { id: teamGlobalId } }),
        await mcp.call('list_events', { team: { id: teamGlobalId } }),
        await mcp.call('export_manifest', { application: { id: shown.id } }),
      ];
      await mcp.close();
      const text = answers.map((each) => each.text).join('\n');
      expect(text).toContain('shown-one');
      for (const name of never) expect(text.includes(name), name).toBe(false);
    });

    it('is notified of what it may see', async () => {
      const variables = { team: { teamId: scene.teamId } };
      const document = 'subscription($team: TeamRef!) { events(team: $team) { action objectUid } }';
      const subscription = await subscribe(trellis, document, { variables, token });
      expect(subscription.status).toBe(200);
      const parts = { 'hidden-one': scene.b1, 'shown-two': scene.a2, 'shown-one': scene.a1 };
      for (const { componentId } of Object.values(parts)) {
        const input = { component: { componentId }, description: unique('changed') };
        await trellis.succeed('updateComponent', input, '__typename');
      }
      for (const [name, { componentId }] of Object.entries(parts)) {
        if (isHidden(name)) continue;
        const item = await subscription.next();
        expect(item?.data?.data?.events, name).toEqual({
          action: 'component.update',
          objectUid: componentId,
        });
      }
      subscription.close();
    });

    it('follows the applications and jobs that it may see', async () => {
      const follow = async (name: string, type: string, ref: object) => {
        const document = `subscription($ref: ${type}!) { ${name}(${name.replace('Changed', '')}: $ref) { id } }`;
        const subscription = await subscribe(trellis, document, { variables: { ref }, token });
        const first = (await subscription.hasBegun) ? 'ok' : 'refused';
        subscription.close();
        return first;
      };
      const { shown, hidden, jobs } = scene;
      expect(await follow('applicationChanged', 'ApplicationRef', { appId: shown.appId })).toBe('ok');
      expect(await follow('applicationChanged', 'ApplicationRef', { appId: hidden.appId })).toBe(
        isHidden('hidden-app') ? 'refused' : 'ok',
      );
      const jobOf = (name: string) => jobs.nodes.find((each: any) => each.application?.name === name).id;
      expect(await follow('jobChanged', 'JobRef', { id: jobOf('hidden-app') })).toBe(
        isHidden('hidden-app') ? 'refused' : 'ok',
      );
    });
  });
}
