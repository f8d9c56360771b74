import { type GraphQLInputObjectType, type GraphQLObjectType, getNamedType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../src/api.ts';
import { type ChangeCase, everyChange } from '../../support/every-change.ts';
import { type All, unique } from '../../support/fixtures.ts';
import { expectCounted, revisionsOf } from '../../support/revisions.ts';
import { useTrellis } from '../../support/trellis.ts';
import { contentsOf } from '../../support/unchanged.ts';

const trellis = useTrellis();
let all: All;
let changes: Record<string, ChangeCase>;
beforeAll(async () => {
  all = await trellis.createAll();
  changes = await everyChange(trellis, all);
});

const mutations = Object.keys(schema.getMutationType()!.getFields());
const port = () => ({ at: { component: { componentId: all.component.componentId }, number: 8080 } });

/** Every row of every table but the record itself. */
const contents = async () => JSON.stringify(await contentsOf(trellis, (table) => table !== 'event'));

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
  /^(application|component|deploy_hook|port|preview|volume|http_rule|tcp_rule|job)\./.test(action) &&
  !['application.copy', 'application.create', 'application.delete'].includes(action) &&
  // Schedules take effect beside what is deployed.
  !action.endsWith('_snapshot_schedule');

const takesRevision = (name: string) => {
  const { type } = schema.getMutationType()!.getFields()[name]!.args[0]!;
  return 'expectedRevision' in (getNamedType(type) as GraphQLInputObjectType).getFields();
};

/** The revision of the object that a mutation changes, which the refusal of another one tells. */
async function currentRevision(name: string, input: object): Promise<number> {
  const refused = await trellis.attempt(name, { ...input, expectedRevision: 1_000_000 });
  expect(refused).toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining('1000000 was expected'),
  });
  return Number(/its revision is (\d+)/.exec(refused.message)![1]);
}

const actionsOf = (list: { action: string }[]) => list.map(({ action }) => action).sort();

const eventCount = async () => {
  const [row] = await trellis.services.db.query('SELECT count(*) FROM event', []);
  return Number(row![0]);
};

