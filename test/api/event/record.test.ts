import { type GraphQLInputObjectType, getNamedType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../src/api.ts';
import { type Issued, issue } from '../../support/certificates.ts';
import {
  attempt,
  createAll,
  createApplication,
  createComponent,
  createMember,
  createPerson,
  createTeam,
  succeed,
  unique,
} from '../../support/fixtures.ts';
import { pendingJob } from '../../support/jobs.ts';
import { expectCounted, revisionsOf } from '../../support/revisions.ts';
import { ringTemplate } from '../../support/templates.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

let trellis: Trellis;
let all: Awaited<ReturnType<typeof createAll>>;
let issued: Issued;
let renewed: Issued;
beforeAll(async () => {
  trellis = await startTrellis();
  all = await createAll(trellis);
  issued = await issue({ names: ['record.example'] });
  renewed = await issue({ names: ['record.example'] });
});
afterAll(() => trellis.close());

let freeNumber = 20_000;
const port = () => ({ at: { component: { componentId: all.component.componentId }, number: 8080 } });
const place = () => ({ team: { teamId: all.team.teamId }, region: { name: all.region.name } });

const region = () => ({
  name: unique('region'),
  url: 'https://region.example',
  websocketUrl: 'wss://region.example',
  httpDomain: 'http.example',
  tcpDomain: 'tcp.example',
});

const target = async () => {
  const component = { componentId: all.component.componentId };
  const number = freeNumber++;
  await succeed(trellis, 'addPort', { component, number, protocol: 'HTTP' }, 'port { id }');
  return { application: { appId: all.application.appId }, component, portNumber: number };
};
const httpRule = async () => ({ ...(await target()), domain: `${unique('www')}.example` });
const newRule = async () => (await succeed(trellis, 'createHttpRule', await httpRule(), 'rule { id }')).rule;

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

/** A template that the own application has not installed yet, with a second version. */
async function installed() {
  const ring = ringTemplate(1);
  for (const { text } of [ring, ringTemplate(1, { key: ring.key, version: '2.0.0' })]) {
    await succeed(trellis, 'publishTemplate', { template: text }, 'template { uid }');
  }
  const store = { url: trellis.url, domain: 'self', accessKey: trellis.adminToken };
  const application = { appId: all.application.appId };
  return { ring, install: { application, store, templateId: ring.key, version: '1.0.0' } };
}

/** A published version to change. */
async function newVersion({
  version = '1.0.0',
  ...options
}: { version?: string } & Record<string, unknown> = {}) {
  const input = { template: ringTemplate(1).text, ...options };
  const { template } = await succeed(trellis, 'publishTemplate', input, 'template { uid }');
  return { template: { templateId: template.uid }, version };
}

/** For every mutation an input that changes something, and the action that is recorded. */
const changes: Record<string, { input: () => object | Promise<object>; action: string; inTeam: boolean }> = {
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
      const { ring, install } = await installed();
      await succeed(trellis, 'installApplication', install, 'group { uid }');
      return {
        application: install.application,
        upgrades: [{ storeName: 'self', templateId: ring.key, version: '2.0.0' }],
      };
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
    input: async () => {
      const { ring, install } = await installed();
      const { group } = await succeed(trellis, 'installApplication', install, 'group { uid }');
      const upgrades = [{ storeName: 'self', templateId: ring.key, version: '2.0.0' }];
      await succeed(
        trellis,
        'upgradeApplication',
        { application: install.application, upgrades },
        '__typename',
      );
      return { group: { groupId: group.uid } };
    },
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
    input: async () => ({ user: { userId: (await createPerson(trellis)).userId }, phone: '+49 1' }),
    action: 'user.update',
    inTeam: false,
  },
  revokeAccessToken: {
    input: async () => {
      const made = await succeed(trellis, 'createAccessToken', { name: 'gone' }, 'accessToken { tokenId }');
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
  deployComponent: recordedAs('component.deploy', async () => ({ component: await componentIn('undeploy') })),
  startComponent: recordedAs('component.start', async () => ({ component: await componentIn('closed') })),
  stopComponent: recordedAs('component.stop', async () => ({ component: await componentIn('running') })),
  restartComponent: recordedAs('component.restart', async () => ({
    component: await componentIn('running'),
  })),
  scaleComponent: recordedAs('component.scale', async () => ({
    component: await componentIn('running'),
    replicas: 2,
  })),
  deployApplication: recordedAs('application.deploy', () => inApplication('undeploy')),
  startApplication: recordedAs('application.start', () => inApplication('closed')),
  stopApplication: recordedAs('application.stop', () => inApplication('running')),
  restartApplication: recordedAs('application.restart', () => inApplication('running')),
});

/** Every row of every table but the record itself, and but the time at which a token was last used. */
async function contents(): Promise<string> {
  const counts = await trellis.counts();
  const parts: string[] = [];
  for (const table of Object.keys(counts).filter((name) => name !== 'event')) {
    const rows = await trellis.services.db.query(`SELECT * FROM "${table}"`, []);
    const kept = rows.map((row) =>
      JSON.stringify(table === 'access_token' ? row.filter((_, index) => index !== 7) : row),
    );
    parts.push(`${table}:${kept.sort().join('\n')}`);
  }
  return parts.join('\n');
}

const updatedAt = async () => {
  const by = { appId: all.application.appId };
  const { application } = await trellis.data(
    'query A($by: ApplicationRef!) { application(by: $by) { updatedAt } }',
    { by },
  );
  return Date.parse(application.updatedAt);
};

/** What is done to an application that stays, or to anything in it. */
const isInApplication = (action: string) =>
  /^(application|component|port|volume|http_rule|tcp_rule)\./.test(action) &&
  !['application.create', 'application.delete'].includes(action);

const takesRevision = (name: string) => {
  const { type } = schema.getMutationType()!.getFields()[name]!.args[0]!;
  return 'expectedRevision' in (getNamedType(type) as GraphQLInputObjectType).getFields();
};

/** The revision of the object that a mutation changes, which the refusal of another one tells. */
async function currentRevision(name: string, input: object): Promise<number> {
  const refused = await attempt(trellis, name, { ...input, expectedRevision: 1_000_000 });
  expect(refused).toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining('1000000 was expected'),
  });
  return Number(/its revision is (\d+)/.exec(refused.message)![1]);
}

