import { beforeAll, describe, expect, it } from 'vitest';
import { seed } from '../../../src/commands/seed-data.ts';
import { teamName } from '../../../src/commands/seed-names.ts';
import type { Place } from '../../support/fixtures.ts';
import { once } from '../../support/once.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

/** Teams with applications with components with two ports each, made through the API. */
async function grow(teams: number, applications: number, components: number): Promise<string[]> {
  return Promise.all(
    Array.from({ length: teams }, async () => {
      const place = await trellis.createPlace();
      for (let a = 0; a < applications; a++) {
        const { appId } = await trellis.createApplication(place, `app-${a}`);
        await Promise.all(
          Array.from({ length: components }, async (_, c) => {
            const { componentId } = await trellis.createComponent(appId, {
              name: `component-${c}`,
              deploy: true,
            });
            await trellis.addPort(componentId, 9000 + c, { protocol: 'TCP' });
            await trellis.addPort(componentId, 8000 + c);
          }),
        );
      }
      return place.team.name;
    }),
  );
}

/** Every type of the tree, links back up included; `page` goes to each list. */
const treeOf = (names: string[], page: string) => `{
  ${names
    .map(
      (name, index) => `t${index}: team(by: { name: "${name}" }) {
    id name componentCount regionCount creator { email } enterprise { name }
    members${page} { totalCount nodes { role user { email } } }
    regions${page} { totalCount nodes { name status usage { usedCpuCores } teams { totalCount } } }
    applications${page} {
      totalCount
      pageInfo { hasNextPage endCursor }
      edges { cursor node {
        name componentCount team { name } region { name }
        components${page} {
          totalCount
          nodes {
            alias status: state accessUrls
            application { name } team { name } region { name } creator { email }
            variables${page} { totalCount nodes { name } }
            volumes${page} { nodes { path } }
            dependencies${page} { nodes { alias } }
            dependents${page} { totalCount }
            ports${page} { totalCount nodes { number serviceName component { alias } } }
          }
        }
      } }
    }
    events${page} { nodes { action user { email } } }
  }`,
    )
    .join('\n')}
}`;

async function statementsOf(query: string): Promise<number> {
  // Its token is known by now.
  await trellis.data('{ viewer { isAdministrator } }');
  trellis.statements.length = 0;
  await trellis.data(query);
  return trellis.statements.length;
}

