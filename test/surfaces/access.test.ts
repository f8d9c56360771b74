import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import type { Transaction } from '../../src/db/open.ts';
import type { Requires } from '../../src/graphql/schema/mutation.ts';
import {
  administrators,
  type Callers,
  createCallers,
  developers,
  known,
  members,
  type Outcomes,
} from '../support/callers.ts';
import { type ChangeCase, everyChange } from '../support/every-change.ts';
import {
  attempt,
  createAll,
  createEnterprise,
  createMember,
  createPerson,
  createRegion,
  createTeam,
  type Person,
  succeed,
} from '../support/fixtures.ts';
import { pendingJob } from '../support/jobs.ts';
import { meanwhile } from '../support/meanwhile.ts';
import { type RegistryServer, startRegistry } from '../support/registry-server.ts';
import { pendingRun } from '../support/runs.ts';
import { createdSchedule } from '../support/schedules.ts';
import { ringTemplate } from '../support/templates.ts';
import { startTrellis, type Trellis } from '../support/trellis.ts';

let trellis: Trellis;
let all: Awaited<ReturnType<typeof createAll>>;
let templateId: number;
let callers: Callers['tokens'];
let changes: Record<string, ChangeCase>;
let certificateId: number;
let credentialId: number;
let webhookId: string;
/** One of the component that everybody in the team sees. */
let releaseId: number;
let registry: RegistryServer;
let domain: string;
let jobId: number;
let runId: string;
let scheduleId: string;
let people: Callers['people'];
/** A region whose cluster does not answer. */
let cluster: { name: string };
/** An administrator of another enterprise. */
let foreigner: Person;

const input = async (name: string) => (await changes[name]!.input()) as object;

beforeAll(async () => {
  trellis = await startTrellis();
  all = await createAll(trellis);
  cluster = await createRegion(trellis, { driver: 'KUBERNETES', url: 'https://127.0.0.1:1' });
  const opened = { team: { teamId: all.team.teamId }, region: { name: cluster.name } };
  await succeed(trellis, 'openTeamRegion', opened, '__typename');
  const ring = ringTemplate(1);
  const published = await succeed(trellis, 'publishTemplate', { template: ring.text }, 'template { uid }');
  templateId = published.template.uid;
  registry = await startRegistry();
  changes = await everyChange(trellis, all);
  changes.deleteTeam!.input = async () => {
    const { teamId } = await createTeam(trellis);
    for (const role of ['viewer', 'developer'] as const) {
      const added = { team: { teamId }, user: { userId: people[role].userId }, role: role.toUpperCase() };
      await succeed(trellis, 'addTeamMember', added, 'member { role }');
    }
    return { team: { teamId } };
  };
  const added = await succeed(
    trellis,
    'addCertificate',
    await input('addCertificate'),
    'certificate { uid }',
  );
  certificateId = added.certificate.uid;
  const made = await succeed(
    trellis,
    'createRegistryCredential',
    await input('createRegistryCredential'),
    'credential { uid }',
  );
  credentialId = made.credential.uid;
  const hook = await succeed(trellis, 'createWebhook', await input('createWebhook'), 'webhook { uid }');
  webhookId = hook.webhook.uid;
  const deployed = { component: { componentId: all.component.componentId } };
  await succeed(trellis, 'deployComponent', deployed, '__typename');
  const { release } = await trellis.data('query($by: ReleaseRef!) { release(by: $by) { uid } }', {
    by: { at: { ...deployed, number: 1 } },
  });
  releaseId = release.uid;
  ({ jobId } = await pendingJob(trellis, all));
  ({ runId } = await pendingRun(trellis, all.team.teamId));
  ({ scheduleId } = await createdSchedule(trellis, all.team.teamId));
  const created = await succeed(trellis, 'createHttpRule', await input('createHttpRule'), 'rule { domain }');
  domain = created.rule.domain;
  await succeed(trellis, 'createTcpRule', await input('createTcpRule'), '__typename');
  ({ people, tokens: callers } = await createCallers(trellis, all.team.teamId));
  foreigner = (await createEnterprise(trellis)).administrator;
});
afterAll(async () => {
  await trellis.close();
  await registry.close();
});

