import { describe, expect, it } from 'vitest';
import { type Place, refsOf, unique } from '../../support/fixtures.ts';
import { createInstall } from '../../support/installs.ts';
import { useTrellis } from '../../support/trellis.ts';
import { type Edit, upgradesOf } from '../../support/upgrades.ts';

const trellis = useTrellis();

const setQuota = (place: Place, cpuQuotaMillicores: number, memoryQuotaMiB = 0) =>
  trellis.succeed(
    'setTeamQuota',
    { ...refsOf(place), cpuQuotaMillicores, memoryQuotaMiB },
    'resources { totalCpuMillicores usedCpuMillicores totalMemoryMiB }',
  );

const create = (appId: number, input: object) =>
  trellis.data(
    `mutation M($input: CreateComponentInput!) { createComponent(input: $input) { __typename
      ... on QuotaExceededError { code message resource available requested } ... on Error { code } } }`,
    { input: { application: { appId }, name: 'web', image: 'nginx:1.29', ...input } },
  );

describe('a quota', () => {
  it('is not exceeded by deployments, and the error says how much is left', async () => {
    const place = await trellis.createPlace();
    const { appId } = await trellis.createApplication(place);
    await trellis.createComponent(appId, { deploy: true, replicas: 2, cpuMillicores: 300 });
    expect((await setQuota(place, 1000, 2048)).resources).toEqual({
      totalCpuMillicores: 1000,
      usedCpuMillicores: 600,
      totalMemoryMiB: 2048,
    });
    const size = { replicas: 2, cpuMillicores: 201, memoryMiB: 1 };
    expect((await create(appId, { ...size, deploy: true })).createComponent).toEqual({
      __typename: 'QuotaExceededError',
      code: 'QUOTA_EXCEEDED',
      message: `The team ${place.team.name} has 400 millicores of its CPU quota left in the region ${place.region.name}. The change needs 402 more.`,
      resource: 'CPU',
      available: 400,
      requested: 402,
    });
    const large = { cpuMillicores: 0, memoryMiB: 1025, deploy: true };
    expect((await create(appId, large)).createComponent).toMatchObject({
      resource: 'MEMORY',
      available: 1024,
      requested: 1025,
    });
    // What is not deployed requests nothing; what just fits is taken.
    await trellis.createComponent(appId, size);
    await trellis.createComponent(appId, { ...size, cpuMillicores: 200, deploy: true });
    await setQuota(place, 0);
    await trellis.createComponent(appId, { ...size, deploy: true });
  });

  it('is summed up only for changes of what is requested', async () => {
    const place = await trellis.createPlace();
    const { appId } = await trellis.createApplication(place);
    const { componentId } = await trellis.createComponent(appId, { deploy: true });
    await setQuota(place, 1000);
    const sumsOf = async (changes: object) => {
      trellis.statements.length = 0;
      await trellis.succeed('updateComponent', { component: { componentId }, ...changes }, '__typename');
      return trellis.statements.filter((text) => /\bsum\(/i.test(text)).length;
    };
    expect(await sumsOf({ name: 'Renamed', image: 'nginx:1.30' })).toBe(0);
    expect(await sumsOf({ cpuMillicores: 501 })).toBe(2);
  });

  it('gives the last of it to one of two concurrent requests', async () => {
    const place = await trellis.createPlace();
    const { appId } = await trellis.createApplication(place);
    await setQuota(place, 1000);
    const results = await Promise.all(
      [1, 2, 3, 4].map(() => create(appId, { cpuMillicores: 400, deploy: true })),
    );
    expect(results.map((each) => each.createComponent.__typename).sort()).toEqual([
      'CreateComponentPayload',
      'CreateComponentPayload',
      'QuotaExceededError',
      'QuotaExceededError',
    ]);
  });

  it('applies to installs, also over REST, which leave nothing behind when refused', async () => {
    const place = await trellis.createPlace();
    const { at, body } = await createInstall(trellis, place, 3);
    await setQuota(place, 1000);
    const post = (query: string) =>
      fetch(`${trellis.url}/openapi/v1${at}/install${query}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${trellis.adminToken}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    const before = await trellis.counts();
    const refused = await post('?is_deploy=true');
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({
      code: 'QUOTA_EXCEEDED',
      detail: expect.stringContaining('1000 millicores of its CPU quota left'),
    });
    expect(await trellis.counts()).toEqual(before);
    expect((await post('')).status).toBe(200);
  });

  it('applies to upgrades that request more, and to their dry runs', async () => {
    const { installed, upgrade } = upgradesOf(trellis);
    const sized =
      (memory: number): Edit =>
      (app) =>
        Object.assign(app, { memory });
    const { appId, key, place } = await installed(2, [sized(500), sized(600), sized(400)]);
    await setQuota(place, 0, 1100);
    for (const dryRun of [true, false]) {
      expect(await upgrade(appId, key, '2.0.0', dryRun)).toMatchObject({ code: 'QUOTA_EXCEEDED' });
    }
    // Below what is deployed already: a change that requests less is no change for the worse.
    await setQuota(place, 0, 900);
    expect((await upgrade(appId, key, '3.0.0')).outcomes).toHaveLength(1);
  });

  it('is set by enterprise administrators only', async () => {
    const place = await trellis.createPlace();
    const owner = await trellis.createMember(place.team.teamId, 'OWNER');
    const set = { ...refsOf(place), cpuQuotaMillicores: 1 };
    expect(await trellis.attempt('setTeamQuota', set, '__typename', owner.token)).toMatchObject({
      code: 'FORBIDDEN',
    });
    const region = await trellis.createRegion({ scope: 'PUBLIC' });
    const open = { team: set.team, region: { regionId: region.regionId } };
    for (const quota of [{ cpuQuotaMillicores: 5 }, { memoryQuotaMiB: 0 }]) {
      const result = await trellis.attempt(
        'openTeamRegion',
        { ...open, ...quota },
        '__typename',
        owner.token,
      );
      expect(result).toMatchObject({ code: 'FORBIDDEN' });
    }
    expect(await trellis.attempt('setTeamQuota', { ...open, cpuQuotaMillicores: 1 })).toMatchObject({
      code: 'NOT_FOUND',
    });
    await trellis.succeed('openTeamRegion', open, 'team { uid }', owner.token);
  });
});

describe('a public region', () => {
  it('is visible to everyone in the enterprise, and opened by team admins', async () => {
    const [team, other] = [await trellis.createTeam(), await trellis.createTeam()];
    const admin = await trellis.createMember(team.teamId, 'ADMIN');
    const stranger = await trellis.createMember(other.teamId, 'VIEWER');
    const region = await trellis.createRegion({ scope: 'PUBLIC' });
    for (const { token } of [admin, stranger]) {
      const data = await trellis.data(
        `{ region(by: { name: "${region.name}" }) { scope teams { totalCount } }
           viewer { enterprise { regions(first: 100) { nodes { name } } } } }`,
        {},
        token,
      );
      expect(data.region).toEqual({ scope: 'PUBLIC', teams: { totalCount: 0 } });
      expect(data.viewer.enterprise.regions.nodes).toContainEqual({ name: region.name });
    }
    const open = refsOf({ team, region });
    await trellis.succeed('openTeamRegion', open, 'team { uid }', admin.token);
    expect(await trellis.attempt('openTeamRegion', open, '__typename', admin.token)).toMatchObject({
      code: 'CONFLICT',
    });
  });

  it('can be opened by team admins, unlike a private one', async () => {
    const [one, two] = [await trellis.createPlace(), await trellis.createTeam()];
    const admin = await trellis.createMember(two.teamId, 'ADMIN');
    const open = refsOf({ team: two, region: one.region });
    const tried = () => trellis.attempt('openTeamRegion', open, '__typename', admin.token);
    expect(await tried()).toMatchObject({ code: 'NOT_FOUND' });
    await trellis.succeed(
      'addTeamMember',
      { team: { teamId: one.team.teamId }, user: { userId: admin.userId }, role: 'VIEWER' },
      'member { role }',
    );
    expect(await tried()).toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('the teams of a region', () => {
  it('have their quota and usage, for administrators of all teams and for members of their own', async () => {
    const { team, region, application } = await trellis.createAll();
    await trellis.createComponent(application.appId, {
      replicas: 3,
      cpuMillicores: 200,
      memoryMiB: 128,
      deploy: true,
    });
    const other = await trellis.createTeam(`a-${unique('team')}`);
    const open = refsOf({ team: other, region });
    await trellis.succeed('openTeamRegion', { ...open, memoryQuotaMiB: 1024 }, '__typename');
    const quota = refsOf({ team, region });
    await trellis.succeed('setTeamQuota', { ...quota, cpuQuotaMillicores: 2_400 }, '__typename');
    const member = await trellis.createMember(team.teamId, 'VIEWER');
    const fields =
      'totalCpuMillicores usedCpuMillicores usedCpuPercentage totalMemoryMiB usedMemoryMiB team { name } region { name }';
    const list = async (args: string, token?: string) => {
      const { data } = await trellis.graphql(
        `{ region(by: { regionId: "${region.regionId}" }) { teams${args} {
          totalCount edges { node { name } resources { ${fields} } } pageInfo { hasNextPage endCursor } } } }`,
        {},
        token,
      );
      return data.region.teams;
    };
    const own = {
      node: { name: team.name },
      resources: {
        totalCpuMillicores: 2_400,
        usedCpuMillicores: 600,
        usedCpuPercentage: 25,
        totalMemoryMiB: 0,
        usedMemoryMiB: 384,
        team: { name: team.name },
        region: { name: region.name },
      },
    };
    const all = await list('');
    expect(all.totalCount).toBe(2);
    expect(all.edges[0]).toMatchObject({
      node: { name: other.name },
      resources: { totalCpuMillicores: 0, totalMemoryMiB: 1024, usedMemoryMiB: 0 },
    });
    expect(all.edges[1]).toEqual(own);
    expect(await list('', member.token)).toMatchObject({ totalCount: 1, edges: [own] });
    const first = await list('(first: 1)');
    expect([first.edges, first.pageInfo.hasNextPage]).toEqual([[all.edges[0]], true]);
    expect((await list(`(first: 1, after: "${first.pageInfo.endCursor}")`)).edges).toEqual([own]);
  });
});
