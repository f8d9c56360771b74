import { beforeAll, describe, expect, it } from 'vitest';
import { type Person, type Place, unique } from '../../support/fixtures.ts';
import { simulatedInstance } from '../../support/instances.ts';
import { useTrellis } from '../../support/trellis.ts';
import { webhookInput } from '../../support/webhooks.ts';

const trellis = useTrellis();
let place: Place;
let developer: Person;
let own: { appId: number; componentId: string; beside: string };
let other: { appId: number; componentId: string };
beforeAll(async () => {
  place = await trellis.createPlace();
  developer = await trellis.createMember(place.team.teamId, 'DEVELOPER');
  const { appId } = await trellis.createApplication(place);
  const part = async (of: number) => (await trellis.createComponent(of)).componentId;
  own = { appId, componentId: await part(appId), beside: await part(appId) };
  const second = await trellis.createApplication(place);
  other = { appId: second.appId, componentId: await part(second.appId) };
});

async function tokenOf(grants: object[], more: object = {}, owner = developer.token): Promise<string> {
  const input = { name: 'narrow', grants, ...more };
  return (await trellis.succeed('createAccessToken', input, 'secret', owner)).secret;
}

const deploying = (componentId: string) => ({ component: { componentId } });
const codeOf = async (mutation: string, input: object, token: string) =>
  (await trellis.attempt(mutation, input, '__typename', token)).code ?? 'ok';

