import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allActions, enumName } from '../../../src/kernel/actions.ts';
import { type All, unique } from '../../support/fixtures.ts';
import {
  audience,
  createAccount,
  exchange,
  exchanged,
  startIssuer,
  subject,
  type TestIssuer,
  trust,
} from '../../support/token-issuer.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

let trellis: Trellis;
let issuer: TestIssuer;
let all: All;
beforeAll(async () => {
  trellis = await startTrellis();
  issuer = await startIssuer();
  all = await trellis.createAll();
});
afterAll(async () => {
  await Promise.all([trellis?.close(), issuer?.close()]);
});

const claims = [{ name: 'sub', pattern: subject }];
const newTrust = async (role?: string) => ({
  serviceAccount: await createAccount(trellis, all.team.teamId, role),
  issuer: issuer.url,
  audience,
  claims,
});

/** A token of the owner of another token, limited to grants. */
const tokenWith = async (grants: object[], token?: string): Promise<string> =>
  (await trellis.succeed('createAccessToken', { name: 'narrow', grants }, 'secret', token)).secret;

describe('addTrust', () => {
  it('returns what it was given', async () => {
    const component = { componentId: all.component.componentId };
    const grants = [{ actions: ['DEPLOY_COMPONENT'], component }];
    const input = await newTrust();
    const selection =
      'trust { id uid issuer audience claims { name pattern } grants { actions component { uid } } serviceAccount { uid } }';
    const { trust: added } = await trellis.succeed('addTrust', { ...input, grants }, selection);
    expect(added).toMatchObject({
      issuer: issuer.url,
      audience,
      claims,
      grants: [{ component: { uid: component.componentId } }],
      serviceAccount: { uid: input.serviceAccount.serviceAccountId },
    });
    const query =
      'query Q($id: ID!, $team: String!) { node(id: $id) { ... on Trust { uid } } team(by: { name: $team }) { serviceAccounts { nodes { uid trusts { totalCount nodes { uid } } } } } }';
    const { node, team } = await trellis.data(query, { id: added.id, team: all.team.name });
    expect(node).toEqual({ uid: added.uid });
    const listed = team.serviceAccounts.nodes.find(
      ({ uid }: { uid: string }) => uid === input.serviceAccount.serviceAccountId,
    );
    expect(listed.trusts).toEqual({ totalCount: 1, nodes: [{ uid: added.uid }] });
    // Others do not see it.
    const stranger = await trellis.createPerson();
    const hidden = await trellis.graphql(query, { id: added.id, team: 'x' }, stranger.token);
    expect(hidden.errors!.map(({ extensions }) => extensions.code)).toContain('NOT_FOUND');
    expect(JSON.stringify(hidden.data)).not.toContain(added.uid);
    const remove = { trust: { trustId: added.uid } };
    expect(await trellis.attempt('removeTrust', remove, '__typename', stranger.token)).toMatchObject({
      code: 'NOT_FOUND',
    });
    const developer = await trellis.createMember(all.team.teamId, 'DEVELOPER');
    expect(await trellis.attempt('removeTrust', remove, '__typename', developer.token)).toMatchObject({
      code: 'FORBIDDEN',
    });
  });

  it.each<[string, object, string]>([
    ['no claim', { claims: [] }, 'input.claims'],
    ['patterns that everything matches', { claims: [{ name: 'sub', pattern: '**' }] }, 'input.claims'],
    [
      'the audience again as its only claim',
      { claims: [{ name: 'aud', pattern: 'x' }] },
      'input.claims.0.name',
    ],
    ['the issuer as its only claim', { claims: [{ name: 'iss', pattern: 'x' }] }, 'input.claims.0.name'],
    ['an issuer that is no URL', { issuer: 'issuer.example' }, 'input.issuer'],
    ['a query in the issuer', { issuer: 'https://issuer.example/?a=b' }, 'input.issuer'],
    ['a fragment in the issuer', { issuer: 'https://issuer.example/#x' }, 'input.issuer'],
    ['credentials in the issuer', { issuer: 'https://a:b@issuer.example' }, 'input.issuer'],
    ['another scheme', { issuer: 'ftp://issuer.example' }, 'input.issuer'],
  ])('refuses %s', async (_, wrong, path) => {
    const refused = await trellis.attempt('addTrust', { ...(await newTrust()), ...wrong });
    expect(refused).toMatchObject({ code: 'INVALID_INPUT' });
    expect(refused.issues.map((issue: { path: string[] }) => issue.path.join('.'))).toEqual([path]);
  });

  it('refuses more than 20 trusts of a service account', async () => {
    const input = await newTrust();
    for (let index = 0; index < 20; index++) await trellis.succeed('addTrust', input, '__typename');
    expect(await trellis.attempt('addTrust', input)).toMatchObject({ code: 'CONFLICT' });
  });

  it('requires the admin role, and what the service account may do', async () => {
    const { teamId } = all.team;
    for (const role of ['VIEWER', 'DEVELOPER']) {
      const { token } = await trellis.createMember(teamId, role);
      expect(await trellis.attempt('addTrust', await newTrust(), '__typename', token)).toMatchObject({
        code: 'FORBIDDEN',
      });
    }
    const admin = await trellis.createMember(teamId, 'ADMIN');
    await trellis.succeed('addTrust', await newTrust('ADMIN'), '__typename', admin.token);
  });
});