const eventCount = async () => (await trellis.counts()).event!;

describe('events', () => {
  it('have a test case for every mutation', () => {
    expect(Object.keys(changes).sort()).toEqual(Object.keys(schema.getMutationType()!.getFields()).sort());
  });

  it.each(Object.keys(changes))('include %s, in the same transaction', async (name) => {
    const { input, action, inTeam } = changes[name]!;
    const prepared: { expectedRevision?: number } = await input();
    const [before, events, updated] = [await contents(), await eventCount(), await updatedAt()];
    const revisions = await revisionsOf(trellis);
    if (takesRevision(name)) {
      prepared.expectedRevision = await currentRevision(name, prepared);
      expect([await contents(), await eventCount()]).toEqual([before, events]);
    }
    const title = `${name[0]!.toUpperCase()}${name.slice(1)}`;
    const response = await fetch(`${trellis.url}/graphql`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${trellis.adminToken}`,
        'X-Request-Id': `request-of-${name}`,
      },
      body: JSON.stringify({
        query: `mutation M($input: ${title}Input!) { ${name}(input: $input) { __typename ... on Error { message } } }`,
        variables: { input: prepared },
      }),
    });
    const { data } = (await response.json()) as any;
    expect(data[name].__typename, JSON.stringify(data)).toBe(`${title}Payload`);
    if (isInApplication(action)) expect(await updatedAt()).toBeGreaterThan(updated);
    else expect(await updatedAt()).toBe(updated);
    // It did change rows, and an event tells of it, with those of what followed from it.
    expect(await contents()).not.toBe(before);
    // The component is updated, and then deployed.
    expectCounted(revisions, await revisionsOf(trellis), name === 'updateComponent' ? 2 : 1);
    const added = (await eventCount()) - events;
    expect(added).toBeGreaterThan(0);
    const { events: found } = await trellis.data(
      `{ events(first: ${added}) { nodes { action at requestId tokenId user { email } team { name } changes { field } } } }`,
    );
    expect(found.nodes.filter((event: any) => event.action === action)).toHaveLength(1);
    for (const event of found.nodes) {
      expect(event).toMatchObject({
        requestId: `request-of-${name}`,
        tokenId: expect.stringMatching(/^[0-9a-f]{32}$/),
        user: { email: 'admin@trellis.example' },
        ...(inTeam && { team: { name: all.team.name } }),
      });
    }
    expect(found.nodes[0].changes.length).toBeGreaterThan(0);
    expect(Math.abs(Date.now() - Date.parse(found.nodes[0].at))).toBeLessThan(60_000);
  });

  it('are not recorded for a change that changes nothing or is refused', async () => {
    await attempt(trellis, 'openInnerService', { port: port() });
    const token = await succeed(trellis, 'createAccessToken', { name: 'x' }, 'accessToken { tokenId }');
    const ref = { token: { tokenId: token.accessToken.tokenId } };
    await succeed(trellis, 'revokeAccessToken', ref, 'accessToken { revokedAt }');
    const [before, events] = [await contents(), await eventCount()];
    await succeed(trellis, 'openInnerService', { port: port() }, 'port { isInner }');
    await succeed(trellis, 'revokeAccessToken', ref, 'accessToken { revokedAt }');
    expect(await attempt(trellis, 'createTeam', { name: all.team.name })).toMatchObject({ code: 'CONFLICT' });
    expect(await eventCount()).toBe(events);
    expect(await contents()).toBe(before);
  });

  it('never contain a secret', async () => {
    const secret = `value-${unique('secret')}`;
    await succeed(
      trellis,
      'createComponent',
      {
        application: { appId: all.application.appId },
        name: 'x',
        image: 'x',
        variables: [{ name: 'PASSWORD', value: secret }],
        volumes: [{ name: 'file', path: '/file', type: 'config-file', fileContent: secret }],
      },
      'component { alias }',
    );
    const token = await succeed(trellis, 'createAccessToken', { name: 'x' }, 'secret');
    const stored = JSON.stringify(await trellis.services.db.query('SELECT * FROM event', []));
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain(token.secret);
    expect(stored).toContain('[redacted]');
    expect(JSON.stringify(trellis.logged)).not.toContain(token.secret);
    const tokens = JSON.stringify(await trellis.services.db.query('SELECT * FROM access_token', []));
    expect(tokens).not.toContain(token.secret);
  });

  it('contain public values: component keys and certificate chains', async () => {
    const latest = async (action: string) => {
      const { events } = await trellis.data(
        'query E($action: String!) { events(first: 1, filter: { action: $action }) { nodes { changes { field after } } } }',
        { action },
      );
      return Object.fromEntries(events.nodes[0].changes.map((each: any) => [each.field, each.after]));
    };
    await succeed(trellis, 'addCertificate', changes.addCertificate!.input() as object, 'certificate { id }');
    expect(await latest('certificate.add')).toMatchObject({ chain: issued.pem, sealedKey: '[redacted]' });
    await succeed(
      trellis,
      'createComponent',
      changes.createComponent!.input() as object,
      'component { key }',
    );
    expect((await latest('component.create')).key).toMatch(/^[0-9a-f]{32}$/);
  });

  it('are listed newest first, and filtered by action, object and time', async () => {
    const team = await createTeam(trellis);
    const person = await createMember(trellis, team.teamId, 'ADMIN');
    const list = async (filter: object) => {
      const data = await trellis.data(
        `query E($team: TeamRef!, $filter: EventFilter) { team(by: $team) { events(filter: $filter) {
          totalCount nodes { at action objectType objectUid changes { field before after } } } } }`,
        { team: { teamId: team.teamId }, filter },
        person.token,
      );
      return data.team.events;
    };
    const events = await list({});
    expect(events.nodes.map((event: any) => event.action)).toEqual(['team.add_member', 'team.create']);
    expect((await list({ action: 'team.create' })).totalCount).toBe(1);
    expect((await list({ objectType: 'Team', objectUid: team.teamId })).totalCount).toBe(1);
    expect((await list({ since: events.nodes[0].at })).nodes[0]).toEqual(events.nodes[0]);
    expect((await list({ until: events.nodes[1].at })).totalCount).toBe(0);
    expect((await list({ since: '2099-01-01T00:00:00Z' })).totalCount).toBe(0);
    expect(events.nodes[0].changes).toEqual([
      { field: 'userId', before: null, after: String(person.userId) },
      { field: 'role', before: null, after: 'admin' },
    ]);
  });

  it('are filtered by user, if the caller may see the user', async () => {
    const team = await createTeam(trellis);
    const admin = await createMember(trellis, team.teamId, 'ADMIN');
    const [invited, stranger] = [await createPerson(trellis), await createPerson(trellis)];
    const invitation = { team: { teamId: team.teamId }, user: { email: invited.email }, role: 'VIEWER' };
    await succeed(trellis, 'addTeamMember', invitation, 'member { role }', admin.token);
    const query = `query E($team: TeamRef!, $user: UserRef) { team(by: $team) { events(filter: { user: $user }) {
      totalCount nodes { action user { uid } } } } }`;
    const list = (user: object | null) =>
      trellis.graphql(query, { team: { teamId: team.teamId }, user }, admin.token);
    const actions = async (user: object | null) => {
      const { totalCount, nodes } = (await list(user)).data.team.events;
      expect(totalCount).toBe(nodes.length);
      return nodes.map(({ action }: any) => action);
    };
    expect(await actions({ userId: admin.userId })).toEqual(['team.add_member']);
    expect(await actions({ email: 'ADMIN@trellis.example' })).toEqual(['team.add_member', 'team.create']);
    expect(await actions({ userId: invited.userId })).toEqual([]);
    expect(await actions(null)).toHaveLength(3);
    for (const user of [{ userId: stranger.userId }, { email: stranger.email }, { userId: 2_000_000_000 }]) {
      const message = 'There is no such user.';
      expect((await list(user)).errors?.[0]).toMatchObject({ message, extensions: { code: 'NOT_FOUND' } });
    }
    const { events } = await trellis.data(
      `{ events(filter: { user: { userId: ${admin.userId} } }) { totalCount nodes { user { email } } } }`,
    );
    expect(events).toEqual({ totalCount: 1, nodes: [{ user: { email: admin.email } }] });
  });
});
