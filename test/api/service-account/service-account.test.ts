import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attempt, createAll, createMember, createPerson, succeed, unique } from '../../support/fixtures.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

let trellis: Trellis;
let all: Awaited<ReturnType<typeof createAll>>;
beforeAll(async () => {
  trellis = await startTrellis();
  all = await createAll(trellis);
});
afterAll(() => trellis?.close());

const team = () => ({ teamId: all.team.teamId });

async function createAccount(role = 'DEVELOPER', token?: string) {
  const name = unique('robot');
  const { serviceAccount } = await succeed(
    trellis,
    'createServiceAccount',
    { team: team(), name, role },
    'serviceAccount { serviceAccountId: uid id }',
    token,
  );
  const ref = { serviceAccountId: serviceAccount.serviceAccountId as string };
  const created = await succeed(
    trellis,
    'createAccessToken',
    { name: 'ci', serviceAccount: ref },
    'secret accessToken { uid user { email } serviceAccount { name } }',
    token,
  );
  expect(created.accessToken).toMatchObject({ user: null, serviceAccount: { name } });
  return { name, ref, id: serviceAccount.id as string, secret: created.secret as string };
}

const viewer =
  '{ viewer { user { email } isAdministrator serviceAccount { name role team { name } } enterprise { name } accessTokens { totalCount } } }';

