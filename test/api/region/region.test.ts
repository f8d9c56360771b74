import { describe, expect, it } from 'vitest';
import { unique } from '../../support/fixtures.ts';
import { failing, hanging } from '../../support/region-drivers.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis({ drivers: [failing, hanging] });

const useDriver = (regionId: string, driver: string) =>
  trellis.services.db.transaction((tx) => tx.region.update({ where: { id: regionId }, data: { driver } }));

async function createLoadedPlace(quota: object = {}) {
  const team = await trellis.createTeam();
  const region = await trellis.createRegion({ cpuCores: 12.5, memoryMiB: 65_536, diskGiB: 500 });
  await trellis.succeed(
    'openTeamRegion',
    { team: { teamId: team.teamId }, region: { regionId: region.regionId }, ...quota },
    'team { uid }',
  );
  const { appId } = await trellis.createApplication({ team, region });
  const size = { replicas: 3, cpuMillicores: 250, memoryMiB: 1_000 };
  await trellis.createComponent(appId, { ...size, deploy: true });
  await trellis.createComponent(appId, { ...size, deploy: true });
  // One that is not deployed requests nothing.
  await trellis.createComponent(appId, size);
  return { team, region, appId };
}

describe('createRegion', () => {
  const create = (input: object) =>
    trellis.attempt('createRegion', input, 'region { url websocketUrl httpDomain tcpDomain }');

  it('needs only a name without a cluster, and derives what is not given', async () => {
    const name = unique('region');
    expect((await create({ name, driver: 'SIMULATED' })).region).toEqual({
      url: `https://${name}.test`,
      websocketUrl: `wss://${name}.test`,
      httpDomain: `${name}.test`,
      tcpDomain: `${name}.test`,
    });
    const given = { name: unique('region'), url: 'http://10.0.0.1:8080/api', httpDomain: 'apps.example.com' };
    expect((await create(given)).region).toEqual({
      url: given.url,
      websocketUrl: 'ws://10.0.0.1:8080/api',
      httpDomain: given.httpDomain,
      tcpDomain: given.httpDomain,
    });
  });

  it('needs an address and a domain with a cluster', async () => {
    const input = { name: unique('region'), driver: 'KUBERNETES' };
    const issueOf = async (given: object) => (await create({ ...input, ...given })).issues;
    expect(await issueOf({ url: 'https://10.0.0.1' })).toEqual([
      { path: ['input', 'httpDomain'], message: 'Required for the driver KUBERNETES' },
    ]);
    expect(await issueOf({ httpDomain: 'apps.example.com' })).toEqual([
      {
        path: ['input', 'url'],
        message: 'Required for the driver KUBERNETES, unless `kubeconfig` is set',
      },
    ]);
  });
});

describe('Region.usage', () => {
  it('is the sum of what the deployed components request', async () => {
    const { region } = await createLoadedPlace();
    const data = await trellis.data(
      `{ region(by: { regionId: "${region.regionId}" }) { status scope health usage {
        usedCpuCores totalCpuCores usedMemoryMiB totalMemoryMiB usedDiskGiB totalDiskGiB } } }`,
    );
    expect(data.region).toEqual({
      status: 'ENABLED',
      scope: 'PRIVATE',
      health: 'OK',
      usage: {
        usedCpuCores: 1.5,
        totalCpuCores: 12.5,
        usedMemoryMiB: 6_000,
        totalMemoryMiB: 65_536,
        usedDiskGiB: 0,
        totalDiskGiB: 500,
      },
    });
  });

  it.each(['failing', 'hanging'])('returns its own error when the driver is %s', async (driver) => {
    const { team, region, appId } = await createLoadedPlace();
    await useDriver(region.regionId, driver);
    const { data, errors } = await trellis.graphql(
      `{ team(by: { teamId: "${team.teamId}" }) { name regions { nodes { name health usage { usedCpuCores } } }
        applications { nodes { appId: uid components(first: 2) { nodes { name status: state } } } } } }`,
    );
    expect(data.team.name).toBe(team.name);
    expect(data.team.regions.nodes).toEqual([{ name: region.name, health: 'FAILURE', usage: null }]);
    expect(data.team.applications.nodes[0].appId).toBe(appId);
    expect(data.team.applications.nodes[0].components.nodes.map((each: any) => each.status)).toEqual([
      null,
      null,
    ]);
    expect(new Set(errors?.map((error) => error.extensions.code))).toEqual(new Set(['REGION_UNAVAILABLE']));
    expect(JSON.stringify(errors)).not.toContain('fire');
    expect(errors?.map((error) => error.path?.at(-1)).sort()).toEqual(['status', 'status', 'usage']);
  });
});

const resources =
  'totalCpuMillicores usedCpuMillicores usedCpuPercentage totalMemoryMiB usedMemoryMiB usedMemoryPercentage';