const colleagues: Outcomes = ['ok', 'ok', 'ok', 'ok'];
const teamAdmins: Outcomes = ['NOT_FOUND', 'FORBIDDEN', 'FORBIDDEN', 'ok'];

/** A row for every field of Query: a query of it, whether its answer is empty, and who gets what. */
const queries: Record<
  string,
  { query: () => string; isEmpty?: (value: any) => boolean; outcomes: Outcomes }
> = {
  administrators: { query: () => 'administrators { nodes { email } }', outcomes: administrators },
  application: {
    query: () => `application(by: { appId: ${all.application.appId} }) { name }`,
    outcomes: members,
  },
  applications: {
    query: () => `applications(search: "${all.application.name}") { nodes { name } }`,
    isEmpty: (found) => found.nodes.length === 0,
    outcomes: ['empty', 'ok', 'ok', 'ok'],
  },
  certificate: {
    query: () => `certificate(by: { certificateId: ${certificateId} }) { name }`,
    outcomes: members,
  },
  registryCredential: {
    query: () => `registryCredential(by: { credentialId: ${credentialId} }) { host }`,
    outcomes: members,
  },
  release: { query: () => `release(by: { releaseId: ${releaseId} }) { number }`, outcomes: members },
  webhook: {
    query: () => `webhook(by: { webhookId: "${webhookId}" }) { url }`,
    outcomes: members,
  },
  checkImage: {
    query: () =>
      `checkImage(team: { teamId: "${all.team.teamId}" }, image: "${registry.host}/shop/web:1.0") { exists }`,
    outcomes: developers,
  },
  checkRegion: {
    query: () => `checkRegion(region: { name: "${cluster.name}" }) { isReachable }`,
    outcomes: teamAdmins,
  },
  component: {
    query: () => `component(by: { componentId: "${all.component.componentId}" }) { alias }`,
    outcomes: members,
  },
  components: {
    query: () => `components(search: "${all.component.alias}") { nodes { name } }`,
    isEmpty: (found) => found.nodes.length === 0,
    outcomes: ['empty', 'ok', 'ok', 'ok'],
  },
  events: { query: () => 'events { nodes { action } }', outcomes: administrators },
  httpRules: {
    query: () => `httpRules(search: "${domain}") { nodes { domain } }`,
    isEmpty: (found) => found.nodes.length === 0,
    outcomes: ['empty', 'ok', 'ok', 'ok'],
  },
  run: { query: () => `run(by: { runId: "${runId}" }) { status }`, outcomes: members },
  schedule: { query: () => `schedule(by: { scheduleId: "${scheduleId}" }) { cron }`, outcomes: members },
  job: { query: () => `job(by: { jobId: ${jobId} }) { status }`, outcomes: members },
  node: { query: () => `node(id: "${all.port.id}") { id }`, outcomes: members },
  nodes: {
    query: () => `nodes(ids: ["${all.team.id}", "${all.application.id}", "${all.region.id}"]) { id }`,
    isEmpty: (found) => found.every((each: unknown) => each === null),
    outcomes: ['empty', 'ok', 'ok', 'ok'],
  },
  port: {
    query: () =>
      `port(by: { at: { component: { componentId: "${all.component.componentId}" }, number: 8080 } }) { number }`,
    outcomes: members,
  },
  planManifest: {
    query: () =>
      `planManifest(team: { teamId: "${all.team.teamId}" }, region: { name: "${all.region.name}" }, document: "application: planned") { digest }`,
    outcomes: members,
  },
  regions: {
    query: () => `regions(search: "${all.region.name}") { nodes { name } }`,
    isEmpty: (found) => found.nodes.length === 0,
    outcomes: ['empty', 'ok', 'ok', 'ok'],
  },
  limits: { query: () => 'limits { name }', outcomes: colleagues },
  users: { query: () => 'users { nodes { email } }', outcomes: administrators },
  region: { query: () => `region(by: { name: "${all.region.name}" }) { name }`, outcomes: members },
  tcpRules: {
    query: () => `tcpRules(search: "${all.component.alias}") { nodes { endpoint } }`,
    isEmpty: (found) => found.nodes.length === 0,
    outcomes: ['empty', 'ok', 'ok', 'ok'],
  },
  team: { query: () => `team(by: { teamId: "${all.team.teamId}" }) { name }`, outcomes: members },
  template: { query: () => `template(by: { templateId: ${templateId} }) { name }`, outcomes: colleagues },
  templates: { query: () => 'templates { nodes { name } }', outcomes: colleagues },
  teamResources: {
    query: () =>
      `teamResources(of: [{ team: { teamId: "${all.team.teamId}" }, region: { name: "${all.region.name}" } }]) { usedCpuMillicores }`,
    isEmpty: (found) => found.length === 0,
    outcomes: ['empty', 'ok', 'ok', 'ok'],
  },
  teams: {
    query: () => `teams(search: "${all.team.name}") { nodes { name } }`,
    isEmpty: (found) => found.nodes.length === 0,
    outcomes: ['empty', 'ok', 'ok', 'ok'],
  },
  user: { query: () => `user(by: { email: "${people.viewer.email}" }) { nickName }`, outcomes: members },
  viewer: { query: () => 'viewer { user { email } }', outcomes: colleagues },
};

