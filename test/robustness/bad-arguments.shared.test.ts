import { beforeAll, describe, expect, it } from 'vitest';
import type { All } from '../support/fixtures.ts';
import { useTrellis } from '../support/trellis.ts';
import { expectUnchanged } from '../support/unchanged.ts';

const trellis = useTrellis();
let all: All;

beforeAll(async () => {
  all = await trellis.createAll();
  await trellis.createComponent(all.application.appId);
  await trellis.data('{ viewer { user { email } } }');
});
expectUnchanged(() => trellis);

/** The code and the paths of the first error of a query, with which no data but nulls came. */
async function failure(query: string, variables?: object) {
  const { data, errors } = await trellis.graphql(query, variables);
  for (const value of Object.values(data ?? {})) expect(value).toBeNull();
  expect(errors, query).toBeDefined();
  const { code, issues, requestId } = errors![0]!.extensions;
  expect(requestId).toBeTypeOf('string');
  return { code, ...(issues && { path: issues[0].path.join('.') }) };
}

const refused = (path: string) => ({ code: 'INVALID_INPUT', path });

describe('a query with a syntax or validation error names the location', () => {
  it.each([
    ['{ nothing }', 'nothing'],
    ['{ viewer { nothing } }', 'viewer.nothing'],
    ['{ viewer }', 'viewer'],
    ['{ a: viewer { user { uid { x } } } }', 'viewer.user.uid'],
    ['{ team(name: "x") { uid } }', 'team.name'],
    ['{ team { uid } }', 'team.by'],
    ['{ team(by: {}) { uid } }', 'team.by'],
    ['{ team(by: null) { uid } }', 'team.by'],
    ['{ team(by: "x") { uid } }', 'team.by'],
    ['{ team(by: { name: 1 }) { uid } }', 'team.by.name'],
    ['{ team(by: { name: null }) { uid } }', 'team.by'],
    ['{ team(by: { name: "x", teamId: "y" }) { uid } }', 'team.by'],
    ['{ team(by: { title: "x" }) { uid } }', 'team.by.title'],
    ['{ application(by: { appId: "1" }) { name } }', 'application.by.appId'],
    ['{ application(by: { appId: 2147483648 }) { name } }', 'application.by.appId'],
    ['{ application(by: { appId: 1.5 }) { name } }', 'application.by.appId'],
    ['{ application(by: { appId: 99999999999999999999999999 }) { name } }', 'application.by.appId'],
    ['{ port(by: { at: { component: { id: "x" } } }) { number } }', 'port.by.at.number'],
    ['{ checkImage(team: { name: "x" }, image: "a b") { exists } }', 'image'],
    ['{ teams(first: "1") { totalCount } }', 'teams.first'],
    ['{ teams(first: 99999999999) { totalCount } }', 'teams.first'],
    ['{ teams(first: 1e3) { totalCount } }', 'teams.first'],
    ['{ teams(after: 1) { totalCount } }', 'teams.after'],
    ['{ teams(orderBy: { field: SIZE }) { totalCount } }', 'teams.orderBy.field'],
    ['{ teams(orderBy: { direction: ASC }) { totalCount } }', 'teams.orderBy.field'],
    ['{ events(since: "yesterday") { totalCount } }', 'events.since'],
    ['{ events(user: {}) { totalCount } }', 'events.user'],
    ['{ events(user: { userId: "1" }) { totalCount } }', 'events.user.userId'],
    [
      '{ teams { nodes { components(desiredState: GONE) { totalCount } } } }',
      'teams.nodes.components.desiredState',
    ],
    ['{ teams { nodes { applications(state: GONE) { totalCount } } } }', 'teams.nodes.applications.state'],
    ['mutation { deletePort { __typename } }', 'deletePort.input'],
    ['mutation { deletePort(input: {}) { __typename } }', 'deletePort.input.port'],
    [
      'mutation { addPort(input: { component: { id: "x" }, number: 1, protocol: FTP }) { __typename } }',
      'addPort.input.protocol',
    ],
    [
      'mutation { deletePort(input: { port: { id: "x" }, force: true }) { __typename } }',
      'deletePort.input.force',
    ],
  ])('returns INVALID_INPUT and the path of the argument for %s', async (query, path) => {
    expect(await failure(query)).toEqual(refused(path));
  });

  it.each([
    ['query($by: TeamRef!) { team(by: $by) { uid } }', {}, 'by'],
    ['query($by: TeamRef!) { team(by: $by) { uid } }', { by: null }, 'by'],
    ['query($by: TeamRef!) { team(by: $by) { uid } }', { by: { name: {} } }, 'by.name'],
    ['query($by: TeamRef!) { team(by: $by) { uid } }', { by: { title: 1 } }, 'by.title'],
    ['query($n: Int) { teams(first: $n) { totalCount } }', { n: 2 ** 31 }, 'n'],
    ['query($n: Int) { teams(first: $n) { totalCount } }', { n: '1' }, 'n'],
    ['query($o: TeamOrder) { teams(orderBy: $o) { totalCount } }', { o: { field: 'SIZE' } }, 'o.field'],
    ['query($o: TeamOrder) { teams(orderBy: $o) { totalCount } }', { o: { direction: 'ASC' } }, 'o.field'],
    ['query($t: Nothing) { viewer { isAdministrator } }', {}, ''],
    ['query($name: String) { team(by: { name: $name }) { uid } }', {}, 'team.by'],
    ['query { team(by: { name: $name }) { uid } }', { name: 'x' }, 'name'],
  ])('returns INVALID_INPUT and the path of the variable for %s with %j', async (query, variables, path) => {
    expect(await failure(query, variables)).toEqual(refused(path));
  });

  it.each([
    ['several operations without a name', { query: 'query A { __typename } query B { __typename }' }],
    ['an unknown name', { query: 'query A { __typename }', operationName: 'B' }],
  ])('returns INVALID_INPUT for %s of an operation', async (_, body) => {
    const response = await fetch(`${trellis.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${trellis.adminToken}` },
      body: JSON.stringify(body),
    });
    const { errors } = (await response.json()) as any;
    expect(errors).toHaveLength(1);
    expect(errors[0].extensions).toMatchObject({
      code: 'INVALID_INPUT',
      issues: [{ path: ['operationName'] }],
    });
  });
});

