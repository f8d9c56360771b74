import { describe, expect, it } from 'vitest';
import { createSimulatedRegion } from '../../../src/drivers/region/simulated/simulated.ts';
import { unique } from '../../support/fixtures.ts';
import { once } from '../../support/once.ts';
import { ringTemplate } from '../../support/templates.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis({ drivers: [createSimulatedRegion()] });

const fields = 'action objectType objectName application { name } component { name }';

interface Found {
  totalCount: number;
  nodes: {
    action: string;
    objectType: string;
    objectName: string | null;
    application: any;
    component: any;
  }[];
}

const ofApplication = async (appId: number, args = '', token?: string): Promise<Found> =>
  (
    await trellis.data(
      `{ application(by: { appId: ${appId} }) { events(first: 100${args}) { totalCount nodes { ${fields} } } } }`,
      {},
      token,
    )
  ).application.events;

const ofComponent = async (componentId: string, args = ''): Promise<Found> =>
  (
    await trellis.data(
      `{ component(by: { componentId: "${componentId}" }) { events(first: 100${args}) { totalCount nodes { ${fields} } } } }`,
    )
  ).component.events;

const nickNameOf = ({ email }: { email: string }) => email.split('@')[0];
const actionsOf = ({ nodes }: Found) => nodes.map(({ action }) => action);
const namesOf = ({ nodes }: Found) => nodes.map(({ action, objectName }) => `${action} ${objectName}`);

/** An application with two components, to whose parts something was done. */
async function createHistory() {
  const place = await trellis.createPlace();
  const { appId } = await trellis.createApplication(place, unique('shop'));
  const web = await trellis.createComponent(appId, { name: 'Web' });
  const other = await trellis.createComponent(appId, { name: 'Other' });
  const component = { componentId: web.componentId };
  const port = await trellis.addPort(web.componentId, 8080);
  await trellis.succeed('openOuterService', { port: { id: port.id } }, '__typename');
  await trellis.succeed('closeOuterService', { port: { id: port.id } }, '__typename');
  await trellis.succeed('setVariables', { component, set: [{ name: 'MODE', value: 'dark' }] }, '__typename');
  const { volume } = await trellis.succeed(
    'addVolume',
    { component, name: 'data', path: '/data', type: 'local' },
    'volume { id }',
  );
  await trellis.succeed('deleteVolume', { volume: { id: volume.id } }, '__typename');
  await trellis.succeed('deletePort', { port: { id: port.id } }, '__typename');
  return { place, appId, component, other };
}

describe('the events of a component', () => {
  it('are those of everything in it, also of what was deleted, with the names that it had', async () => {
    const { component, other } = await createHistory();
    const found = await ofComponent(component.componentId);
    expect(namesOf(found)).toEqual([
      'port.delete 8080',
      expect.stringMatching(/^domain\.release 8080\./),
      expect.stringMatching(/^http_rule\.delete 8080\./),
      'volume.delete data',
      'volume.add data',
      'component.set_variables Web',
      'port.close_outer 8080',
      expect.stringMatching(/^http_rule\.unpublish 8080\./),
      'port.open_outer 8080',
      expect.stringMatching(/^http_rule\.create 8080\./),
      'port.add 8080',
      'component.create Web',
    ]);
    expect(found.totalCount).toBe(12);
    expect(new Set(found.nodes.map(({ component }) => component.name))).toEqual(new Set(['Web']));
    expect(namesOf(await ofComponent(other.componentId))).toEqual(['component.create Other']);
  });

  it('are filtered like others', async () => {
    const { component } = await createHistory();
    const ports = await ofComponent(component.componentId, ', objectType: "Port"');
    expect(actionsOf(ports)).toEqual(['port.delete', 'port.close_outer', 'port.open_outer', 'port.add']);
    const none = await ofComponent(component.componentId, ', since: "2099-01-01T00:00:00Z"');
    expect(none).toEqual({ totalCount: 0, nodes: [] });
  });
});

