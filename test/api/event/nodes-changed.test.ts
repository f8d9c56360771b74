import { beforeAll, describe, expect, it } from 'vitest';
import { createSimulatedRegion } from '../../../src/drivers/region/simulated/simulated.ts';
import { unique } from '../../support/fixtures.ts';
import { createJobPlace, type JobPlace, submit } from '../../support/jobs.ts';
import { type SentItem, type SubscribeOptions, subscribe, until } from '../../support/subscribe.ts';
import { useTrellis } from '../../support/trellis.ts';

const document = `subscription Changed($ids: [ID!]!) {
  nodesChanged(ids: $ids) {
    nodeId
    node { __typename ... on Team { alias } ... on Application { note } ... on Job { status } }
  }
}`;

const trellis = useTrellis({ drivers: [createSimulatedRegion({ delayMs: 100 })], jobs: {} });
let place: JobPlace;
beforeAll(async () => {
  place = await createJobPlace(trellis, 'simulated', 1);
});

const idOf = (type: string, id: string | number) => Buffer.from(`${type}:${id}`).toString('base64url');
const follow = (ids: string[], options: SubscribeOptions = {}) =>
  subscribe(trellis, document, { variables: { ids }, ...options });
const changeOf = (item: SentItem | undefined) => item?.data?.data?.nodesChanged;
const codeOf = (item: SentItem | undefined) => item?.data?.errors?.[0].extensions.code;

const rename = ({ teamId }: { teamId: string }, alias = unique('alias')) =>
  trellis.succeed('updateTeam', { team: { teamId }, alias }, 'team { id alias }').then(({ team }) => team);
const setNote = (appId: number, note = unique('note')) =>
  trellis
    .succeed('updateApplication', { application: { appId }, note }, 'application { id note }')
    .then(({ application }) => application);
const inOwnRegion = () => ({ team: place.team, region: place.region });