/** Who gets what from a mutation, by what it requires. */
const byRequirement: Record<Requires, Outcomes> = {
  viewer: members,
  developer: developers,
  admin: teamAdmins,
  owner: teamAdmins,
  administrator: administrators,
  caller: colleagues,
};
/** Of objects that not everyone sees, or that their users may change. */
const special: Record<string, Outcomes> = {
  importNamespace: teamAdmins,
  endSession: ['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND', 'ok'],
  revokeAccessToken: ['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND', 'ok'],
  setTeamQuota: teamAdmins,
  updateRegion: teamAdmins,
  updateUser: teamAdmins,
};
const mutationFields = schema.getMutationType()!.getFields();
const mutations = Object.keys(mutationFields);
const outcomesOf = (name: string): Outcomes =>
  special[name] ?? byRequirement[mutationFields[name]!.extensions.requires as Requires];

const newPort = async () => {
  const input = await changes.addPort!.input();
  const { port } = await succeed(trellis, 'addPort', input, 'port { id }');
  return { id: port.id as string };
};

describe('every query', () => {
  it('has a test case', () => {
    expect(Object.keys(queries).sort()).toEqual(Object.keys(schema.getQueryType()!.getFields()).sort());
  });

  it.each(Object.keys(queries).filter((name) => queries[name]!.outcomes[0] !== 'FORBIDDEN'))(
    '%s shows nothing of it to an administrator of another enterprise',
    async (name) => {
      const { query, isEmpty = () => false } = queries[name]!;
      const { data, errors } = await trellis.graphql(`{ ${query()} }`, {}, foreigner.token);
      if (name === 'viewer') expect(data.viewer.user.email).toBe(foreigner.email);
      else if (name === 'templates') expect(data.templates.nodes).toEqual([]);
      // They are those of the gateway, for whoever asks.
      else if (name === 'limits') expect(errors).toBeUndefined();
      else
        expect(errors ? errors[0]!.extensions.code : isEmpty(data[name]) && 'empty').toMatch(
          /^(NOT_FOUND|empty)$/,
        );
    },
  );

  it('for administrators returns only the enterprise of the caller', async () => {
    const query =
      '{ administrators { nodes { email } } events(first: 100) { nodes { user { email } } } teams { totalCount } viewer { enterprise { teams { totalCount } users { nodes { email } } regions { totalCount } } } }';
    const own = await trellis.data(query, {}, foreigner.token);
    expect(own.administrators.nodes).toEqual([{ email: foreigner.email }]);
    expect(own.viewer.enterprise).toEqual({
      teams: { totalCount: 0 },
      users: { nodes: [{ email: foreigner.email }] },
      regions: { totalCount: 0 },
    });
    expect(own.events.nodes.filter((each: any) => each.user?.email !== foreigner.email)).toEqual([]);
  });

  it.each(Object.keys(queries))('%s returns to each caller what they may read', async (name) => {
    const { query, isEmpty = () => false, outcomes } = queries[name]!;
    const text = `{ ${query()} }`;
    for (const caller of ['none', 'unknown'] as const) {
      const { data, errors } = await trellis.graphql(text, {}, callers[caller]);
      expect(data).toBeUndefined();
      expect(errors?.map((error) => error.extensions.code)).toEqual(['UNAUTHENTICATED']);
    }
    for (const [index, caller] of known.entries()) {
      const { data, errors } = await trellis.graphql(text, {}, callers[caller]);
      const outcome = errors ? errors[0]!.extensions.code : isEmpty(data[name]) ? 'empty' : 'ok';
      expect(outcome, `${name} for ${caller}`).toBe(outcomes[index]);
      if (errors) expect(data?.[name] ?? null).toBeNull();
    }
  });

  it('answers for hidden objects as for missing ones', async () => {
    const hidden = [
      ['team(by: { teamId: "@" }) { name }', all.team.teamId],
      ['team(by: { name: "@" }) { name }', all.team.name],
      ['region(by: { name: "@" }) { name }', all.region.name],
      ['component(by: { componentId: "@" }) { alias }', all.component.componentId],
      ['component(by: { id: "@" }) { alias }', all.component.id],
      ['node(id: "@") { id }', all.port.id],
      ['application(by: { appId: @ }) { name }', all.application.appId, 2_000_000_000],
      ['certificate(by: { certificateId: @ }) { name }', certificateId, 2_000_000_000],
      ['registryCredential(by: { credentialId: @ }) { host }', credentialId, 2_000_000_000],
      ['webhook(by: { webhookId: "@" }) { url }', webhookId],
      ['job(by: { jobId: @ }) { status }', jobId, 2_000_000_000],
    ] as const;
    for (const [query, present, absent = 'nothing'] of hidden) {
      const ask = async (value: string | number) => {
        const { data, errors } = await trellis.graphql(
          `{ ${query.replace('@', String(value))} }`,
          {},
          callers.outsider,
        );
        return {
          data,
          errors: errors?.map((error) => ({ ...error, extensions: { ...error.extensions, requestId: '' } })),
        };
      };
      expect(await ask(present)).toEqual(await ask(absent));
    }
  });
});