describe('the events of an application', () => {
  it('are its own and those of everything in it, also of deleted components', async () => {
    const { appId, component, other } = await createHistory();
    const before = await ofApplication(appId);
    expect(before.totalCount).toBe(14);
    expect(actionsOf(before)).toContain('application.create');
    expect(namesOf(before)).toContain('component.create Other');
    await trellis.succeed('deleteComponent', { component }, '__typename');
    const after = await ofApplication(appId);
    expect(after.totalCount).toBe(15);
    expect(namesOf(after)).toEqual(
      expect.arrayContaining(['component.set_variables Web', 'component.delete Web']),
    );
    expect(after.nodes[0]).toMatchObject({ action: 'component.delete', component: null });
    expect(after.nodes.find(({ action }) => action === 'component.create')).toMatchObject({
      component: { name: 'Other' },
    });
    expect(other.componentId).toBeTruthy();
  });

  it('have installs, and jobs that were cancelled', async () => {
    const { application } = await trellis.createAll();
    const { text, key } = ringTemplate(1);
    await trellis.succeed('publishTemplate', { template: text }, '__typename');
    const store = { url: trellis.url, domain: 'self', accessKey: trellis.adminToken };
    const input = { application: { appId: application.appId }, store, templateId: key, version: '1.0.0' };
    await trellis.succeed('installApplication', input, '__typename');
    expect(actionsOf(await ofApplication(application.appId))).toContain('application.install');

    const { place, appId, component } = await createHistory();
    await trellis.services.db.transaction((tx) =>
      tx.region.update({ where: { id: place.region.regionId }, data: { driver: 'simulated' } }),
    );
    const { job } = await trellis.succeed('deployComponent', { component }, 'job { id }');
    await trellis.succeed('cancelJob', { job: { id: job.id } }, '__typename');
    expect((await ofApplication(appId)).nodes[0]).toMatchObject({
      action: 'job.cancel',
      objectName: null,
    });
  });

  it('are those of the components that the caller may see', async () => {
    const { appId, other } = await createHistory();
    const grants = [{ actions: ['READ'], component: { componentId: other.componentId } }];
    const { secret } = await trellis.succeed('createAccessToken', { name: 'narrow', grants }, 'secret');
    const found = await ofApplication(appId, '', secret);
    expect(namesOf(found)).toEqual(['component.create Other']);
    expect(found.totalCount).toBe(1);
  });

  once('take as many statements for many applications as for one', async () => {
    const never = { lastUsedAt: new Date(Date.now() + 3_600_000) };
    const [one, other] = [await createHistory(), await createHistory()];
    const token = async (...places: (typeof one.place)[]) => {
      const member = await trellis.createMember(places[0]!.team.teamId, 'VIEWER');
      for (const { team } of places.slice(1)) {
        const input = { team: { teamId: team.teamId }, user: { email: member.email }, role: 'VIEWER' };
        await trellis.succeed('addTeamMember', input, '__typename');
      }
      return member.token;
    };
    const [few, many] = [await token(one.place), await token(one.place, other.place)];
    await trellis.services.db.transaction((tx) => tx.accessToken.updateMany({ data: never }));
    const query = `{ applications { totalCount nodes { events { totalCount nodes { action at } }
      components { nodes { events { totalCount nodes { action at } } } } } } }`;
    const statementsFor = async (secret: string) => {
      await trellis.data(query, {}, secret);
      trellis.statements.length = 0;
      const { applications } = await trellis.data(query, {}, secret);
      return [applications.totalCount, trellis.statements.length];
    };
    expect(await statementsFor(few)).toEqual([1, expect.any(Number)]);
    const [[, fewStatements], [count, manyStatements]] = [
      await statementsFor(few),
      await statementsFor(many),
    ];
    expect(count).toBe(2);
    expect(manyStatements).toBe(fewStatements);
  });
});

