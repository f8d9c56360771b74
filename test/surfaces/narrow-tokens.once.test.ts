import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { actionsOfRole, allActions, enumName, requiredRoles } from '../../src/kernel/actions.ts';
import { type ChangeCase, everyChange } from '../support/every-change.ts';
import { type All, unique } from '../support/fixtures.ts';
import { givenAway } from '../support/given-away.ts';
import { useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();
let all: All;
let changes: Record<string, ChangeCase>;

beforeAll(async () => {
  all = await trellis.createAll();
  changes = await everyChange(trellis, all);
});

const mutations = Object.keys(schema.getMutationType()!.getFields());

/** A token of the administrator, limited to actions. */
async function tokenFor(actions: Iterable<string>, place: object = {}): Promise<string> {
  const grants = [{ actions: [...actions].map(enumName), ...place }];
  const { secret, accessToken } = await trellis.succeed(
    'createAccessToken',
    { name: 'narrow', grants },
    'secret accessToken { tokenId: uid }',
  );
  made.push(accessToken.tokenId);
  return secret;
}

/** A user has a limited number of tokens. */
const made: string[] = [];
afterEach(async () => {
  for (const tokenId of made.splice(0)) {
    await trellis.succeed('revokeAccessToken', { token: { tokenId } }, '__typename');
  }
});

describe('an access token', () => {
  it('can be limited to every mutation', () => {
    const others = ['read', 'readLogs', 'readSecrets', 'checkImage'];
    expect([...mutations, ...others].sort()).toEqual(Object.keys(requiredRoles).sort());
  });

  it.each(mutations)(
    'that allows all but %s is refused, and one that allows just that succeeds',
    async (name) => {
      const others = await tokenFor([...allActions].filter((action) => action !== name));
      const one = await tokenFor([name, ...(givenAway[name] ?? [])]);
      const input = await changes[name]!.input();
      const refused = await trellis.attempt(name, input, '__typename', others);
      expect(refused, name).toMatchObject({ code: 'FORBIDDEN' });
      const done = await trellis.attempt(name, input, '__typename', one);
      expect(done, JSON.stringify(done)).toEqual({ __typename: expect.stringMatching(/Payload$/) });
    },
  );

  it('allows no more than the role of its owner', async () => {
    const viewer = await trellis.createMember(all.team.teamId, 'VIEWER');
    const grants = [{ actions: ['DEPLOY_COMPONENT'], component: { componentId: all.component.componentId } }];
    const { secret } = await trellis.succeed(
      'createAccessToken',
      { name: 'narrow', grants },
      'secret',
      viewer.token,
    );
    const input = { component: { componentId: all.component.componentId } };
    expect(await trellis.attempt('deployComponent', input, '__typename', secret)).toMatchObject({
      code: 'FORBIDDEN',
      message: `This requires the developer role in the team ${all.team.name}, and an access token that allows the action.`,
    });
  });

  it('says what it holds', async () => {
    const component = { componentId: all.component.componentId };
    const secret = await tokenFor(['deployComponent', 'readLogs'], { component });
    const query =
      '{ viewer { isAdministrator accessTokens { totalCount } accessToken { name isReadOnly grants { actions team { name } application { name } component { name } } } } }';
    const { viewer } = await trellis.data(query, {}, secret);
    expect(viewer).toMatchObject({ isAdministrator: false, accessTokens: { totalCount: 1 } });
    const [grant] = viewer.accessToken.grants;
    expect(grant.actions.sort()).toEqual(['DEPLOY_COMPONENT', 'READ', 'READ_LOGS']);
    expect(grant).toMatchObject({
      team: { name: all.team.name },
      application: { name: all.application.name },
    });
    expect(grant.component).not.toBeNull();
  });

  it.each([
    ['no team', { actions: ['READ'] }],
    ['another action', { actions: ['STOP_COMPONENT'], component: true }],
    ['the application', { actions: ['DEPLOY_COMPONENT'], application: true }],
    ['no limits', undefined],
  ])('creates none that allows more: %s', async (_, grant) => {
    const component = { componentId: all.component.componentId };
    const secret = await tokenFor(['deployComponent'], { component });
    const places = { component, application: { appId: all.application.appId } };
    const placed = (given: Record<string, unknown>) =>
      Object.fromEntries(
        Object.entries(given).map(([field, value]) => [
          field,
          value === true ? places[field as 'component'] : value,
        ]),
      );
    const creating = await tokenFor(['createAccessToken']);
    const both = await trellis.succeed(
      'createAccessToken',
      {
        name: 'both',
        grants: [{ actions: ['CREATE_ACCESS_TOKEN'] }, { actions: ['DEPLOY_COMPONENT'], component }],
      },
      'secret accessToken { grants { actions } }',
    );
    // A grant without a place includes READ everywhere.
    const input = { name: 'more', ...(grant && { grants: [placed(grant)] }) };
    for (const token of [secret, creating, both.secret]) {
      const result = await trellis.attempt(
        'createAccessToken',
        input,
        'accessToken { grants { actions } }',
        token,
      );
      if (token === secret) expect(result).toMatchObject({ code: 'FORBIDDEN' });
      else if (grant === undefined) {
        // It has the grants of the token that creates it.
        expect(result.accessToken.grants.length).toBeGreaterThan(0);
      } else if (grant.actions[0] === 'READ') expect(result.__typename).toBe('CreateAccessTokenPayload');
      else
        expect(result).toMatchObject({
          code: 'FORBIDDEN',
          message: 'An access token cannot create another one with more rights than its own.',
        });
    }
  });

  it('cannot make somebody who may do more', async () => {
    const { teamId } = all.team;
    const team = { teamId };
    const person = await trellis.createPerson();
    const secret = await tokenFor(['addTeamMember', 'createServiceAccount', 'changeTeamMemberRole'], {
      team,
    });
    const added = await trellis.attempt(
      'addTeamMember',
      { team, user: { email: person.email }, role: 'DEVELOPER' },
      '__typename',
      secret,
    );
    expect(added).toMatchObject({ code: 'FORBIDDEN' });
    const account = { team, name: 'robot', role: 'ADMIN' };
    expect(await trellis.attempt('createServiceAccount', account, '__typename', secret)).toMatchObject({
      code: 'FORBIDDEN',
    });
    const users = await tokenFor(['createUser', 'updateUser']);
    const user = { email: `${person.userId}@other.example`, nickName: 'x', isAdministrator: true };
    expect(await trellis.attempt('createUser', user, '__typename', users)).toMatchObject({
      code: 'FORBIDDEN',
    });
    const promoted = { user: { userId: person.userId }, isAdministrator: true };
    expect(await trellis.attempt('updateUser', promoted, '__typename', users)).toMatchObject({
      code: 'FORBIDDEN',
    });
  });

  it('cannot give the owner role of a new team, or an account that is not active, to somebody', async () => {
    const person = await trellis.createPerson();
    const user = { userId: person.userId };
    const narrow = await tokenFor(['createTeam', 'updateUser']);
    const team = { name: unique('team'), owner: user };
    expect(await trellis.attempt('createTeam', team, '__typename', narrow)).toMatchObject({
      code: 'FORBIDDEN',
      message: 'This access token cannot grant more rights than its own.',
    });
    await trellis.succeed('createTeam', { name: unique('team') }, '__typename', narrow);
    await trellis.succeed('updateUser', { user, isActive: false }, '__typename', narrow);
    const activated = { user, isActive: true };
    expect(await trellis.attempt('updateUser', activated, '__typename', narrow)).toMatchObject({
      code: 'FORBIDDEN',
      message: 'This access token cannot grant more rights than its own.',
    });
    const wide = await tokenFor(allActions);
    await trellis.succeed('updateUser', activated, '__typename', wide);
    const owners = await tokenFor(['createTeam', ...actionsOfRole('owner')]);
    await trellis.succeed('createTeam', team, '__typename', owners);
  });

  it('reads the credentials of a region if it may change the region', async () => {
    const query = `{ region(by: { name: "${all.region.name}" }) { credentials { token } viewerCan(action: UPDATE_REGION) } }`;
    const region = { region: { name: all.region.name }, credentials: { token: 'of the cluster' } };
    await trellis.succeed('updateRegion', region, '__typename');
    const found = async (...actions: string[]) =>
      (await trellis.data(query, {}, await tokenFor(actions))).region;
    const seen = { credentials: { token: 'of the cluster' }, viewerCan: true };
    expect(await found('updateRegion')).toEqual(seen);
    for (const action of ['read', 'deleteRegion', 'createTeam']) {
      const region = await found(action);
      expect([region.credentials?.token ?? null, region.viewerCan]).toEqual([null, false]);
    }
  });

  it('of a service account allows no more than its creator may do, whatever the grants name', async () => {
    const team = { teamId: all.team.teamId };
    const { serviceAccount } = await trellis.succeed(
      'createServiceAccount',
      { team, name: unique('robot'), role: 'ADMIN' },
      'serviceAccount { serviceAccountId: uid }',
    );
    const { role } = await trellis.succeed(
      'createRole',
      { name: unique('role'), actions: ['CREATE_ACCESS_TOKEN'] },
      'role { roleId: uid }',
    );
    const person = await trellis.createPerson();
    const user = { email: person.email };
    await trellis.succeed('addTeamMember', { team, user, customRole: role }, '__typename');
    // The token names more than its owner has.
    const grants = [{ actions: [...allActions].map(enumName) }];
    const wide = await trellis.succeed('createAccessToken', { name: 'wide', grants }, 'secret', person.token);
    const forAccount = { name: 'robot', serviceAccount };
    for (const token of [person.token, wide.secret]) {
      expect(await trellis.attempt('createAccessToken', forAccount, '__typename', token)).toMatchObject({
        code: 'FORBIDDEN',
      });
    }
    const narrow = { ...forAccount, grants: [{ actions: ['READ'], team }] };
    for (const token of [person.token, wide.secret]) {
      await trellis.succeed('createAccessToken', narrow, '__typename', token);
    }
  });

  it('is refused with grants that name several places, an unknown action or a hidden object', async () => {
    const team = { teamId: all.team.teamId };
    const application = { appId: all.application.appId };
    const several = { name: 'x', grants: [{ actions: ['READ'], team, application }] };
    expect(await trellis.attempt('createAccessToken', several)).toMatchObject({ code: 'INVALID_INPUT' });
    const outsider = await trellis.createPerson();
    const hidden = { name: 'x', grants: [{ actions: ['READ'], team }] };
    expect(await trellis.attempt('createAccessToken', hidden, '__typename', outsider.token)).toMatchObject({
      code: 'NOT_FOUND',
    });
    const { errors } = await trellis.graphql(
      'mutation { createAccessToken(input: { name: "x", grants: [{ actions: [FLY] }] }) { __typename } }',
    );
    expect(errors![0]!.message).toContain('Action');
  });
});