/** Inputs that were refused, and therefore would still succeed: the next who is refused tries the same. */
const refused = new Map<string, object>();
const inputToRefuse = async (name: string) => {
  const input = refused.get(name) ?? (await changes[name]!.input());
  refused.set(name, input);
  return input;
};

describe('every mutation', () => {
  it.each(mutations)('%s allows each caller what their role allows', async (name) => {
    const { input } = changes[name]!;
    const outcomes = outcomesOf(name);
    const title = `${name[0]!.toUpperCase()}${name.slice(1)}`;
    const text = `mutation M($input: ${title}Input!) { ${name}(input: $input) { __typename ... on Error { code } } }`;
    // Nobody who is refused uses it up: the first who is allowed succeeds with it.
    let prepared: object | undefined;
    for (const caller of ['none', 'unknown'] as const) {
      prepared ??= await input();
      const before = await trellis.counts();
      const { errors } = await trellis.graphql(text, { input: prepared }, callers[caller]);
      expect(errors?.map((error) => error.extensions.code)).toEqual(['UNAUTHENTICATED']);
      expect(await trellis.counts()).toEqual(before);
    }
    for (const [index, caller] of known.entries()) {
      prepared ??= await input();
      const before = await trellis.counts();
      const data = await trellis.data(text, { input: prepared }, callers[caller]!);
      expect(data[name].code ?? 'ok', `${name} for ${caller}`).toBe(outcomes[index]);
      if (outcomes[index] === 'ok') prepared = undefined;
      else expect(await trellis.counts()).toEqual(before);
    }
  });

  it.each(mutations.filter((name) => outcomesOf(name)[0] === 'NOT_FOUND'))(
    '%s refuses an administrator of another enterprise',
    async (name) => {
      const prepared = await inputToRefuse(name);
      const before = await trellis.counts();
      expect(await attempt(trellis, name, prepared, '__typename', foreigner.token)).toMatchObject({
        code: 'NOT_FOUND',
      });
      expect(await trellis.counts()).toEqual(before);
    },
  );

  // One for all of them, because a user has at most 100 tokens.
  let reader: Promise<{ secret: string }> | undefined;
  it.each(mutations)('%s refuses a read-only token', async (name) => {
    reader ??= succeed(trellis, 'createAccessToken', { name: 'reader', isReadOnly: true }, 'secret');
    const { secret } = await reader;
    const prepared = await inputToRefuse(name);
    const before = await trellis.counts();
    const result = await attempt(trellis, name, prepared, '__typename', secret);
    expect(result).toMatchObject({
      __typename: 'ForbiddenError',
      message: expect.stringContaining('read-only'),
    });
    expect(await trellis.counts()).toEqual(before);
    expect((await trellis.data('{ viewer { isAdministrator } }', {}, secret)).viewer.isAdministrator).toBe(
      true,
    );
  });
});