describe('a service account', () => {
  it('acts in its team, and is named in the record', async () => {
    const { name, secret, id } = await createAccount();
    const { viewer: seen } = await trellis.data(viewer, {}, secret);
    expect(seen).toMatchObject({
      user: null,
      isAdministrator: false,
      serviceAccount: { name, role: 'DEVELOPER', team: { name: all.team.name } },
      accessTokens: { totalCount: 1 },
    });
    const input = { team: team(), region: { name: all.region.name }, name: unique('app') };
    const { application } = await succeed(
      trellis,
      'createApplication',
      input,
      'application { appId: uid principal }',
      secret,
    );
    expect(application.principal).toBe(name);
    const part = { application: { appId: application.appId }, name: 'web', image: 'web:1', isDeployed: true };
    const { component, job } = await succeed(
      trellis,
      'createComponent',
      part,
      'component { uid creator { email } } job { user { email } actor { __typename ... on ServiceAccount { name } } }',
      secret,
    );
    expect(component.creator).toBeNull();
    expect(job).toEqual({ user: null, actor: { __typename: 'ServiceAccount', name } });
    const { team: found } = await trellis.data(
      `{ team(by: { teamId: "${all.team.teamId}" }) { events(objectUid: "${component.uid}") { nodes { action user { email } actor { ... on ServiceAccount { id } ... on User { email } } } } } }`,
    );
    expect(found.events.nodes).toContainEqual({ action: 'component.create', user: null, actor: { id } });
    const { teams, applications, components } = await trellis.data(
      '{ teams { nodes { name roles { role } } } applications { totalCount } components { totalCount } }',
      {},
      secret,
    );
    expect(teams.nodes).toEqual([{ name: all.team.name, roles: [{ role: 'DEVELOPER' }] }]);
    expect(applications.totalCount).toBeGreaterThan(1);
    expect(components.totalCount).toBeGreaterThan(1);
  });

  it('works on when the person who made it leaves', async () => {
    const admin = await createMember(trellis, all.team.teamId, 'ADMIN');
    const { secret } = await createAccount('VIEWER', admin.token);
    const leaving = { user: { userId: admin.userId }, isActive: false };
    await succeed(trellis, 'updateUser', leaving, '__typename');
    expect((await trellis.data(viewer, {}, secret)).viewer.serviceAccount.role).toBe('VIEWER');
    const { errors } = await trellis.graphql(viewer, {}, admin.token);
    expect(errors![0]!.extensions.code).toBe('UNAUTHENTICATED');
  });

  it('may do what its role allows at the time, and nothing once it is deleted', async () => {
    const { ref, secret } = await createAccount('VIEWER');
    const input = { component: { componentId: all.component.componentId }, description: unique('text') };
    const act = () => attempt(trellis, 'updateComponent', input, '__typename', secret);
    expect((await act()).code).toBe('FORBIDDEN');
    await succeed(trellis, 'updateServiceAccount', { serviceAccount: ref, role: 'DEVELOPER' }, '__typename');
    expect((await act()).__typename).toBe('UpdateComponentPayload');
    const { plan } = await succeed(
      trellis,
      'deleteServiceAccount',
      { serviceAccount: ref },
      'plan { action objectType }',
    );
    expect(plan).toEqual([
      { action: 'access_token.revoke', objectType: 'AccessToken' },
      { action: 'service_account.delete', objectType: 'ServiceAccount' },
    ]);
    const { errors } = await trellis.graphql(viewer, {}, secret);
    expect(errors![0]!.extensions.code).toBe('UNAUTHENTICATED');
  });

  it('is made and changed by admins of its team, and seen by its members', async () => {
    const { ref, id, name } = await createAccount();
    const developer = await createMember(trellis, all.team.teamId, 'DEVELOPER');
    const outsider = await createPerson(trellis);
    const inputs: [string, object][] = [
      ['createServiceAccount', { team: team(), name: unique('robot'), role: 'VIEWER' }],
      ['updateServiceAccount', { serviceAccount: ref, name: unique('robot') }],
      ['deleteServiceAccount', { serviceAccount: ref }],
      ['createAccessToken', { name: 'x', serviceAccount: ref }],
    ];
    for (const [mutation, input] of inputs) {
      expect((await attempt(trellis, mutation, input, '__typename', developer.token)).code).toBe('FORBIDDEN');
      expect((await attempt(trellis, mutation, input, '__typename', outsider.token)).code).toBe('NOT_FOUND');
    }
    const query = `{ team(by: { teamId: "${all.team.teamId}" }) { serviceAccounts(first: 100) { nodes { id name accessTokens { nodes { name } } } } members(first: 100) { nodes { user { nickName } } } } }`;
    const { data, errors } = await trellis.graphql(query, {}, developer.token);
    const nodes = data.team.serviceAccounts.nodes;
    expect(nodes.find((each: any) => each.id === id)).toEqual({ id, name, accessTokens: null });
    expect(errors![0]!.extensions.code).toBe('FORBIDDEN');
    expect(JSON.stringify(data.team.members)).not.toContain(name);
    const taken = { team: team(), name, role: 'VIEWER' };
    expect(await attempt(trellis, 'createServiceAccount', taken)).toMatchObject({
      code: 'CONFLICT',
      message: `The team ${all.team.name} already has a service account named ${name}.`,
    });
  });

  it('has no account of its own to change', async () => {
    const { secret, ref } = await createAccount('ADMIN');
    const refused = await attempt(trellis, 'updateUser', { nickName: 'x' }, '__typename', secret);
    expect(refused).toMatchObject({ code: 'INVALID_INPUT', issues: [{ path: ['input', 'user'] }] });
    expect((await attempt(trellis, 'createAccessToken', { name: 'x' }, '__typename', secret)).code).toBe(
      'INVALID_INPUT',
    );
    // As an admin of the team, it may make tokens for service accounts, for itself as well.
    await succeed(trellis, 'createAccessToken', { name: 'x', serviceAccount: ref }, '__typename', secret);
  });

  it('gives no role that allows more than its own, and gets none from those who may do less', async () => {
    const { secret } = await createAccount('ADMIN');
    const person = await createPerson(trellis);
    const owner = { team: team(), user: { email: person.email }, role: 'OWNER' };
    expect((await attempt(trellis, 'addTeamMember', owner, '__typename', secret)).code).toBe('FORBIDDEN');
    await succeed(trellis, 'addTeamMember', { ...owner, role: 'VIEWER' }, '__typename', secret);
  });

  it('repeats a request with an Idempotency-Key', async () => {
    const { secret } = await createAccount();
    const input = { team: team(), region: { name: all.region.name }, name: unique('app') };
    const send = async () => {
      const response = await fetch(`${trellis.url}/graphql`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${secret}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': `key-${input.name}`,
        },
        body: JSON.stringify({
          query:
            'mutation($input: CreateApplicationInput!) { createApplication(input: $input) { ... on CreateApplicationPayload { application { appId: uid } } ... on Error { code } } }',
          variables: { input },
        }),
      });
      return { replayed: response.headers.get('idempotent-replayed'), body: await response.json() };
    };
    const first = await send();
    const second = await send();
    expect(second.body).toEqual(first.body);
    expect([first.replayed, second.replayed]).toEqual([null, 'true']);
  });
});