describe('a grant', () => {
  it('holds for a component', async () => {
    const component = { componentId: own.componentId };
    const token = await tokenOf([
      { actions: ['DEPLOY_COMPONENT', 'UPDATE_APPLICATION', 'DEPLOY_APPLICATION'], component },
    ]);
    expect(await codeOf('deployComponent', deploying(own.componentId), token)).toBe('ok');
    expect(await codeOf('deployComponent', deploying(own.beside), token)).toBe('NOT_FOUND');
    expect(await codeOf('deployComponent', deploying(other.componentId), token)).toBe('NOT_FOUND');
    // The application is more than the component.
    expect(await codeOf('deployApplication', { application: { appId: own.appId } }, token)).toBe('FORBIDDEN');
    expect(await codeOf('deployApplication', { application: { appId: other.appId } }, token)).toBe(
      'NOT_FOUND',
    );
  });

  it('holds for an application', async () => {
    const application = { appId: own.appId };
    const token = await tokenOf([
      { actions: ['DEPLOY_COMPONENT', 'DEPLOY_APPLICATION', 'CREATE_APPLICATION'], application },
    ]);
    expect(await codeOf('deployComponent', deploying(own.beside), token)).toBe('ok');
    expect(await codeOf('deployApplication', { application }, token)).toBe('ok');
    expect(await codeOf('deployComponent', deploying(other.componentId), token)).toBe('NOT_FOUND');
    const creating = {
      team: { teamId: place.team.teamId },
      region: { name: place.region.name },
      name: unique('x'),
    };
    expect(await codeOf('createApplication', creating, token)).toBe('FORBIDDEN');
  });

  it('holds for a team', async () => {
    const elsewhere = await trellis.createPlace();
    const admin = await tokenOf(
      [{ actions: ['CREATE_APPLICATION', 'SET_TEAM_QUOTA'], team: { teamId: place.team.teamId } }],
      {},
      trellis.adminToken,
    );
    const creating = ({ team, region }: Place) => ({
      team: { teamId: team.teamId },
      region: { name: region.name },
      name: unique('app'),
    });
    expect(await codeOf('createApplication', creating(place), admin)).toBe('ok');
    expect(await codeOf('createApplication', creating(elsewhere), admin)).toBe('NOT_FOUND');
    const { name: _, ...quota } = creating(place);
    expect(await codeOf('setTeamQuota', quota, admin)).toBe('ok');
    const { teams, viewer } = await trellis.data(
      '{ teams { nodes { name } } viewer { enterprise { teams { totalCount } } } }',
      {},
      admin,
    );
    expect(teams.nodes).toEqual([{ name: place.team.name }]);
    expect(viewer.enterprise.teams.totalCount).toBe(1);
  });

  it('adds to the others of the token', async () => {
    const token = await tokenOf([
      { actions: ['DEPLOY_COMPONENT'], component: { componentId: own.componentId } },
      { actions: ['SET_VARIABLES'], application: { appId: other.appId } },
    ]);
    const setting = (componentId: string) => ({
      component: { componentId },
      set: [{ name: 'MODE', value: unique('value') }],
    });
    expect(await codeOf('deployComponent', deploying(own.componentId), token)).toBe('ok');
    expect(await codeOf('setVariables', setting(own.componentId), token)).toBe('FORBIDDEN');
    expect(await codeOf('setVariables', setting(other.componentId), token)).toBe('ok');
    expect(await codeOf('deployComponent', deploying(other.componentId), token)).toBe('FORBIDDEN');
    const { applications, components } = await trellis.data(
      '{ applications { totalCount } components { totalCount } }',
      {},
      token,
    );
    expect([applications.totalCount, components.totalCount]).toEqual([2, 2]);
  });

  it('finds applications by the state that it shows of them', async () => {
    const { appId } = await trellis.createApplication(place);
    const { componentId } = await trellis.createComponent(appId, { deploy: true });
    await trellis.createComponent(appId);
    const token = await tokenOf([{ actions: ['READ'], component: { componentId } }]);
    const query = `{
      applications { nodes { state } }
      running: applications(state: RUNNING) { totalCount }
      partly: applications(state: PARTLY_RUNNING) { totalCount }
    }`;
    const state = 'RUNNING';
    expect(await trellis.data(query, {}, token)).toEqual({
      applications: { nodes: [{ state }] },
      running: { totalCount: 1 },
      partly: { totalCount: 0 },
    });
  });

  it('ends with the rights of its owner', async () => {
    const member = await trellis.createMember(place.team.teamId, 'DEVELOPER');
    const grants = [{ actions: ['DEPLOY_COMPONENT'], component: { componentId: own.componentId } }];
    const token = await tokenOf(grants, {}, member.token);
    expect(await codeOf('deployComponent', deploying(own.componentId), token)).toBe('ok');
    const removing = { team: { teamId: place.team.teamId }, user: { userId: member.userId } };
    await trellis.succeed('removeTeamMember', removing, '__typename');
    expect(await codeOf('deployComponent', deploying(own.componentId), token)).toBe('NOT_FOUND');
  });

  it('allows to read secrets and logs by actions of their own', async () => {
    const component = { componentId: own.componentId };
    const set = [{ name: 'DB_PASSWORD', value: 'hunter2' }];
    await trellis.succeed('setVariables', { component, set }, '__typename');
    const secretOf = async (token: string) => {
      const query = `{ component(by: { componentId: "${own.componentId}" }) { variables { nodes { name value } } } }`;
      const { nodes } = (await trellis.data(query, {}, token)).component.variables;
      return nodes.find(({ name }: any) => name === 'DB_PASSWORD').value;
    };
    expect(await secretOf(await tokenOf([{ actions: ['READ', 'SET_VARIABLES'] }]))).toBeNull();
    expect(await secretOf(await tokenOf([{ actions: ['READ_SECRETS'], component }]))).toBe('hunter2');
    expect(await secretOf(developer.token)).toBe('hunter2');

    const instance = await simulatedInstance(trellis, place.team.teamId);
    const logs = async (token: string) => {
      const query = `query($ref: ComponentRef!) { component(by: $ref) { logs { lines { text } } instances { name } } }`;
      const { errors } = await trellis.graphql(query, { ref: instance.component }, token);
      return errors?.map(({ path }) => path?.join('.')) ?? [];
    };
    expect(await logs(await tokenOf([{ actions: ['READ'] }]))).toEqual([
      'component.logs',
      'component.instances',
    ]);
    expect(await logs(await tokenOf([{ actions: ['READ_LOGS'] }]))).toEqual([]);
  });

  it('costs no statement', async () => {
    const grants = [{ actions: ['READ'], application: { appId: own.appId } }];
    const narrow = await tokenOf(grants);
    const query = `{ team(by: { teamId: "${place.team.teamId}" }) { name componentCount applications { totalCount nodes { name status: state componentCount components { nodes { name ports { nodes { number } } dependencies { nodes { name } } } } } } jobs { nodes { id } } events(first: 5) { nodes { action } } } }`;
    const countFor = async (token: string, query: string) => {
      // The first request also looks the token up.
      await trellis.data(query, {}, token);
      trellis.statements.length = 0;
      await trellis.data(query, {}, token);
      // On SQLite, the length of a list is asked first if no index has what fits: a long one is read in slices.
      return trellis.statements.filter((text) => !text.startsWith('SELECT (SELECT count(*) FROM (SELECT 1'))
        .length;
    };
    const withoutStatus = query.replace(' status: state ', ' ');
    expect(await countFor(narrow, withoutStatus)).toBe(await countFor(developer.token, withoutStatus));
    // Statuses take as many statements or fewer: what the token does not see is not read.
    expect(await countFor(narrow, query)).toBeLessThanOrEqual(await countFor(developer.token, query));
    // And the same for the look-up of a token.
    const looking = async (token: string) => {
      trellis.statements.length = 0;
      await trellis.data('{ viewer { isAdministrator } }', {}, token);
      // The time of the first use is written beside the answer, so before or after it.
      return trellis.statements.filter((text) => /^select\b.*access_token/is.test(text)).length;
    };
    const [fresh, plain] = [
      await tokenOf(grants),
      (await trellis.succeed('createAccessToken', { name: 'plain' }, 'secret', developer.token)).secret,
    ];
    const lookUps = await looking(fresh);
    expect(lookUps).toBeGreaterThan(0);
    expect(lookUps).toBe(await looking(plain));
  });

  it('does not let a read-only token change anything', async () => {
    const token = await tokenOf([{ actions: ['DEPLOY_COMPONENT'] }], { isReadOnly: true });
    expect(await codeOf('deployComponent', deploying(own.componentId), token)).toBe('FORBIDDEN');
    const query = `{ component(by: { componentId: "${own.componentId}" }) { viewerCan(action: DEPLOY_COMPONENT) } }`;
    expect((await trellis.data(query, {}, token)).component.viewerCan).toBe(false);
  });

  it('is what viewerCan answers by', async () => {
    const token = await tokenOf([
      { actions: ['DEPLOY_COMPONENT'], component: { componentId: own.componentId } },
    ]);
    const query = `{ component(by: { componentId: "${own.componentId}" }) { deploy: viewerCan(action: DEPLOY_COMPONENT) stop: viewerCan(action: SET_VARIABLES) application { viewerCan(action: DEPLOY_APPLICATION) } team { viewerCan(action: CREATE_APPLICATION) } } }`;
    expect((await trellis.data(query, {}, token)).component).toEqual({
      deploy: true,
      stop: false,
      application: { viewerCan: false },
      team: { viewerCan: false },
    });
  });
});