describe('a query of the whole tree', () => {
  it('returns everything in order, with links to the parents', async () => {
    const [name] = await grow(1, 2, 2);
    const data = await trellis.data(treeOf([name!], ''));
    const team = data.t0;
    expect(team.componentCount).toBe(4);
    expect(team.regionCount).toBe(1);
    expect(team.applications.totalCount).toBe(2);
    const nodes = team.applications.edges.map((edge: any) => edge.node);
    expect(nodes.map((app: any) => app.name)).toEqual(['app-0', 'app-1']);
    for (const app of nodes) {
      expect(app.team.name).toBe(name);
      expect(app.components.nodes).toHaveLength(2);
      for (const component of app.components.nodes) {
        expect(component.status).toBe('RUNNING');
        expect(component.application.name).toBe(app.name);
        expect(component.ports.totalCount).toBe(2);
        for (const port of component.ports.nodes) {
          expect(port.component.alias).toBe(component.alias);
          expect(port.serviceName).toBe(component.alias);
        }
        expect(component.ports.nodes.map((port: any) => port.number)).toEqual(
          component.ports.nodes.map((port: any) => port.number).sort((a: number, b: number) => a - b),
        );
      }
    }
  });

  // The number of statements depends on the shape of the query alone.
  once('runs the same number of statements however many rows there are', async () => {
    const small = await grow(2, 3, 2);
    // 6 210 rows, which would take minutes through the API.
    await seed(trellis.services.db, { teams: 10, applications: 20, components: 10, ports: 2 });
    const large = Array.from({ length: 10 }, (_, index) => teamName(index));
    for (const page of ['', '(first: 3)', '(last: 2)', '(first: 25)']) {
      // The same two root fields either way, so that the shape is the same.
      const one = await statementsOf(treeOf(small, page));
      const other = await statementsOf(treeOf(large.slice(0, 2), page));
      expect(other, page).toBe(one);
      expect(one).toBeGreaterThan(10);
    }
    // All ten teams at once, through the list of teams: as many as for a list of two.
    const all = (search: string) => `{ teams(first: 100, search: "${search}") { totalCount nodes {
      applications(first: 20) { totalCount nodes { name components(first: 10) { totalCount nodes { alias status: state accessUrls
        ports(first: 5) { totalCount nodes { number component { alias } } } } } } } } } }`;
    const one = await statementsOf(all(small[0]!));
    expect(await statementsOf(all(''))).toBe(one);
    const data = await trellis.data(all(''));
    expect(data.teams.nodes.length).toBeGreaterThanOrEqual(12);
  });

  it('reads the way up from a port with one statement', async () => {
    const [name] = await grow(1, 1, 1);
    const { team } = await trellis.data(
      `{ team(by: { name: "${name}" }) { applications { nodes { components { nodes { ports { nodes { id } } } } } } } }`,
    );
    const [port] = team.applications.nodes[0].components.nodes[0].ports.nodes;
    const up = `{ port(by: { id: "${port.id}" }) { number component { alias application { name team { name } region { name } } } } }`;
    expect(await statementsOf(up)).toBe(1);
    const { component } = (await trellis.data(up)).port;
    expect(component.application.team.name).toBe(name);
  });

  once('is refused when it asks for more than the limit', async () => {
    const { errors } = await trellis.graphql(
      `{ teams(first: 100) { nodes { applications(first: 100) { nodes { components(first: 100) { nodes {
        ports(first: 100) { nodes { number } } } } } } } } }`,
    );
    expect(errors?.[0]?.extensions.code).toBe('LIMIT_EXCEEDED');
  });
});

describe('a list', () => {
  let place: Place;
  const names = ['Ähre', 'alpha', 'b%a_r', 'Beta', 'gamma', 'zebra', 'Émile', 'ΟΔΟΣΑ', 'a b', '10', '9'];
  const sorted = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  beforeAll(async () => {
    place = await trellis.createPlace();
    for (const name of names) await trellis.createApplication(place, name);
  });

  const list = async (args: string) => {
    const data = await trellis.data(
      `query Q($team: TeamRef!) { team(by: $team) { applications${args} {
        totalCount nodes { name } edges { cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`,
      { team: { teamId: place.team.teamId } },
    );
    const { nodes, ...rest } = data.team.applications;
    return { names: nodes.map((node: any) => node.name), ...rest };
  };

  it('is ordered by code point on both databases', async () => {
    expect((await list('')).names).toEqual(sorted);
    expect((await list('(orderBy: { field: NAME, direction: DESC })')).names).toEqual([...sorted].reverse());
  });

  it.each(['INDEX', 'NAME', 'CREATED_AT'])(
    'is paged forward and backward by %s without gaps',
    async (field) => {
      for (const direction of ['ASC', 'DESC']) {
        const order = `orderBy: { field: ${field}, direction: ${direction} }`;
        const whole = (await list(`(${order}, first: 100)`)).names;
        const forward: string[] = [];
        let after = '';
        for (;;) {
          const page = await list(`(${order}, first: 3${after})`);
          forward.push(...page.names);
          expect(page.totalCount).toBe(names.length);
          expect(page.pageInfo.hasPreviousPage).toBe(after !== '');
          if (!page.pageInfo.hasNextPage) break;
          after = `, after: "${page.pageInfo.endCursor}"`;
        }
        expect(forward).toEqual(whole);
        const backward: string[] = [];
        let before = '';
        for (;;) {
          const page = await list(`(${order}, last: 4${before})`);
          backward.unshift(...page.names);
          if (!page.pageInfo.hasPreviousPage) break;
          before = `, before: "${page.pageInfo.startCursor}"`;
        }
        expect(backward).toEqual(whole);
      }
    },
  );

  it('is empty past its end, with the correct total', async () => {
    const { pageInfo } = await list('(first: 100)');
    const page = await list(`(after: "${pageInfo.endCursor}")`);
    expect(page.names).toEqual([]);
    expect(page.totalCount).toBe(names.length);
    expect(page.pageInfo).toMatchObject({
      hasNextPage: false,
      hasPreviousPage: true,
      startCursor: null,
      endCursor: null,
    });
    expect((await list('(first: 0)')).names).toEqual([]);
  });

  it('is searched without regard to case and without wildcards', async () => {
    expect((await list('(search: "äHRE")')).names).toEqual(['Ähre']);
    expect((await list('(search: "éMILE")')).names).toEqual(['Émile']);
    expect((await list('(search: "ΟΔΟΣ")')).names).toEqual(['ΟΔΟΣΑ']);
    expect((await list('(search: "οδος")')).names).toEqual(['ΟΔΟΣΑ']);
    expect((await list('(search: "%")')).names).toEqual(['b%a_r']);
    expect((await list('(search: "_")')).names).toEqual(['b%a_r']);
    expect((await list('(search: "BETA")')).totalCount).toBe(1);
    expect((await list(`(search: "${place.team.name.toUpperCase()}")`)).totalCount).toBe(names.length);
    expect((await list('(search: "no such name")')).totalCount).toBe(0);
  });

  it('is filtered by region', async () => {
    expect((await list(`(region: { name: "${place.region.name}" })`)).totalCount).toBe(names.length);
    const other = await trellis.createPlace();
    const { errors } = await trellis.graphql(
      `{ team(by: { teamId: "${place.team.teamId}" }) { applications(region: { name: "${other.region.name}" }) { totalCount } } }`,
    );
    expect(errors?.[0]?.extensions.code).toBe('NOT_FOUND');
  });
});