describe('reading a missing object', () => {
  it.each([
    '{ team(by: { teamId: "x" }) { uid } }',
    '{ team(by: { name: "x" }) { uid } }',
    '{ team(by: { id: "x" }) { uid } }',
    '{ region(by: { regionId: "x" }) { uid } }',
    '{ application(by: { appId: 2147483647 }) { name } }',
    '{ component(by: { componentId: "x" }) { uid } }',
    '{ port(by: { at: { component: { componentId: "x" }, number: 1 } }) { number } }',
    '{ user(by: { userId: 2147483647 }) { uid } }',
    '{ user(by: { email: "nobody@trellis.example" }) { uid } }',
    '{ node(id: "x") { id } }',
    '{ node(id: "") { id } }',
    '{ node(id: "VGVhbTo") { id } }',
    '{ node(id: "VGVhbTph") { id } }',
    '{ node(id: "UG9ydDoxLjU") { id } }',
    '{ node(id: "X19wcm90b19fOnRvU3RyaW5n") { id } }',
    '{ node(id: "Y29uc3RydWN0b3I6eA") { id } }',
    '{ administrators(enterpriseId: "x") { totalCount } }',
  ])('%s is NOT_FOUND', async (query) => {
    expect(await failure(query)).toEqual({ code: 'NOT_FOUND' });
  });

  it('returns null for each missing object of nodes', async () => {
    const { nodes } = await trellis.data('query($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
      ids: ['x', all.team.id, '\u0000', 'VGVhbTphAGI', '\ud800', 1],
    });
    expect(nodes).toEqual([null, { id: all.team.id }, null, null, null, null]);
  });

  it('refuses too many nodes at once', async () => {
    const ids = Array.from({ length: 101 }, () => 'x');
    const query = 'query($ids: [ID!]!) { nodes(ids: $ids) { id } }';
    expect(await failure(query, { ids })).toEqual(refused('ids'));
  });
});