describe('teamResources', () => {
  it('returns the quota of a team and what it requests, with percentages', async () => {
    const { team, region } = await createLoadedPlace({ cpuQuotaMillicores: 7_000, memoryQuotaMiB: 9_000 });
    const data = await trellis.data(
      `{ team(by: { teamId: "${team.teamId}" }) { resources(region: { name: "${region.name}" }) { ${resources} } } }`,
    );
    expect(data.team.resources).toEqual({
      totalCpuMillicores: 7_000,
      usedCpuMillicores: 1_500,
      usedCpuPercentage: 21.43,
      totalMemoryMiB: 9_000,
      usedMemoryMiB: 6_000,
      usedMemoryPercentage: 66.67,
    });
  });

  it('returns percentages of 0 without a quota', async () => {
    const { team, region } = await createLoadedPlace();
    const data = await trellis.data(
      `{ team(by: { teamId: "${team.teamId}" }) { resources(region: { name: "${region.name}" }) { ${resources} } } }`,
    );
    expect(data.team.resources).toMatchObject({
      totalCpuMillicores: 0,
      usedCpuPercentage: 0,
      usedMemoryPercentage: 0,
    });
  });

  it('omits missing pairs, answers duplicates once, and keeps the order', async () => {
    const [one, other] = [await createLoadedPlace(), await createLoadedPlace()];
    const pair = (place: typeof one) => ({
      team: { teamId: place.team.teamId },
      region: { regionId: place.region.regionId },
    });
    const of = [
      pair(other),
      { team: { name: 'nobody' }, region: { name: one.region.name } },
      pair(one),
      { team: { teamId: one.team.teamId }, region: { regionId: other.region.regionId } },
      { team: { name: other.team.name }, region: { name: other.region.name } },
    ];
    trellis.statements.length = 0;
    const data = await trellis.data(
      'query R($of: [TeamRegionRef!]!) { teamResources(of: $of) { team { name } region { name } usedCpuMillicores } }',
      { of },
    );
    expect(data.teamResources).toEqual([
      { team: { name: other.team.name }, region: { name: other.region.name }, usedCpuMillicores: 1_500 },
      { team: { name: one.team.name }, region: { name: one.region.name }, usedCpuMillicores: 1_500 },
    ]);
    expect(trellis.statements.length).toBeLessThan(15);
  });

  it.each([
    [{ team: { name: 'a\u0000b' }, region: { name: 'x' } }, ['of', 1, 'team', 'name']],
    [{ team: { name: 'x' }, region: { name: '\u0000' } }, ['of', 1, 'region', 'name']],
    [{ team: { teamId: '\ud800' }, region: { name: 'x' } }, ['of', 1, 'team', 'teamId']],
  ])('refuses %j', async (wrong, path) => {
    const of = [{ team: { name: 'x' }, region: { name: 'x' } }, wrong];
    const query = 'query R($of: [TeamRegionRef!]!) { teamResources(of: $of) { usedCpuMillicores } }';
    const { errors } = await trellis.graphql(query, { of });
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT', issues: [{ path }] } }]);
  });

  it('accepts at most 100 pairs', async () => {
    const of = Array(101).fill({ team: { name: 'x' }, region: { name: 'x' } });
    const query = 'query R($of: [TeamRegionRef!]!) { teamResources(of: $of) { usedCpuMillicores } }';
    const { errors } = await trellis.graphql(query, { of });
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT', issues: [{ path: ['of'] }] } }]);
    expect(await trellis.data(query, { of: of.slice(1) })).toEqual({ teamResources: [] });
  });
});

describe('the regions of a team', () => {
  it('are those opened for it, in any status, searched and filtered', async () => {
    const { team, region } = await trellis.createPlace();
    const second = await trellis.createRegion({ status: 'DISABLED', alias: 'Großer Rechner' });
    const open = { team: { teamId: team.teamId }, region: { regionId: second.regionId } };
    await trellis.succeed('openTeamRegion', open, 'team { regionCount regions { totalCount } }');
    expect(await trellis.attempt('openTeamRegion', open)).toMatchObject({ code: 'CONFLICT' });
    const list = async (args: string) => {
      const data = await trellis.data(
        `{ team(by: { teamId: "${team.teamId}" }) { regions${args} { totalCount nodes { name } } } }`,
      );
      return data.team.regions.nodes.map((each: any) => each.name);
    };
    expect(await list('')).toEqual([region.name, second.name].sort());
    expect(await list('(status: DISABLED)')).toEqual([second.name]);
    expect(await list('(search: "GROßER")')).toEqual([second.name]);
    expect(await list(`(search: "${region.name.toUpperCase()}")`)).toEqual([region.name]);
  });

  it.each([
    [{ url: 'ftp://x' }, 'url'],
    [{ url: 'nonsense' }, 'url'],
    [{ url: 'https://admin:hunter2@x.example' }, 'url'],
    [{ url: 'https://hunter2@x.example' }, 'url'],
    [{ url: 'https://:hunter2@x.example' }, 'url'],
    [{ websocketUrl: 'wss://admin:hunter2@x.example' }, 'websocketUrl'],
    [{ websocketUrl: 'https://x' }, 'websocketUrl'],
    [{ httpDomain: 'under_score.example' }, 'httpDomain'],
    [{ name: 'Upper' }, 'name'],
    [{ cpuCores: -1 }, 'cpuCores'],
  ])('are not created with %j', async (wrong, field) => {
    const before = await trellis.counts();
    const result = await trellis.attempt('createRegion', {
      name: 'wrong',
      url: 'https://x.example',
      websocketUrl: 'wss://x.example',
      httpDomain: 'x.example',
      tcpDomain: 'x.example',
      ...wrong,
    });
    expect(result).toMatchObject({ __typename: 'InvalidInputError' });
    expect(result.issues.map((issue: any) => issue.path)).toContainEqual(['input', field]);
    expect(JSON.stringify(result)).not.toContain('hunter2');
    expect(await trellis.counts()).toEqual(before);
  });
});