describe('node and nodes', () => {
  it('return every kind of object by its global id', async () => {
    const place = await trellis.createPlace();
    const { appId } = await trellis.createApplication(place);
    const { componentId } = await trellis.createComponent(appId, {
      variables: [{ name: 'MODE', value: 'test' }],
      volumes: [{ name: 'data', path: '/data', type: 'share-file' }],
    });
    await trellis.addPort(componentId, 80);
    const data = await trellis.data(
      `query Q($c: ComponentRef!) { viewer { accessToken { id __typename } enterprise { id __typename } user { id __typename } }
        component(by: $c) { id __typename
          application { id __typename } team { id __typename members { nodes { id __typename } } events { nodes { id __typename } } } region { id __typename }
          variables { nodes { id __typename } } volumes { nodes { id __typename } } ports { nodes { id __typename } } } }`,
      { c: { componentId } },
    );
    const found: { id: string; __typename: string }[] = [];
    JSON.stringify(data, (_, value) => {
      if (value?.id) found.push({ id: value.id, __typename: value.__typename });
      return value;
    });
    expect(new Set(found.map((each) => each.__typename)).size).toBe(12);
    for (const each of found) {
      const { node } = await trellis.data('query N($id: ID!) { node(id: $id) { id __typename } }', {
        id: each.id,
      });
      expect(node).toEqual(each);
    }
    const ids = [found[0]!.id, 'nonsense', found[1]!.id];
    const { nodes } = await trellis.data('query N($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids });
    expect(nodes).toEqual([{ id: ids[0] }, null, { id: ids[2] }]);
    const { data: none, errors } = await trellis.graphql('{ node(id: "nonsense") { id } }');
    expect(none.node).toBeNull();
    expect(errors?.[0]?.extensions.code).toBe('NOT_FOUND');
  });
});

describe('createComponent', () => {
  it('stores every field of the input', async () => {
    const place = await trellis.createPlace();
    const { appId } = await trellis.createApplication(place);
    const database = await trellis.createComponent(appId, { extendMethod: 'STATE', category: 'STORE' });
    const { component } = await trellis.succeed(
      'createComponent',
      {
        application: { appId },
        name: 'Web shop',
        image: 'registry.example:5000/shop@sha256:00112233445566778899aabbccddeeff',
        replicas: 3,
        memoryMiB: 256,
        cpuMillicores: 200,
        command: 'serve --port 80',
        deploy: true,
        variables: [
          { name: 'MODE', value: 'production\nreally' },
          { name: 'MODE', value: 'shop', scope: 'CONNECTION', portNumber: 80, isChangeable: false },
        ],
        volumes: [{ name: 'data', path: '/data', type: 'share-file', capacityGiB: 10 }],
        dependencies: [{ componentId: database.componentId }],
      },
      `component { alias name version image command replicas memoryMiB totalMemoryMiB cpuMillicores status: state category
        extendMethod creator { email } releaseCount source { kind } serviceName group { name }
        variables { nodes { name value scope isChangeable portNumber } } volumes { nodes { path capacityGiB } }
        dependencies { nodes { alias dependents { nodes { name } } } } }`,
    );
    expect(component).toMatchObject({
      alias: expect.stringMatching(/^gr[0-9a-f]{6}$/),
      name: 'Web shop',
      version: 'latest',
      command: 'serve --port 80',
      replicas: 3,
      totalMemoryMiB: 768,
      status: 'RUNNING',
      category: 'APPLICATION',
      extendMethod: 'STATELESS',
      creator: { email: 'admin@trellis.example' },
      serviceName: null,
      group: null,
      volumes: { nodes: [{ path: '/data', capacityGiB: 10 }] },
      dependencies: { nodes: [{ alias: database.alias, dependents: { nodes: [{ name: 'Web shop' }] } }] },
    });
    expect(component.variables.nodes).toEqual([
      {
        name: 'MODE',
        value: 'production\nreally',
        scope: 'ENVIRONMENT',
        isChangeable: true,
        portNumber: null,
      },
      { name: 'MODE', value: 'shop', scope: 'CONNECTION', isChangeable: false, portNumber: 80 },
    ]);
  });

  it('creates a component that was never deployed, unless the input says otherwise', async () => {
    const place = await trellis.createPlace();
    const { appId } = await trellis.createApplication(place);
    const { componentId } = await trellis.createComponent(appId);
    const { component } = await trellis.data(
      'query Q($c: ComponentRef!) { component(by: $c) { status: state version accessUrls } }',
      {
        c: { componentId },
      },
    );
    expect(component).toEqual({ status: 'NOT_DEPLOYED', version: '1.29', accessUrls: [] });
  });
});

describe('teams', () => {
  it('returns the teams of the caller, and all teams of the enterprise to administrators', async () => {
    const team = await trellis.createTeam();
    const { teams } = await trellis.data(
      `{ teams(search: "${team.name}") { totalCount nodes { name roles { role name } } } }`,
    );
    expect(teams).toEqual({
      totalCount: 1,
      nodes: [{ name: team.name, roles: [{ role: 'OWNER', name: 'owner' }] }],
    });
    const { secret } = await trellis.succeed(
      'createAccessToken',
      { name: 'x', user: { email: (await createOther()).email } },
      'secret',
    );
    const other = await trellis.data(
      `{ teams { totalCount } viewer { enterprise { teams(search: "${team.name}") { totalCount nodes { roles { role } } } } } }`,
      {},
      secret,
    );
    expect(other).toEqual({
      teams: { totalCount: 0 },
      viewer: { enterprise: { teams: { totalCount: 1, nodes: [{ roles: [] }] } } },
    });
  });
});

async function createOther() {
  const email = `other-${Date.now()}@trellis.example`;
  await trellis.succeed('createUser', { email, nickName: 'Other', isAdministrator: true }, 'user { uid }');
  return { email };
}

describe('a request', () => {
  once('with many statements at once warns of nothing', async () => {
    const warnings: Error[] = [];
    const keep = (warning: Error) => warnings.push(warning);
    process.on('warning', keep);
    try {
      const lists = Array.from(
        { length: 20 },
        (_, each) => `a${each}: teams(search: "none-${each}") { totalCount }`,
      );
      expect(Object.keys(await trellis.data(`{ ${lists.join(' ')} }`))).toHaveLength(20);
      // Warnings are emitted in a later tick.
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off('warning', keep);
    }
    expect(warnings).toEqual([]);
  });
});