describe('a text of a query', () => {
  const places: [query: string, path: string][] = [
    ['query($t: String) { teams(search: $t) { totalCount } }', 'search'],
    ['query($t: String) { viewer { enterprise { teams(search: $t) { totalCount } } } }', 'search'],
    ['query($t: String) { viewer { enterprise { regions(search: $t) { totalCount } } } }', 'search'],
    ['query($t: String!) { team(by: { name: $t }) { uid } }', 'by.name'],
    ['query($t: ID!) { team(by: { id: $t }) { uid } }', 'by.id'],
    ['query($t: String!) { team(by: { teamId: $t }) { uid } }', 'by.teamId'],
    ['query($t: String!) { region(by: { name: $t }) { uid } }', 'by.name'],
    ['query($t: String!) { component(by: { componentId: $t }) { uid } }', 'by.componentId'],
    ['query($t: String!) { user(by: { email: $t }) { uid } }', 'by.email'],
    ['query($t: ID!) { node(id: $t) { id } }', 'id'],
    ['query($t: ID) { administrators(enterpriseId: $t) { totalCount } }', 'enterpriseId'],
    ['query($t: String) { events(action: $t) { totalCount } }', 'action'],
    ['query($t: String) { events(objectType: $t) { totalCount } }', 'objectType'],
    ['query($t: String) { events(objectUid: $t) { totalCount } }', 'objectUid'],
    ['query($t: String!) { events(user: { email: $t }) { totalCount } }', 'user.email'],
    ['query($t: String) { teams { nodes { components(image: $t) { totalCount } } } }', 'image'],
    ['query($t: String) { teams { nodes { components(kind: $t) { totalCount } } } }', 'kind'],
    ['query($t: String) { teams { nodes { applications(templateId: $t) { totalCount } } } }', 'templateId'],
    ['query($t: String) { teams(after: $t) { totalCount } }', 'after'],
  ];
  const texts = ['\u0000', 'a\u0000', 'a\nb', '\u001b[31m', '\ud800', 'x\udfff', 'x'.repeat(100_000)];

  it.each(places)('returns INVALID_INPUT for texts that no name holds: %s', async (query, path) => {
    for (const t of texts) {
      const found = await failure(query, { t });
      if (found.code === 'NOT_FOUND') continue;
      expect(found, JSON.stringify(t).slice(0, 20)).toEqual(refused(path));
    }
  });

  it('a search knows no wildcards, and no SQL', async () => {
    for (const search of ['%', '_', '\\', "'", '"', "' OR 1=1 --", '*', '?', '$1', '{}']) {
      const { teams } = await trellis.data('query($s: String) { teams(search: $s) { totalCount } }', {
        s: search,
      });
      expect(teams.totalCount, search).toBe(0);
    }
  });
});