describe('losing rights while a mutation is running', () => {
  /** What a mutation says when its caller loses something meanwhile; it changes nothing then. */
  async function refusal(name: string, lose: (person: Person) => Promise<unknown>): Promise<string> {
    const person = await createPerson(trellis, { isAdministrator: true });
    const input = await inputToRefuse(name);
    // Its token is known from here on.
    await trellis.data('{ viewer { isAdministrator } }', {}, person.token);
    const before = await trellis.counts();
    const title = `${name[0]!.toUpperCase()}${name.slice(1)}`;
    const text = `mutation M($input: ${title}Input!) { ${name}(input: $input) { __typename ... on Error { code } } }`;
    const { result, hasRun } = await meanwhile(
      trellis,
      () => lose(person),
      () => trellis.graphql(text, { input }, person.token),
    );
    expect(hasRun, 'it has a transaction').toBe(true);
    expect(await trellis.counts()).toEqual(before);
    return result.errors?.[0]?.extensions.code ?? result.data[name].code;
  }

  const write = (work: (tx: Transaction) => Promise<unknown>) => openTransaction(work);
  let openTransaction: Trellis['services']['db']['transaction'];
  beforeAll(() => {
    openTransaction = trellis.services.db.transaction;
  });
  const revokeToken = ({ userId }: Person) =>
    write((tx) => tx.accessToken.updateMany({ where: { userId }, data: { revokedAt: new Date() } }));
  const demote = ({ userId }: Person) =>
    write((tx) => tx.user.update({ where: { id: userId }, data: { isAdministrator: false } }));

  it.each(mutations)('%s changes nothing when the token was revoked', async (name) => {
    expect(await refusal(name, revokeToken)).toBe('UNAUTHENTICATED');
  });

  const forSome = mutations.filter((name) => outcomesOf(name)[0] !== 'ok');
  it.each(forSome)('%s changes nothing when the caller is no longer an administrator', async (name) => {
    expect(await refusal(name, demote)).toBe(outcomesOf(name)[0]);
  });

  it('leaves the rights of the remaining role', async () => {
    const person = await createMember(trellis, all.team.teamId, 'DEVELOPER');
    await trellis.data('{ viewer { isAdministrator } }', {}, person.token);
    const input = (await changes.addPort!.input()) as object;
    const add = () => attempt(trellis, 'addPort', input, '__typename', person.token);
    const to = (role: string) => () =>
      write((tx) => tx.membership.updateMany({ where: { userId: person.userId }, data: { role } }));
    expect((await meanwhile(trellis, to('viewer'), add)).result).toMatchObject({ code: 'FORBIDDEN' });
    await to('developer')();
    expect((await meanwhile(trellis, to('admin'), add)).result).toMatchObject({
      __typename: 'AddPortPayload',
    });
  });

  it('is checked with one statement', async () => {
    const port = await newPort();
    await succeed(trellis, 'openInnerService', { port }, '__typename');
    trellis.statements.length = 0;
    await succeed(trellis, 'closeInnerService', { port }, '__typename');
    const about = trellis.statements.filter((text) => text.includes('"access_token" t'));
    expect(about).toHaveLength(1);
  });
});