describe('events', () => {
  it('have a test case for every mutation', () => {
    expect(Object.keys(changes).sort()).toEqual([...mutations].sort());
  });

  it.each(mutations)('include %s, in the same transaction', async (name) => {
    const { input, action, inTeam, isInCluster = false } = changes[name]!;
    const prepared: { expectedRevision?: number } = await input();
    const begun = Date.now();
    const [before, events, updated] = [await contents(), await eventCount(), await updatedAt()];
    const revisions = await revisionsOf(trellis);
    if (takesRevision(name)) prepared.expectedRevision = await currentRevision(name, prepared);
    const title = `${name[0]!.toUpperCase()}${name.slice(1)}`;
    const planType = (schema.getType(`${title}Payload`) as GraphQLObjectType).getFields().plan?.type;
    // A manifest's plan has its own kinds of changes.
    const ofManifest = planType !== undefined && getNamedType(planType).name === 'ManifestPlan';
    const selection = ofManifest ? 'plan { digest changes { action } }' : planType ? 'plan { action }' : '';
    const planned = selection && (await trellis.succeed(name, { ...prepared, dryRun: true }, selection)).plan;
    // Neither the refusal nor the plan has changed anything.
    if (planned || takesRevision(name))
      expect([await contents(), await eventCount()]).toEqual([before, events]);
    const response = await fetch(`${trellis.url}/graphql`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${trellis.adminToken}`,
        'X-Request-Id': `request-of-${name}`,
      },
      body: JSON.stringify({
        query: `mutation M($input: ${title}Input!) { ${name}(input: $input) { __typename ... on Error { message } ${selection && `... on ${title}Payload { ${selection} }`} } }`,
        variables: { input: prepared },
      }),
    });
    const { data } = (await response.json()) as any;
    expect(data[name].__typename, JSON.stringify(data)).toBe(`${title}Payload`);
    if (isInApplication(action)) expect(await updatedAt()).toBeGreaterThan(updated);
    else expect(await updatedAt()).toBe(updated);
    // It did change rows, and an event records it, with those of what followed from it.
    expect((await contents()) === before).toBe(isInCluster);
    // The component is updated, and then deployed.
    const steps = ['updateComponent', 'rollbackApplication'].includes(name) ? 2 : 1;
    expectCounted(revisions, await revisionsOf(trellis), steps);
    const added = (await eventCount()) - events;
    expect(added).toBeGreaterThan(0);
    const { events: found } = await trellis.data(
      `{ events(first: ${added}) { nodes { action at requestId tokenId user { email } team { name } changes { field } objectType object { __typename } } } }`,
    );
    expect(found.nodes.filter((event: any) => event.action === action)).toHaveLength(1);
    // The plan has what was recorded, and the dry run has told the same.
    if (ofManifest) expect(data[name].plan).toEqual(planned);
    else if (planned) {
      expect(actionsOf(planned)).toEqual(actionsOf(found.nodes));
      expect(actionsOf(data[name].plan)).toEqual(actionsOf(found.nodes));
    }
    for (const event of found.nodes) {
      expect(event).toMatchObject({
        requestId: `request-of-${name}`,
        tokenId: expect.stringMatching(/^[0-9a-f]{32}$/),
        user: { email: 'admin@trellis.example' },
        ...(inTeam && { team: { name: all.team.name } }),
      });
    }
    for (const { object, objectType } of found.nodes) {
      if (object !== null) expect(object.__typename).toBe(objectType);
    }
    expect(found.nodes[0].changes.length).toBeGreaterThan(0);
    const at = Date.parse(found.nodes[0].at);
    expect(at).toBeGreaterThanOrEqual(begun);
    expect(at).toBeLessThanOrEqual(Date.now());
  });

  it('are not recorded for a change that changes nothing or is refused', async () => {
    await trellis.attempt('openInnerService', { port: port() });
    const token = await trellis.succeed('createAccessToken', { name: 'x' }, 'accessToken { tokenId: uid }');
    const ref = { token: { tokenId: token.accessToken.tokenId } };
    await trellis.succeed('revokeAccessToken', ref, 'accessToken { revokedAt }');
    const [before, events] = [await contents(), await eventCount()];
    await trellis.succeed('openInnerService', { port: port() }, 'port { isInner }');
    await trellis.succeed('revokeAccessToken', ref, 'accessToken { revokedAt }');
    expect(await trellis.attempt('createTeam', { name: all.team.name })).toMatchObject({ code: 'CONFLICT' });
    expect(await eventCount()).toBe(events);
    expect(await contents()).toBe(before);
  });

  it('never contain a secret', async () => {
    const secret = `value-${unique('secret')}`;
    await trellis.succeed(
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
    const token = await trellis.succeed('createAccessToken', { name: 'x' }, 'secret');
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
        'query E($action: String!) { events(first: 1, action: $action) { nodes { changes { field after: newValue } } } }',
        { action },
      );
      return Object.fromEntries(events.nodes[0].changes.map((each: any) => [each.field, each.after]));
    };
    const certificate = changes.addCertificate!.input() as { chain: string };
    await trellis.succeed('addCertificate', certificate, 'certificate { id }');
    expect(await latest('certificate.add')).toMatchObject({
      chain: certificate.chain,
      sealedKey: '[redacted]',
    });
    await trellis.succeed('createComponent', changes.createComponent!.input() as object, 'component { key }');
    expect((await latest('component.create')).key).toMatch(/^[0-9a-f]{32}$/);
  });

  it('are listed newest first, and filtered by action, object and time', async () => {
    const team = await trellis.createTeam();
    const person = await trellis.createMember(team.teamId, 'ADMIN');
    const list = async (filter: object) => {
      const data = await trellis.data(
        `query E(
          $team: TeamRef!, $action: String, $objectType: String, $objectUid: String, $since: DateTime, $until: DateTime
        ) { team(by: $team) {
          events(action: $action, objectType: $objectType, objectUid: $objectUid, since: $since, until: $until) {
            totalCount nodes { at action objectType objectUid changes { field oldValue newValue } } } } }`,
        { team: { teamId: team.teamId }, ...filter },
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
      { field: 'userId', oldValue: null, newValue: person.userId },
      { field: 'role', oldValue: null, newValue: 'admin' },
    ]);
  });

  it('are filtered by user, if the caller may see the user', async () => {
    const team = await trellis.createTeam();
    const admin = await trellis.createMember(team.teamId, 'ADMIN');
    const [invited, stranger] = [await trellis.createPerson(), await trellis.createPerson()];
    const invitation = { team: { teamId: team.teamId }, user: { email: invited.email }, role: 'VIEWER' };
    await trellis.succeed('addTeamMember', invitation, 'member { role }', admin.token);
    const query = `query E($team: TeamRef!, $user: UserRef) { team(by: $team) { events(user: $user) {
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
      `{ events(user: { userId: ${admin.userId} }) { totalCount nodes { user { email } } } }`,
    );
    expect(events).toEqual({ totalCount: 1, nodes: [{ user: { email: admin.email } }] });
  });
});