describe('a trust does not give more than its creator may do', () => {
  it('with a role that includes addTrust alone', async () => {
    const { role } = await trellis.succeed(
      'createRole',
      { name: unique('role'), actions: ['ADD_TRUST', 'CREATE_ACCESS_TOKEN'] },
      'role { roleId: uid }',
    );
    const person = await trellis.createPerson();
    const member = { team: { teamId: all.team.teamId }, user: { email: person.email }, customRole: role };
    await trellis.succeed('addTeamMember', member, '__typename');
    // A token whose grants name more than its owner may do.
    const wide = await tokenWith([{ actions: [...allActions].map(enumName) }], person.token);
    for (const token of [person.token, wide]) {
      const input = await newTrust('ADMIN');
      expect(await trellis.attempt('addTrust', input, '__typename', token)).toMatchObject({
        code: 'FORBIDDEN',
      });
      const grants = [{ actions: ['READ'] }];
      await trellis.succeed('addTrust', { ...input, grants }, '__typename', token);
    }
  });

  it('with a narrow token: the trust has its grants', async () => {
    const component = { componentId: all.component.componentId };
    const team = { teamId: all.team.teamId };
    const token = await tokenWith([
      { actions: ['ADD_TRUST'], team },
      { actions: ['DEPLOY_COMPONENT'], component },
    ]);
    const input = { ...(await newTrust('ADMIN')), audience: 'narrow' };
    const wider = [{ actions: ['STOP_COMPONENT'], component }];
    expect(await trellis.attempt('addTrust', { ...input, grants: wider }, '__typename', token)).toMatchObject(
      { code: 'FORBIDDEN' },
    );
    await trellis.succeed('addTrust', input, '__typename', token);
    const secret = await exchanged(trellis, await issuer.token({ aud: 'narrow' }));
    await trellis.succeed('deployComponent', { component }, '__typename', secret);
    const refused = { code: 'FORBIDDEN' };
    expect(await trellis.attempt('stopComponent', { component }, '__typename', secret)).toMatchObject(
      refused,
    );
    const account = { team, name: unique('robot'), role: 'VIEWER' };
    expect(await trellis.attempt('createServiceAccount', account, '__typename', secret)).toMatchObject(
      refused,
    );
  });

  it('with a read-only token', async () => {
    const { secret } = await trellis.succeed('createAccessToken', { name: 'x', isReadOnly: true }, 'secret');
    expect(await trellis.attempt('addTrust', await newTrust(), '__typename', secret)).toMatchObject({
      code: 'FORBIDDEN',
    });
  });

  it('with grants for a hidden object', async () => {
    const other = await trellis.createAll();
    const admin = await trellis.createMember(all.team.teamId, 'ADMIN');
    const grants = [{ actions: ['READ'], team: { teamId: other.team.teamId } }];
    const input = { ...(await newTrust()), grants };
    expect(await trellis.attempt('addTrust', input, '__typename', admin.token)).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('for a service account of another team', async () => {
    const other = await trellis.createAll();
    const admin = await trellis.createMember(other.team.teamId, 'ADMIN');
    expect(await trellis.attempt('addTrust', await newTrust(), '__typename', admin.token)).toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('a trust that is added with an access token that expires', () => {
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

  it('expires no later, so that the access token cannot outlive itself', async () => {
    const input = { name: 'short', expiresAt: inMinutes(10) };
    const { secret } = await trellis.succeed('createAccessToken', input, 'secret');
    const added = { ...(await newTrust()), audience: 'short' };
    for (const expiresAt of [null, inMinutes(20)]) {
      expect(await trellis.attempt('addTrust', { ...added, expiresAt }, '__typename', secret)).toMatchObject({
        code: 'INVALID_INPUT',
        issues: [{ path: ['input', 'expiresAt'] }],
      });
    }
    const { trust: own } = await trellis.succeed('addTrust', added, 'trust { uid expiresAt }', secret);
    expect(own.expiresAt).toBe(input.expiresAt);
    const { body } = await exchange(trellis, await issuer.token({ aud: 'short' }));
    const leftSeconds = (Date.parse(input.expiresAt) - Date.now()) / 1_000;
    expect(body.expires_in).toBeGreaterThan(leftSeconds - 1);
    expect(body.expires_in).toBeLessThanOrEqual(600);
    await trellis.services.db.transaction((tx) =>
      tx.trust.updateMany({ where: { id: own.uid }, data: { expiresAt: new Date() } }),
    );
    expect((await exchange(trellis, await issuer.token({ aud: 'short' }))).status).toBe(400);
  });

  it('can be given an expiry of the future alone', async () => {
    const past = { ...(await newTrust()), expiresAt: inMinutes(-1) };
    expect(await trellis.attempt('addTrust', past)).toMatchObject({ code: 'INVALID_INPUT' });
    await trellis.succeed('addTrust', { ...past, expiresAt: inMinutes(1) }, '__typename');
  });
});

describe('an exchanged token', () => {
  it('creates tokens that expire with it at the latest', async () => {
    const serviceAccount = await createAccount(trellis, all.team.teamId, 'ADMIN');
    await trust(trellis, issuer, serviceAccount, { audience: 'admin' });
    const secret = await exchanged(trellis, await issuer.token({ aud: 'admin' }));
    const input = { name: 'longer', serviceAccount, expiresAt: '2100-01-01T00:00:00Z' };
    expect(await trellis.attempt('createAccessToken', input, '__typename', secret)).toMatchObject({
      code: 'INVALID_INPUT',
    });
  });

  it('sees no trusts if it is limited to a component', async () => {
    const serviceAccount = await createAccount(trellis, all.team.teamId);
    const component = { componentId: all.component.componentId };
    await trust(trellis, issuer, serviceAccount, {
      audience: 'hidden',
      grants: [{ actions: ['DEPLOY_COMPONENT'], component }],
    });
    const secret = await exchanged(trellis, await issuer.token({ aud: 'hidden' }));
    const { viewer } = await trellis.data(
      '{ viewer { serviceAccount { trusts { totalCount nodes { uid } } } accessToken { trust { uid } } } }',
      {},
      secret,
    );
    expect(viewer).toEqual({
      serviceAccount: { trusts: { totalCount: 0, nodes: [] } },
      accessToken: { trust: null },
    });
  });
});