describe('pages', () => {
  const count = 'totalCount nodes { uid } pageInfo { endCursor }';
  const cursorOf = (...values: unknown[]) => Buffer.from(JSON.stringify(values)).toString('base64url');

  it.each([
    ['first: -1', 'first'],
    ['first: 101', 'first'],
    ['first: 2147483647', 'first'],
    ['last: -1', 'last'],
    ['last: 101', 'last'],
    ['first: 1, last: 1', 'last'],
    ['after: ""', 'after'],
    ['after: "garbage"', 'after'],
    ['before: "%%%"', 'before'],
    [`after: "${cursorOf()}"`, 'after'],
    [`after: "${cursorOf('Team.name.id')}"`, 'after'],
    [`after: "${cursorOf('Team.name.id', 'a')}"`, 'after'],
    [`after: "${cursorOf('Team.name.id', 'a', 1)}"`, 'after'],
    [`after: "${cursorOf('Team.name.id', 'a', null)}"`, 'after'],
    [`after: "${cursorOf('Team.name.id', 'a', 'b', 'c')}"`, 'after'],
    [`after: "${cursorOf('Team.name.id', { a: 1 }, 'b')}"`, 'after'],
    [`after: "${cursorOf('Team.name.id', 'a\u0000', 'b')}"`, 'after'],
    [`after: "${cursorOf('Team.name.id.desc', 'a', 'b')}"`, 'after'],
    [`after: "${cursorOf('Region.name.id', 'a', 'b')}"`, 'after'],
    [`after: "${cursorOf('Team.createdAt.id', '2026-01-01T00:00:00.000Z', 'b')}"`, 'after'],
    [`after: "${Buffer.from('null').toString('base64url')}"`, 'after'],
    [`after: "${Buffer.from('{"length":3}').toString('base64url')}"`, 'after'],
    [`after: "${Buffer.from('['.repeat(9000)).toString('base64url')}"`, 'after'],
    // One that is parsed would be accepted.
    [`after: "${cursorOf('Team.name.id', 'x'.repeat(3_100), 'b')}"`, 'after'],
  ])('teams(%s)', async (args, path) => {
    expect(await failure(`{ teams(${args}) { ${count} } }`)).toEqual(refused(path));
  });

  it.each([
    1,
    'yesterday',
    '',
    '+275760-09-13T00:00:00.000Z',
    '-000001-01-01T00:00:00.000Z',
    '0000-01-01T00:00:00.000Z',
    '2026-13-01T00:00:00.000Z',
  ])('returns INVALID_INPUT for a cursor of an order by time that holds %j', async (time) => {
    const after = cursorOf('Team.createdAt.id', time, 'x');
    const query = `{ teams(orderBy: { field: CREATED_AT }, after: "${after}") { ${count} } }`;
    expect(await failure(query)).toEqual(refused('after'));
  });

  it.each(['events', 'administrators'])(
    'returns INVALID_INPUT for a cursor of %s with a number out of range',
    async (list) => {
      const order = list === 'events' ? 'Event.id.desc' : 'User.id';
      for (const number of [2 ** 31, -(2 ** 40), 1.5, '1', 1e300]) {
        const query = `{ ${list}(after: "${cursorOf(order, number)}") { totalCount nodes { id } } }`;
        expect(await failure(query), String(number)).toEqual(refused('after'));
      }
    },
  );

  it('returns INVALID_INPUT for a cursor of another list, or of another order', async () => {
    const read = 'nodes { uid } edges { cursor }';
    const { viewer, team } = await trellis.data(
      `query($by: TeamRef!) {
        viewer { enterprise { regions { ${read} } } }
        team(by: $by) { applications { nodes { components { ${read} } } } }
      }`,
      { by: { teamId: all.team.teamId } },
    );
    for (const { cursor } of [
      ...viewer.enterprise.regions.edges,
      ...team.applications.nodes[0].components.edges,
    ]) {
      expect(await failure(`{ teams(after: "${cursor}") { ${count} } }`)).toEqual(refused('after'));
    }
    const { teams } = await trellis.data(`{ teams { ${count} } }`);
    const other = `{ teams(after: "${teams.pageInfo.endCursor}", orderBy: { field: CREATED_AT }) { ${count} } }`;
    expect(await failure(other)).toEqual(refused('after'));
  });

  it('accepts an empty page, and one past the end', async () => {
    const { none, past } = await trellis.data(
      `query($after: String) {
        none: teams(first: 0) { totalCount nodes { uid } }
        past: teams(after: $after) { totalCount nodes { uid } }
      }`,
      { after: cursorOf('Team.name.id', '\uffff', 'x') },
    );
    expect(none).toEqual({ totalCount: 1, nodes: [] });
    expect(past).toEqual({ totalCount: 1, nodes: [] });
  });
});

describe('times', () => {
  const query = 'query($t: DateTime) { events(since: $t) { totalCount } }';

  it.each([
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-02-30T00:00:00Z',
    '2026-01-01T24:00:01Z',
    '2026-01-01T00:00:00+25:00',
    '+010000-01-01T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+14:00',
    '9999-12-31T23:59:59-14:00',
    'now',
    '',
    1_767_225_600,
    true,
    {},
  ])('%j is refused', async (t) => {
    expect(await failure(query, { t })).toEqual(refused('t'));
  });

  it.each(['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '2026-01-01T00:00+14:00'])(
    '%s is accepted',
    async (t) => {
      expect((await trellis.data(query, { t })).events.totalCount).toBeTypeOf('number');
    },
  );
});
