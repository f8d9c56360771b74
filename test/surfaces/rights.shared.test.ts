import { beforeAll, describe, expect, it } from 'vitest';
import type { Transaction } from '../../src/db/open.ts';
import { type Callers, createCallers } from '../support/callers.ts';
import { type ChangeCase, everyChange } from '../support/every-change.ts';
import type { All, Person } from '../support/fixtures.ts';
import { meanwhile } from '../support/meanwhile.ts';
import { inputsToRefuse, mutations, outcomesOf } from '../support/rights.ts';
import { type Trellis, useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();
let all: All;
let changes: Record<string, ChangeCase>;
let inputToRefuse: (name: string) => Promise<object>;
let people: Callers['people'];

beforeAll(async () => {
  all = await trellis.createAll();
  changes = await everyChange(trellis, all);
  inputToRefuse = inputsToRefuse(changes);
  ({ people } = await createCallers(trellis, all.team.teamId));
});

const newPort = async () => {
  const input = await changes.addPort!.input();
  const { port } = await trellis.succeed('addPort', input, 'port { id }');
  return { id: port.id as string };
};

describe('losing rights while a mutation is running', () => {
  /** What a mutation says when its caller loses something meanwhile; it changes nothing then. */
  async function refusal(name: string, lose: (person: Person) => Promise<unknown>): Promise<string> {
    const person = await trellis.createPerson({ isAdministrator: true });
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
    const person = await trellis.createMember(all.team.teamId, 'DEVELOPER');
    await trellis.data('{ viewer { isAdministrator } }', {}, person.token);
    const input = (await changes.addPort!.input()) as object;
    const add = () => trellis.attempt('addPort', input, '__typename', person.token);
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
    await trellis.succeed('openInnerService', { port }, '__typename');
    trellis.statements.length = 0;
    await trellis.succeed('closeInnerService', { port }, '__typename');
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
    const { region } = await trellis.succeed(
      'createRegion',
      { ...(changes.createRegion!.input() as object), credentials: secrets },
      'region { uid name credentials { token caCertificate clientCertificate clientKey } }',
    );
    expect(region.credentials).toEqual(secrets);
    await trellis.succeed(
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
    await newPort();
    const events = await trellis.data('{ events(first: 1, action: "port.add") { nodes { id action } } }');
    const { id } = events.events.nodes[0];
    const query = `{ node(id: "${id}") { ... on Event { action } } }`;
    expect((await trellis.data(query, {}, people.viewer.token)).node).toEqual({ action: 'port.add' });
    expect((await trellis.graphql(query, {}, people.outsider.token)).errors?.[0]?.extensions.code).toBe(
      'NOT_FOUND',
    );
  });

  it("list only the caller's teams and applications of a region", async () => {
    const other = await trellis.createTeam();
    const here = { team: { teamId: other.teamId }, region: { name: all.region.name } };
    await trellis.succeed('openTeamRegion', here, 'team { uid }');
    await trellis.succeed('createApplication', { ...here, name: 'hidden' }, 'application { appId: uid }');
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
    const { team } = await trellis.createAll();
    const admin = await trellis.createMember(team.teamId, 'ADMIN');
    const person = await trellis.createPerson();
    const input = { team: { teamId: team.teamId }, user: { userId: person.userId }, role: 'OWNER' };
    expect(await trellis.attempt('addTeamMember', input, '__typename', admin.token)).toMatchObject({
      code: 'FORBIDDEN',
    });
    const developer = { ...input, role: 'DEVELOPER' };
    // Whom the admin shares no team with is named by e-mail address: numbers could be guessed.
    expect(await trellis.attempt('addTeamMember', developer, '__typename', admin.token)).toMatchObject({
      code: 'NOT_FOUND',
    });
    const invited = { ...developer, user: { email: person.email.toUpperCase() } };
    await trellis.succeed('addTeamMember', invited, 'member { role user { uid } }', admin.token);
    expect(await trellis.attempt('addTeamMember', input)).toMatchObject({ code: 'CONFLICT' });
    const owner = { team: { teamId: team.teamId }, user: { email: 'admin@trellis.example' } };
    expect(await trellis.attempt('removeTeamMember', owner, '__typename', admin.token)).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await trellis.attempt('removeTeamMember', owner)).toMatchObject({ code: 'CONFLICT' });
    const { member } = await trellis.succeed(
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
    const { team, component } = await trellis.createAll();
    const owner = await trellis.createMember(team.teamId, 'OWNER');
    const input = { component: { componentId: all.component.componentId }, number: 1, protocol: 'TCP' };
    expect(await trellis.attempt('addPort', input, '__typename', owner.token)).toMatchObject({
      code: 'NOT_FOUND',
    });
    const here = { ...input, component: { componentId: component.componentId } };
    expect(await trellis.attempt('addPort', here, '__typename', owner.token)).toMatchObject({
      __typename: 'AddPortPayload',
    });
    const mixed = {
      application: { appId: (await trellis.createAll()).application.appId },
      name: 'x',
      image: 'x',
    };
    expect(
      await trellis.attempt('createComponent', {
        ...mixed,
        dependencies: [{ componentId: component.componentId }],
      }),
    ).toMatchObject({ code: 'NOT_FOUND' });
  });
});
