import { beforeAll, describe, expect, it } from 'vitest';
import { type Place, unique } from '../../support/fixtures.ts';
import { once } from '../../support/once.ts';
import { ringTemplate } from '../../support/templates.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let like: Record<string, unknown>;
/** With an application in every status. No test changes it. */
let shared: Place;
beforeAll(async () => {
  const { component } = await trellis.createAll();
  const { id: _, ...row } = await trellis.services.db.transaction((tx) =>
    tx.component.findUniqueOrThrow({ where: { id: component.componentId } }),
  );
  like = { ...row, serviceName: null };
  shared = await createStatuses();
});

/** Components of an application, as rows: through the API they would take long. */
async function addComponents(place: Place, applicationId: number, columns: Record<string, unknown>[]) {
  const at = { applicationId, teamId: place.team.teamId, regionId: place.region.regionId };
  const rows = columns.map((own) => {
    const alias = unique('c');
    const names = { alias, name: alias, folded: alias, clusterName: alias, ownedClusterName: alias };
    return { ...like, ...at, id: alias, ...names, ...own };
  });
  await trellis.services.db.transaction((tx) => tx.component.createMany({ data: rows as never }));
}

const statuses = {
  EMPTY: [],
  NOT_DEPLOYED: ['undeploy', 'undeploy'],
  RUNNING: ['running', 'running'],
  PARTLY_RUNNING: ['running', 'closed', 'undeploy'],
  STOPPED: ['closed', 'undeploy'],
};

/** A place with an application in every status, which has its name. */
async function createStatuses() {
  const place = await trellis.createPlace();
  for (const [name, states] of Object.entries(statuses)) {
    const { appId } = await trellis.createApplication(place, name);
    await addComponents(
      place,
      appId,
      states.map((deployState, index) => ({
        deployState,
        name: `${name} ${index}`,
        componentType: index === 0 ? 'web' : 'mysql',
        image: `registry.example/${index === 0 ? 'shop/web' : 'mysql'}:8.${index}`,
      })),
    );
  }
  return place;
}

const listed = async (place: Place, args: string, token?: string) => {
  const { team } = await trellis.data(
    `{ team(by: { teamId: "${place.team.teamId}" }) { applications(${args}) { totalCount nodes { name status: state } } } }`,
    {},
    token,
  );
  expect(team.applications.totalCount).toBe(team.applications.nodes.length);
  return team.applications.nodes as { name: string; status: string }[];
};

describe('applications', () => {
  it('have a status by what their components were told to do, and are filtered by it', async () => {
    const place = shared;
    const all = await listed(place, 'orderBy: { field: NAME }');
    expect(all).toEqual(
      Object.keys(statuses)
        .sort()
        .map((name) => ({ name, status: name })),
    );
    for (const name of Object.keys(statuses)) {
      expect(await listed(place, `state: ${name}`)).toEqual([{ name, status: name }]);
      const { region } = await trellis.data(
        `{ region(by: { regionId: "${place.region.regionId}" }) { applications(state: ${name}) { nodes { name } } } }`,
      );
      expect(region.applications.nodes).toEqual([{ name }]);
    }
    expect(await listed(place, 'state: RUNNING, search: "PARTLY"')).toEqual([]);
    expect(await listed(place, 'state: PARTLY_RUNNING, search: "partly"')).toHaveLength(1);
  });

  it('are filtered by the key of an installed template', async () => {
    const place = await trellis.createPlace();
    const [one, other] = [ringTemplate(1), ringTemplate(1)];
    for (const { text } of [one, other]) {
      await trellis.succeed('publishTemplate', { template: text }, 'template { uid }');
    }
    const store = { url: trellis.url, domain: 'self', accessKey: trellis.adminToken };
    for (const [name, keys] of Object.entries({
      both: [one.key, other.key],
      twice: [one.key, one.key],
      none: [],
    })) {
      const application = { appId: (await trellis.createApplication(place, name)).appId };
      for (const templateId of keys) {
        const input = { application, store, templateId, version: '1.0.0' };
        await trellis.succeed('installApplication', input, 'group { uid }');
      }
    }
    const names = async (args: string) => (await listed(place, args)).map(({ name }) => name);
    expect(await names(`templateId: "${one.key}"`)).toEqual(['both', 'twice']);
    expect(await names(`templateId: "${other.key}", state: NOT_DEPLOYED`)).toEqual(['both']);
    expect(await names(`templateId: "${other.key}", state: RUNNING`)).toEqual([]);
    expect(await names('templateId: ""')).toEqual([]);
  });
});