describe('a token that ends within a day', () => {
  const inHours = (hours: number) => ({ expiresAt: new Date(Date.now() + hours * 3_600_000).toISOString() });
  const lasting = async (): Promise<[string, object][]> => {
    const { teamId } = place.team;
    const { email } = await trellis.createPerson();
    const component = {
      componentId: (await trellis.createComponent(own.appId, { opensWebhooks: true })).componentId,
    };
    return [
      ['addTeamMember', { team: { teamId }, user: { email }, role: 'VIEWER' }],
      ['createWebhook', webhookInput(teamId)],
      ['createDeployHook', { component, name: unique('hook') }],
    ];
  };

  it('opens nothing for longer unless a grant that names the action', async () => {
    const { teamId } = place.team;
    const owner = await trellis.createMember(teamId, 'OWNER');
    const make = async (input: object, by = owner.token) =>
      (await trellis.succeed('createAccessToken', { name: 'short', ...input }, 'secret', by)).secret;
    const unlimited = await make(inHours(23));
    const actions = [
      'ADD_TEAM_MEMBER',
      'CREATE_WEBHOOK',
      'CREATE_DEPLOY_HOOK',
      'DEPLOY_COMPONENT',
      'UPDATE_COMPONENT',
      'CREATE_ACCESS_TOKEN',
    ];
    const named = await make({ ...inHours(1), grants: [{ actions, team: { teamId } }] });
    const long = await make(inHours(25));
    for (const [mutation, input] of await lasting()) {
      expect([mutation, await trellis.attempt(mutation, input, '__typename', unlimited)]).toMatchObject([
        mutation,
        { code: 'FORBIDDEN', message: expect.stringContaining('a grant that names the action') },
      ]);
    }
    for (const token of [named, long]) {
      for (const [mutation, input] of await lasting()) {
        expect([mutation, await codeOf(mutation, input, token)]).toEqual([mutation, 'ok']);
      }
    }
    // Everything else is as before, and what it creates ends with it.
    const component = { componentId: own.componentId };
    expect(await codeOf('updateComponent', { component, image: 'nginx:1.28' }, unlimited)).toBe('ok');
    const passedOn = await make({}, unlimited);
    expect(await codeOf('createWebhook', webhookInput(teamId), passedOn)).toBe('FORBIDDEN');
    const grants = [{ actions: ['CREATE_WEBHOOK'], team: { teamId } }];
    expect(await codeOf('createAccessToken', { name: 'more', grants }, unlimited)).toBe('FORBIDDEN');
  });
});