describe('nodesChanged', () => {
  it('sends teams, applications and jobs after each change, and nothing of others', async () => {
    const [one, other] = [await trellis.createTeam(), await trellis.createTeam()];
    const job = await submit(trellis, place);
    const ids = [idOf('Team', one.teamId), idOf('Application', place.appId), idOf('Job', job.id)];
    const subscription = await follow(ids);
    expect(subscription.status).toBe(200);
    await rename(other);
    const { id, alias } = await rename(one);
    const application = await setNote(place.appId);
    const items = [
      ...(await until(subscription, (item) => changeOf(item).node.alias === alias)),
      ...(await until(subscription, (item) => changeOf(item).node.note === application.note)),
    ];
    if (!items.some((item) => changeOf(item).node.status === 'SUCCEEDED')) {
      items.push(...(await until(subscription, (item) => changeOf(item).node.status === 'SUCCEEDED')));
    }
    subscription.close();
    expect(items.map((item) => changeOf(item)).filter(({ node }) => node.alias)).toEqual([
      { nodeId: id, node: { __typename: 'Team', alias } },
    ]);
    expect(new Set(items.map((item) => changeOf(item).nodeId))).toEqual(new Set(ids));
    expect(items.every((item) => item.id)).toBe(true);
  });

  it('sends the state after the last of many changes of an object, without losing those of others', async () => {
    const team = await trellis.createTeam();
    const subscription = await follow([idOf('Application', place.appId), idOf('Team', team.teamId)]);
    await Promise.all(Array.from({ length: 30 }, () => setNote(place.appId)));
    const { alias } = await rename(team);
    const { note } = await setNote(place.appId);
    const items = await until(subscription, (item) => changeOf(item).node.note === note);
    expect(items.length).toBeLessThanOrEqual(32);
    if (!items.some((item) => changeOf(item).node.alias === alias)) {
      await until(subscription, (item) => changeOf(item).node.alias === alias);
    }
    subscription.close();
  });

  it('sends all objects first to a client that was interrupted', async () => {
    const team = await trellis.createTeam();
    const ids = [idOf('Team', team.teamId), idOf('Application', place.appId)];
    const first = await follow(ids);
    await expect.poll(() => first.lastId()).toBeDefined();
    first.close();
    const { alias } = await rename(team);
    const again = await follow(ids, { lastEventId: first.lastId() });
    const items = [await again.next(), await again.next()].map(changeOf);
    expect(items.map(({ nodeId }) => nodeId)).toEqual(ids);
    expect(items[0].node.alias).toBe(alias);
    again.close();
  });

  it('reports that an object was deleted, and goes on', async () => {
    const { appId } = await trellis.createApplication(inOwnRegion());
    const subscription = await follow([idOf('Application', appId), idOf('Application', place.appId)]);
    await trellis.succeed('deleteApplication', { application: { appId } }, 'application { name }');
    expect(changeOf(await subscription.next())).toEqual({ nodeId: idOf('Application', appId), node: null });
    const { note } = await setNote(place.appId);
    await until(subscription, (item) => changeOf(item).node?.note === note);
    subscription.close();
  });

  it('leaves out what does not exist or is not visible', async () => {
    const [own, other] = [await trellis.createTeam(), await trellis.createTeam()];
    const { token } = await trellis.createMember(own.teamId, 'VIEWER');
    const ids = [
      idOf('Team', other.teamId),
      idOf('Team', 'none'),
      idOf('Application', place.appId),
      idOf('Application', 2 ** 31 - 1),
      idOf('Job', 2 ** 31 - 1),
      idOf('Team', own.teamId),
    ];
    const subscription = await follow(ids, { token });
    await rename(other);
    await setNote(place.appId);
    await rename(own);
    expect(changeOf(await subscription.next()).nodeId).toBe(idOf('Team', own.teamId));
    subscription.close();
    const resumed = await follow(ids, { token, lastEventId: 'any' });
    await rename(other);
    await rename(own);
    for (let each = 0; each < 2; each++) {
      expect(changeOf(await resumed.next()).nodeId).toBe(idOf('Team', own.teamId));
    }
    resumed.close();
  });

  it('tells of a team only the changes that the caller can see', async () => {
    const own = await trellis.createPlace();
    const [seen, hidden] = [await trellis.createApplication(own), await trellis.createApplication(own)];
    const { secret: token } = await trellis.succeed(
      'createAccessToken',
      { name: 'narrow', grants: [{ application: { appId: seen.appId }, actions: ['READ'] }] },
      'secret',
    );
    const ids = [idOf('Team', own.team.teamId), idOf('Application', place.appId)];
    const document = `subscription ($ids: [ID!]!) { nodesChanged(ids: $ids) {
      nodeId node { ... on Team { events(first: 1) { nodes { objectUid changes { newValue } } } } }
    } }`;
    const subscription = await subscribe(trellis, document, { variables: { ids }, token });
    expect(await subscription.hasBegun).toBe(true);
    for (let each = 0; each < 3; each++) {
      await setNote(hidden.appId);
      await rename(own.team);
      const { note } = await setNote(seen.appId);
      const { nodeId, node } = changeOf(await subscription.next());
      expect(nodeId).toBe(ids[0]);
      expect(node.events.nodes).toEqual([{ objectUid: String(seen.appId), changes: [{ newValue: note }] }]);
    }
    subscription.close();
    const resumed = await subscribe(trellis, document, { variables: { ids }, token, lastEventId: 'any' });
    expect(changeOf(await resumed.next()).nodeId).toBe(ids[0]);
    resumed.close();
  });

  it('ends when the caller may no longer see one of the objects', async () => {
    const [stays, goes] = [await trellis.createTeam(), await trellis.createTeam()];
    const { token, userId } = await trellis.createMember(stays.teamId, 'VIEWER');
    await trellis.succeed(
      'addTeamMember',
      { team: { teamId: goes.teamId }, user: { userId }, role: 'VIEWER' },
      '__typename',
    );
    const ids = [idOf('Team', stays.teamId), idOf('Team', goes.teamId)];
    const subscription = await follow(ids, { token });
    expect(await subscription.hasBegun).toBe(true);
    await trellis.succeed(
      'removeTeamMember',
      { team: { teamId: goes.teamId }, user: { userId } },
      '__typename',
    );
    const items = await until(subscription, ({ event }) => event === 'complete');
    expect(codeOf(items.at(-2))).toBe('NOT_FOUND');
    // It does not send what happened after the rights were lost.
    expect(items.slice(0, -2).map((item) => changeOf(item)?.nodeId)).not.toContain(ids[1]);
    const again = await follow(ids, { token });
    await rename(goes);
    await rename(stays);
    expect(changeOf(await again.next()).nodeId).toBe(ids[0]);
    again.close();
  });

  it('begins again when the caller can see only a part of a team from then on', async () => {
    const own = await trellis.createPlace();
    const [seen, hidden] = [await trellis.createApplication(own), await trellis.createApplication(own)];
    const { token, userId } = await trellis.createMember(own.team.teamId, 'VIEWER');
    const ids = [idOf('Team', own.team.teamId)];
    const subscription = await follow(ids, { token });
    expect(await subscription.hasBegun).toBe(true);
    await setNote(hidden.appId);
    expect(changeOf(await subscription.next()).nodeId).toBe(ids[0]);
    const limited = { role: 'VIEWER', applications: [{ appId: seen.appId }] };
    const member = { team: { teamId: own.team.teamId }, user: { userId } };
    await trellis.succeed('changeTeamMemberRole', { ...member, ...limited }, '__typename');
    await until(subscription, (item) => codeOf(item) === 'UNAVAILABLE');
    expect(await subscription.next()).toBeUndefined();
    const again = await follow(ids, { token });
    expect(await again.hasBegun).toBe(true);
    await setNote(hidden.appId);
    const { alias } = await rename(own.team);
    expect(changeOf(await again.next()).node.alias).toBe(alias);
    again.close();
  });

  it.each([
    ['another type', [idOf('Component', 'x')], ['ids', '0']],
    ['no id', ['%'], ['ids', '0']],
    ['too many', Array.from({ length: 501 }, (_, at) => idOf('Job', at + 1)), ['ids']],
  ])('refuses %s', async (_, ids, path) => {
    const subscription = await follow(ids as string[]);
    const item = await subscription.next();
    expect(codeOf(item)).toBe('INVALID_INPUT');
    expect(item!.data.errors[0].extensions.issues[0].path).toEqual(path);
  });

  it('follows 500 objects', async () => {
    const team = await trellis.createTeam();
    const ids = [...Array.from({ length: 499 }, (_, at) => idOf('Job', at + 1)), idOf('Team', team.teamId)];
    const subscription = await follow(ids);
    expect(await subscription.hasBegun).toBe(true);
    await rename(team);
    await until(subscription, (item) => changeOf(item).nodeId === ids.at(-1));
    subscription.close();
  });
});
