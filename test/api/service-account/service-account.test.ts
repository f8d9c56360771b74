import { beforeAll, describe, expect, it } from 'vitest';
import { type All, unique } from '../../support/fixtures.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let all: All;
beforeAll(async () => {
  all = await trellis.createAll();
});

const team = () => ({ teamId: all.team.teamId });

async function createAccount(role = 'DEVELOPER', token?: string) {
  const name = unique('robot');
  const { serviceAccount } = await trellis.succeed(
    'createServiceAccount',
    { team: team(), name, role },
    'serviceAccount { serviceAccountId: uid id }',
    token,
  );
  const ref = { serviceAccountId: serviceAccount.serviceAccountId as string };
  const created = await trellis.succeed(
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
    const { application } = await trellis.succeed(
      'createApplication',
      input,
      'application { appId: uid principal }',
      secret,
    );
    expect(application.principal).toBe(name);
    const part = { application: { appId: application.appId }, name: 'web', image: 'web:1', deploy: true };
    const { component, job } = await trellis.succeed(
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
    const admin = await trellis.createMember(all.team.teamId, 'ADMIN');
    const { secret } = await createAccount('VIEWER', admin.token);
    const leaving = { user: { userId: admin.userId }, isActive: false };
    await trellis.succeed('updateUser', leaving, '__typename');
    expect((await trellis.data(viewer, {}, secret)).viewer.serviceAccount.role).toBe('VIEWER');
    const { errors } = await trellis.graphql(viewer, {}, admin.token);
    expect(errors![0]!.extensions.code).toBe('UNAUTHENTICATED');
  });

  it('may do what its role allows at the time, and nothing once it is deleted', async () => {
    const { ref, secret } = await createAccount('VIEWER');
    const input = { component: { componentId: all.component.componentId }, description: unique('text') };
    const act = () => trellis.attempt('updateComponent', input, '__typename', secret);
    expect((await act()).code).toBe('FORBIDDEN');
    await trellis.succeed('updateServiceAccount', { serviceAccount: ref, role: 'DEVELOPER' }, '__typename');
    expect((await act()).__typename).toBe('UpdateComponentPayload');
    const { plan } = await trellis.succeed(
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
    const developer = await trellis.createMember(all.team.teamId, 'DEVELOPER');
    const outsider = await trellis.createPerson();
    const inputs: [string, object][] = [
      ['createServiceAccount', { team: team(), name: unique('robot'), role: 'VIEWER' }],
      ['updateServiceAccount', { serviceAccount: ref, name: unique('robot') }],
      ['deleteServiceAccount', { serviceAccount: ref }],
      ['createAccessToken', { name: 'x', serviceAccount: ref }],
    ];
    for (const [mutation, input] of inputs) {
      expect((await trellis.attempt(mutation, input, '__typename', developer.token)).code).toBe('FORBIDDEN');
      expect((await trellis.attempt(mutation, input, '__typename', outsider.token)).code).toBe('NOT_FOUND');
    }
    const query = `{ team(by: { teamId: "${all.team.teamId}" }) { serviceAccounts(first: 100) { nodes { id name accessTokens { nodes { name } } } } members(first: 100) { nodes { user { nickName } } } } }`;
    const { data, errors } = await trellis.graphql(query, {}, developer.token);
    const nodes = data.team.serviceAccounts.nodes;
    expect(nodes.find((each: any) => each.id === id)).toEqual({ id, name, accessTokens: null });
    expect(errors![0]!.extensions.code).toBe('FORBIDDEN');
    expect(JSON.stringify(data.team.members)).not.toContain(name);
    const taken = { team: team(), name, role: 'VIEWER' };
    expect(await trellis.attempt('createServiceAccount', taken)).toMatchObject({
      code: 'CONFLICT',
      message: `The team ${all.team.name} already has a service account named ${name}.`,
    });
  });

  it('has no account of its own to change', async () => {
    const { secret, ref } = await createAccount('ADMIN');
    const refused = await trellis.attempt('updateUser', { nickName: 'x' }, '__typename', secret);
    expect(refused).toMatchObject({ code: 'INVALID_INPUT', issues: [{ path: ['input', 'user'] }] });
    expect((await trellis.attempt('createAccessToken', { name: 'x' }, '__typename', secret)).code).toBe(
      'INVALID_INPUT',
    );
    // As an admin of the team, it may make tokens for service accounts, for itself as well.
    await trellis.succeed('createAccessToken', { name: 'x', serviceAccount: ref }, '__typename', secret);
  });

  it('gives no role that allows more than its own, and gets none from those who may do less', async () => {
    const { secret } = await createAccount('ADMIN');
    const person = await trellis.createPerson();
    const owner = { team: team(), user: { email: person.email }, role: 'OWNER' };
    expect((await trellis.attempt('addTeamMember', owner, '__typename', secret)).code).toBe('FORBIDDEN');
    await trellis.succeed('addTeamMember', { ...owner, role: 'VIEWER' }, '__typename', secret);
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
