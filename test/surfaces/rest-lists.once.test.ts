import { describe, expect, it } from 'vitest';
import { type Place, unique } from '../support/fixtures.ts';
import { rest } from '../support/openapi.ts';
import { driverOf } from '../support/region-drivers.ts';
import { useTrellis } from '../support/trellis.ts';

const broken = driverOf({
  name: 'broken',
  figures: async () => Promise.reject(new Error('no answer')),
  observe: async () => Promise.reject(new Error('no answer')),
});

const trellis = useTrellis({ drivers: [broken] });

interface Grown extends Place {
  appId: number;
  componentId: string;
}

/** A place with that many applications, components in the first of them, ports on the first of these. */
async function grow(size: number): Promise<Grown> {
  const place = await trellis.createPlace();
  for (let index = 1; index < size; index++) {
    const region = await trellis.createRegion();
    const opened = { team: { teamId: place.team.teamId }, region: { regionId: region.regionId } };
    await trellis.succeed('openTeamRegion', opened, 'team { uid }');
  }
  const applications = [];
  for (let index = 0; index < size; index++) applications.push(await trellis.createApplication(place));
  const { appId } = applications[0]!;
  const components = [];
  for (let index = 0; index < size; index++) {
    const component = await trellis.createComponent(appId, { name: `part-${index}`, deploy: true });
    components.push(component);
    const rule = {
      application: { appId },
      component: { componentId: component.componentId },
      portNumber: 8000,
      opensPort: true,
      domain: `${unique('www')}.example`,
    };
    await trellis.addPort(component.componentId, 8000);
    await trellis.succeed('createHttpRule', rule, 'rule { uid }');
  }
  const { componentId } = components[0]!;
  for (let index = 1; index < size; index++) await trellis.addPort(componentId, 8000 + index);
  return { ...place, appId, componentId };
}

describe('statements', () => {
  it('do not grow in number with the rows listed', async () => {
    const [small, large] = [await grow(2), await grow(9)];
    const lists: [
      name: string,
      at: (grown: Grown) => string,
      count: (body: any) => number,
      body?: (of: Grown) => unknown,
    ][] = [
      ['teams', ({ team }) => `get /teams?query=${team.name}`, (body) => body.tenants.length],
      ['regions', ({ team }) => `get /teams/${team.teamId}/regions`, (body) => body.regions.length],
      [
        'applications',
        ({ team, region }) => `get /teams/${team.teamId}/regions/${region.name}/apps`,
        (body) => body.length,
      ],
      [
        'components',
        ({ team, region, appId }) =>
          `get /teams/${team.teamId}/regions/${region.name}/apps/${appId}/services`,
        (body) => body.length,
      ],
      [
        'ports',
        ({ team, region, appId, componentId }) =>
          `get /teams/${team.teamId}/regions/${region.name}/apps/${appId}/services/${componentId}/ports`,
        (body) => body.length,
      ],
    ];
    for (const [name, at, count] of lists) {
      const statements = async (of: Grown) => {
        // Whoever asks is known by now, and its token touched.
        await rest(trellis, at(of));
        trellis.statements.length = 0;
        const { body } = await rest(trellis, at(of));
        return { rows: count(body), statements: trellis.statements.length };
      };
      const [few, many] = [await statements(small), await statements(large)];
      if (name !== 'teams') expect([few.rows, many.rows], name).toEqual([2, 9]);
      expect(many.statements, name).toBe(few.statements);
      expect(many.statements, name).toBeLessThan(16);
    }
    const teams = async (size: number) => {
      trellis.statements.length = 0;
      const { body } = await rest(trellis, `get /teams?page_size=${size}`);
      expect(body.tenants).toHaveLength(size);
      return trellis.statements.length;
    };
    expect(await teams(2)).toBe(await teams(1));
    const pair = ({ team, region }: Grown) => ({ tenant_id: team.teamId, region_name: region.name });
    const resources = async (pairs: unknown[]) => {
      trellis.statements.length = 0;
      expect((await rest(trellis, 'post /teams/resource', { body: pairs })).body).toHaveLength(pairs.length);
      return trellis.statements.length;
    };
    expect(await resources([pair(small), pair(large)])).toBe(await resources([pair(small)]));
    const rule = (grown: Grown) => ({
      protocol: 'http',
      http: { service_id: grown.componentId, container_port: 8000, domain_name: `${unique('www')}.example` },
    });
    const rules = async (of: Grown) => {
      const at = `post /teams/${of.team.teamId}/regions/${of.region.name}/apps/${of.appId}/domains`;
      trellis.statements.length = 0;
      const { body } = await rest(trellis, at, { body: rule(of) });
      return [body.http.length, trellis.statements.length];
    };
    const [few, many] = [await rules(small), await rules(large)];
    expect(many[0]).toBeGreaterThan(few[0]!);
    expect(many[1]).toBe(few[1]);
  });
});

describe('lists without paging', () => {
  it('are complete and in order, however long', async () => {
    const place = await trellis.createPlace();
    const names = Array.from({ length: 105 }, () => unique('app'));
    for (const name of names) await trellis.createApplication(place, name);
    const at = `/teams/${place.team.teamId}/regions/${place.region.name}/apps`;
    const { body } = await rest(trellis, `get ${at}`);
    expect(body.map((app: any) => app.group_name)).toEqual([...names].sort());
    const one = await rest(trellis, `get ${at}?query=${names[50]!.toUpperCase()}`);
    expect(one.body.map((app: any) => app.group_name)).toEqual([names[50]]);
    const byTeam = await rest(trellis, `get ${at}?query=${place.team.name}`);
    expect(byTeam.body).toHaveLength(105);
    expect((await rest(trellis, `get ${at}?query=%25`)).body).toEqual([]);
    expect((await rest(trellis, `get ${at}?page=1`)).body.issues).toMatchObject([{ path: ['page'] }]);
  });
});

describe('a cluster that does not respond', () => {
  it('affects only its own usage figures', async () => {
    const grown = await grow(1);
    await trellis.services.db.transaction((tx) =>
      tx.region.update({ where: { id: grown.region.regionId }, data: { driver: 'broken' } }),
    );
    const region = await rest(trellis, `get /regions/${grown.region.name}?extend_info=true`);
    expect([region.status, region.body.health_status, region.body.total_cpu]).toEqual([200, 'failure', 0]);
    const at = `/teams/${grown.team.teamId}/regions/${grown.region.name}/apps/${grown.appId}/services`;
    const components = await rest(trellis, `get ${at}`);
    expect([components.status, components.body[0].status]).toEqual([200, 'unknown']);
    expect(components.body[0].access_infos).toHaveLength(1);
    const quiet = await rest(trellis, `get /regions/${grown.region.name}`);
    expect(quiet.body.health_status).toBe('ok');
  });
});