describe('the names in events', () => {
  it('are those of members, templates, tokens and accounts', async () => {
    const place = await trellis.createPlace();
    const team = { teamId: place.team.teamId };
    const member = await trellis.createMember(team.teamId, 'VIEWER');
    const user = { email: member.email };
    await trellis.succeed('changeTeamMemberRole', { team, user, role: 'DEVELOPER' }, '__typename');
    const account = { team, name: 'pipeline', role: 'DEVELOPER' };
    const { serviceAccount } = await trellis.succeed(
      'createServiceAccount',
      account,
      'serviceAccount { serviceAccountId: uid }',
    );
    const token = await trellis.succeed(
      'createAccessToken',
      { name: 'deploys', serviceAccount },
      'accessToken { tokenId: uid } secret',
    );
    await trellis.createApplication(place, 'by a person');
    const { application } = await trellis.succeed(
      'createApplication',
      { team, region: { regionId: place.region.regionId }, name: 'by a pipeline' },
      'application { appId: uid }',
      token.secret,
    );
    await trellis.createComponent(application.appId);
    await trellis.succeed(
      'publishApplication',
      { application, version: '1.0.0', name: 'Catalogue' },
      '__typename',
    );
    await trellis.succeed(
      'revokeAccessToken',
      { token: { tokenId: token.accessToken.tokenId } },
      '__typename',
    );
    await trellis.succeed('deleteServiceAccount', { serviceAccount }, '__typename');
    await trellis.succeed('removeTeamMember', { team, user }, '__typename');
    const events = async (secret?: string) => {
      const { team: found } = await trellis.data(
        `{ team(by: { teamId: "${team.teamId}" }) { events(first: 100) { nodes {
          action objectName accessToken { name } object { __typename } } } } }`,
        {},
        secret,
      );
      return found.events.nodes as { action: string; objectName: string; accessToken: any }[];
    };
    const named = (await events()).map(({ action, objectName }) => [action, objectName]);
    expect(named).toEqual(
      expect.arrayContaining([
        ['team.add_member', nickNameOf(member)],
        ['team.change_member_role', nickNameOf(member)],
        ['team.remove_member', nickNameOf(member)],
        ['service_account.create', 'pipeline'],
        ['service_account.delete', 'pipeline'],
        ['access_token.create', 'deploys'],
        ['access_token.revoke', 'deploys'],
        ['application.create', 'by a pipeline'],
        ['template.publish', 'Catalogue'],
      ]),
    );
  });

  it('of tokens are for those who may read the tokens', async () => {
    const place = await trellis.createPlace();
    const team = { teamId: place.team.teamId };
    const colleague = await trellis.createMember(team.teamId, 'DEVELOPER');
    const author = await trellis.createMember(team.teamId, 'DEVELOPER');
    const own = await trellis.succeed('createAccessToken', { name: 'laptop' }, 'secret', author.token);
    await trellis.succeed(
      'createApplication',
      { team, region: { regionId: place.region.regionId }, name: 'named' },
      '__typename',
      own.secret,
    );
    const tokenOf = async (secret?: string) => {
      const query = `{ team(by: { teamId: "${team.teamId}" }) { events(first: 1) { nodes { action user { email } accessToken { name } } } } }`;
      return (await trellis.data(query, {}, secret)).team.events.nodes[0];
    };
    const made = { action: 'application.create', user: { email: author.email } };
    expect(await tokenOf()).toEqual({ ...made, accessToken: { name: 'laptop' } });
    expect(await tokenOf(author.token)).toEqual({ ...made, accessToken: { name: 'laptop' } });
    expect(await tokenOf(colleague.token)).toEqual({ ...made, accessToken: null });
  });

  it('of people who have left stay, for those who may read the whole record', async () => {
    const place = await trellis.createPlace();
    const team = { teamId: place.team.teamId };
    const [left, stays] = [
      await trellis.createMember(team.teamId, 'DEVELOPER'),
      await trellis.createMember(team.teamId, 'VIEWER'),
    ];
    const { application } = await trellis.succeed(
      'createApplication',
      { team, region: { regionId: place.region.regionId }, name: 'left' },
      'application { uid }',
      left.token,
    );
    await trellis.succeed('removeTeamMember', { team, user: { email: left.email } }, '__typename');
    const limited = await trellis.succeed(
      'createAccessToken',
      { name: 'limited', grants: [{ application: { appId: application.uid }, actions: ['READ'] }] },
      'secret',
      stays.token,
    );
    const query = `{ team(by: { teamId: "${team.teamId}" }) { events(first: 100) { nodes {
      action objectName actorName summary actor { __typename } } } } }`;
    const events = async (token?: string) => {
      const { nodes } = (await trellis.data(query, {}, token)).team.events;
      const found = (action: string) => nodes.find((each: { action: string }) => each.action === action);
      return { removed: found('team.remove_member'), created: found('application.create') };
    };
    const name = nickNameOf(left);
    const summary = `${name} is no longer a member`;
    for (const token of [undefined, stays.token]) {
      const { removed, created } = await events(token);
      expect(removed).toMatchObject({ objectName: name, actorName: 'admin', summary });
      expect(created).toMatchObject({ actorName: name });
    }
    expect((await events(stays.token)).created).toMatchObject({ actor: null });
    expect((await events(limited.secret)).created).toMatchObject({ actor: null, actorName: null });
  });

  it('of service accounts stay when they are deleted', async () => {
    const place = await trellis.createPlace();
    const team = { teamId: place.team.teamId };
    const account = await trellis.succeed(
      'createServiceAccount',
      { team, name: 'pipeline', role: 'DEVELOPER' },
      'serviceAccount { uid }',
    );
    const serviceAccount = { serviceAccountId: account.serviceAccount.uid };
    const { secret } = await trellis.succeed('createAccessToken', { name: 'ci', serviceAccount }, 'secret');
    await trellis.succeed(
      'createApplication',
      { team, region: { regionId: place.region.regionId }, name: 'made' },
      '__typename',
      secret,
    );
    await trellis.succeed('deleteServiceAccount', { serviceAccount }, '__typename');
    const { nodes } = (
      await trellis.data(
        `{ team(by: { teamId: "${team.teamId}" }) { events(first: 100, action: "application.create") { nodes { actorName actor { __typename } } } } }`,
      )
    ).team.events;
    expect(nodes).toEqual([{ actorName: 'pipeline', actor: null }]);
  });
});