describe('single fields', () => {
  it('show credentials to administrators only, and are encrypted in the database', async () => {
    const secrets = {
      token: 'region-secret-token',
      caCertificate: 'CA-SECRET',
      clientCertificate: 'CERT-SECRET',
      clientKey: 'KEY-SECRET',
    };
    const { region } = await succeed(
      trellis,
      'createRegion',
      { ...(changes.createRegion!.input() as object), credentials: secrets },
      'region { uid name credentials { token caCertificate clientCertificate clientKey } }',
    );
    expect(region.credentials).toEqual(secrets);
    await succeed(
      trellis,
      'openTeamRegion',
      { team: { teamId: all.team.teamId }, region: { regionId: region.uid } },
      'team { uid }',
    );
    const query = `{ region(by: { name: "${region.name}" }) { name credentials { token clientKey } } }`;
    for (const token of [people.viewer.token, people.developer.token]) {
      expect((await trellis.data(query, {}, token)).region).toEqual({ name: region.name, credentials: null });
    }
    const stored = JSON.stringify(await trellis.services.db.query('SELECT * FROM region', []));
    const events = JSON.stringify(await trellis.services.db.query('SELECT * FROM event', []));
    for (const secret of Object.values(secrets)) {
      expect(stored).not.toContain(secret);
      expect(events).not.toContain(secret);
      expect(JSON.stringify(trellis.logged)).not.toContain(secret);
    }
    expect(events).toContain('[redacted]');
  });

  it('show contact data and tokens of others to administrators only', async () => {
    const query = `{ user(by: { email: "${people.viewer.email}" }) { phone clientIp accessTokens { totalCount } } }`;
    const own = await trellis.graphql(query, {}, people.viewer.token);
    expect(own.errors).toBeUndefined();
    expect(own.data.user).toMatchObject({ phone: '', accessTokens: { totalCount: expect.any(Number) } });
    const other = await trellis.graphql(
      query.replace('accessTokens { totalCount }', ''),
      {},
      people.developer.token,
    );
    expect(other.data.user).toEqual({ phone: null, clientIp: null });
    expect(other.errors!.map(({ path, extensions }) => [path?.at(-1), extensions.code])).toEqual([
      ['phone', 'FORBIDDEN'],
      ['clientIp', 'FORBIDDEN'],
    ]);
    const tokens = await trellis.graphql(query, {}, people.developer.token);
    expect(tokens.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
  });

  it('show the events of a team to its members only', async () => {
    const events = await trellis.data(
      '{ events(first: 1, filter: { action: "port.add" }) { nodes { id action } } }',
    );
    const { id } = events.events.nodes[0];
    const query = `{ node(id: "${id}") { ... on Event { action } } }`;
    expect((await trellis.data(query, {}, people.viewer.token)).node).toEqual({ action: 'port.add' });
    expect((await trellis.graphql(query, {}, people.outsider.token)).errors?.[0]?.extensions.code).toBe(
      'NOT_FOUND',
    );
  });

  it("list only the caller's teams and applications of a region", async () => {
    const other = await createTeam(trellis);
    const here = { team: { teamId: other.teamId }, region: { name: all.region.name } };
    await succeed(trellis, 'openTeamRegion', here, 'team { uid }');
    await succeed(trellis, 'createApplication', { ...here, name: 'hidden' }, 'application { appId }');
    const query = `{ region(by: { name: "${all.region.name}" }) { teams { nodes { name } } applications { nodes { team { name } } } } }`;
    const { region } = await trellis.data(query, {}, people.viewer.token);
    expect(region.teams.nodes).toEqual([{ name: all.team.name }]);
    expect(new Set(region.applications.nodes.map((each: any) => each.team.name))).toEqual(
      new Set([all.team.name]),
    );
    const whole = (await trellis.data(query)).region;
    expect(whole.teams.nodes).toHaveLength(2);
    expect(whole.applications.nodes).toContainEqual({ team: { name: other.name } });
  });

  it('list all users to administrators only', async () => {
    const query = '{ viewer { enterprise { users(search: "ADMIN@") { nodes { email } } } } }';
    expect((await trellis.data(query)).viewer.enterprise.users.nodes).toEqual([
      { email: 'admin@trellis.example' },
    ]);
    expect((await trellis.graphql(query, {}, people.viewer.token)).errors?.[0]?.extensions.code).toBe(
      'FORBIDDEN',
    );
  });
});

describe('roles', () => {
  it('let an admin of a team change members, and only owners make or remove owners', async () => {
    const { team } = await createAll(trellis);
    const admin = await createMember(trellis, team.teamId, 'ADMIN');
    const person = await createPerson(trellis);
    const input = { team: { teamId: team.teamId }, user: { userId: person.userId }, role: 'OWNER' };
    expect(await attempt(trellis, 'addTeamMember', input, '__typename', admin.token)).toMatchObject({
      code: 'FORBIDDEN',
    });
    const developer = { ...input, role: 'DEVELOPER' };
    // Whom the admin shares no team with is named by e-mail address: numbers could be guessed.
    expect(await attempt(trellis, 'addTeamMember', developer, '__typename', admin.token)).toMatchObject({
      code: 'NOT_FOUND',
    });
    const invited = { ...developer, user: { email: person.email.toUpperCase() } };
    await succeed(trellis, 'addTeamMember', invited, 'member { role user { uid } }', admin.token);
    expect(await attempt(trellis, 'addTeamMember', input)).toMatchObject({ code: 'CONFLICT' });
    const owner = { team: { teamId: team.teamId }, user: { email: 'admin@trellis.example' } };
    expect(await attempt(trellis, 'removeTeamMember', owner, '__typename', admin.token)).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await attempt(trellis, 'removeTeamMember', owner)).toMatchObject({ code: 'CONFLICT' });
    const { member } = await succeed(
      trellis,
      'removeTeamMember',
      { team: { teamId: team.teamId }, user: { userId: person.userId } },
      'member { role user { email } } team { members { totalCount } }',
      admin.token,
    );
    expect(member).toEqual({ role: 'DEVELOPER', user: { email: person.email } });
    expect((await trellis.graphql('{ teams { totalCount } }', {}, person.token)).data.teams.totalCount).toBe(
      0,
    );
  });

  it('apply to one team only', async () => {
    const { team, component } = await createAll(trellis);
    const owner = await createMember(trellis, team.teamId, 'OWNER');
    const input = { component: { componentId: all.component.componentId }, number: 1, protocol: 'TCP' };
    expect(await attempt(trellis, 'addPort', input, '__typename', owner.token)).toMatchObject({
      code: 'NOT_FOUND',
    });
    const here = { ...input, component: { componentId: component.componentId } };
    expect(await attempt(trellis, 'addPort', here, '__typename', owner.token)).toMatchObject({
      __typename: 'AddPortPayload',
    });
    const mixed = {
      application: { appId: (await createAll(trellis)).application.appId },
      name: 'x',
      image: 'x',
    };
    expect(
      await attempt(trellis, 'createComponent', {
        ...mixed,
        dependencies: [{ componentId: component.componentId }],
      }),
    ).toMatchObject({ code: 'NOT_FOUND' });
  });
});