describe('components', () => {
  const components = async (place: Place, args: string, selection = 'name') => {
    const { team } = await trellis.data(
      `{ team(by: { teamId: "${place.team.teamId}" }) { components(${args}) { totalCount nodes { ${selection} } } } }`,
    );
    return team.components as { totalCount: number; nodes: any[] };
  };

  it('of a team and of an application are filtered by deploy state, image and kind', async () => {
    const place = shared;
    const names = async (args: string) => (await components(place, args)).nodes.map(({ name }) => name);
    expect(await names('desiredState: STOPPED')).toEqual(['PARTLY_RUNNING 1', 'STOPPED 0']);
    expect(await names('desiredState: STOPPED, kind: "mysql"')).toEqual(['PARTLY_RUNNING 1']);
    expect(await names('image: "SHOP/web"')).toEqual([
      'NOT_DEPLOYED 0',
      'PARTLY_RUNNING 0',
      'RUNNING 0',
      'STOPPED 0',
    ]);
    expect(await names('image: "mysql:8.2", orderBy: { field: NAME, direction: DESC }')).toEqual([
      'PARTLY_RUNNING 2',
    ]);
    expect(await names('kind: "my"')).toEqual([]);
    expect(await names('image: "%"')).toEqual([]);
    expect(await names('image: ""')).toHaveLength(9);
    expect(await components(place, 'first: 2, desiredState: RUNNING')).toEqual({
      totalCount: 3,
      nodes: [{ name: 'PARTLY_RUNNING 0' }, { name: 'RUNNING 0' }],
    });
    const { team } = await trellis.data(
      `{ team(by: { teamId: "${place.team.teamId}" }) { applications(state: PARTLY_RUNNING) { nodes {
        running: components(desiredState: RUNNING) { totalCount nodes { name } }
        databases: components(kind: "mysql", image: "8.2") { totalCount nodes { name } } } } } }`,
    );
    expect(team.applications.nodes).toEqual([
      {
        running: { totalCount: 1, nodes: [{ name: 'PARTLY_RUNNING 0' }] },
        databases: { totalCount: 1, nodes: [{ name: 'PARTLY_RUNNING 2' }] },
      },
    ]);
  });

  it('of a team can be limited to a region that is open for it', async () => {
    const place = await trellis.createPlace();
    const here = await trellis.createApplication(place);
    await addComponents(place, here.appId, [{}, {}]);
    const { region } = await trellis.createPlace();
    const elsewhere = { team: place.team, region };
    const by = (id: string) => `region: { regionId: "${id}" }`;
    const query = `{ team(by: { teamId: "${place.team.teamId}" }) { components(${by(region.regionId)}) { totalCount } } }`;
    expect((await trellis.graphql(query)).errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    const open = { team: { teamId: place.team.teamId }, region: { regionId: region.regionId } };
    await trellis.succeed('openTeamRegion', open, 'team { uid }');
    const { appId } = await trellis.createApplication(elsewhere);
    await addComponents(elsewhere, appId, [{ name: 'there' }]);
    expect((await components(place, by(region.regionId))).nodes).toEqual([{ name: 'there' }]);
    expect((await components(place, by(place.region.regionId))).totalCount).toBe(2);
    expect((await components(place, 'first: 0')).totalCount).toBe(3);
  });

  it('of a team are in the order of their code points, on every page', async () => {
    const place = await trellis.createPlace();
    const { appId } = await trellis.createApplication(place);
    const names = ['b', 'a', 'Z', 'é', 'ä', 'B', 'a', 'z', '10', '9'];
    await addComponents(
      place,
      appId,
      names.map((name) => ({ name, image: 'x:1' })),
    );
    const sorted = [...names].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    const paged: string[] = [];
    for (let after: string | null = null; ; ) {
      const { team }: any = await trellis.data(
        `query P($id: String!, $after: String) { team(by: { teamId: $id }) { components(first: 3, after: $after, image: "X:") {
          nodes { name } pageInfo { hasNextPage endCursor } } } }`,
        { id: place.team.teamId, after },
      );
      paged.push(...team.components.nodes.map(({ name }: any) => name));
      if (!team.components.pageInfo.hasNextPage) break;
      after = team.components.pageInfo.endCursor;
    }
    expect(paged).toEqual(sorted);
  });
});

describe('filtered lists', () => {
  once('run the same number of statements however many rows there are', async () => {
    const [small, large] = [shared, await createStatuses()];
    const { appId } = await trellis.createApplication(large);
    await addComponents(large, appId, Array(5).fill({ deployState: 'running' }));
    const both = await trellis.createMember(small.team.teamId, 'VIEWER');
    const one = await trellis.createMember(small.team.teamId, 'VIEWER');
    await trellis.succeed(
      'addTeamMember',
      { team: { teamId: large.team.teamId }, user: { email: both.email }, role: 'VIEWER' },
      '__typename',
    );
    // Otherwise the record of their first use can be among the statements of the second.
    const never = { lastUsedAt: new Date(Date.now() + 3_600_000) };
    await trellis.services.db.transaction((tx) => tx.accessToken.updateMany({ data: never }));
    const query = `{ teams { totalCount nodes {
      components(image: "a", kind: "web") { totalCount nodes { alias } }
      applications(state: RUNNING) { totalCount nodes { status: state components(desiredState: RUNNING) { totalCount nodes { alias } } } }
      regions { nodes { teams { totalCount edges { resources { usedMemoryMiB } node { name } } } } }
      events(user: { email: "admin@trellis.example" }) { totalCount nodes { action } }
    } } }`;
    const statementsFor = async (token: string) => {
      // The first time, the token is looked up.
      await trellis.data(query, {}, token);
      trellis.statements.length = 0;
      const { teams } = await trellis.data(query, {}, token);
      return [teams.totalCount, trellis.statements.length];
    };
    const [few, fewStatements] = await statementsFor(one.token);
    const [many, manyStatements] = await statementsFor(both.token);
    expect([few, many]).toEqual([1, 2]);
    expect(manyStatements).toBe(fewStatements);
  });
});
