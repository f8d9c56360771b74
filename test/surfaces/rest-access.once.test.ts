import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/api.ts';
import { type Action, allActions, enumName } from '../../src/kernel/actions.ts';
import {
  administrators,
  type Callers,
  createCallers,
  developers,
  known,
  members,
  type Outcomes,
} from '../support/callers.ts';
import { type All, unique } from '../support/fixtures.ts';
import { createInstall } from '../support/installs.ts';
import { rest } from '../support/openapi.ts';
import { useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();
let all: All;
let people: Callers['people'];
let callers: Callers['tokens'];

beforeAll(async () => {
  all = await trellis.createAll();
  ({ people, tokens: callers } = await createCallers(trellis, all.team.teamId));
});

const place = () => `/teams/${all.team.teamId}/regions/${all.region.name}`;
const app = () => `${place()}/apps/${all.application.appId}`;
const ports = () => `${app()}/services/${all.component.componentId}/ports`;

let freeNumber = 10_000;
async function newPort(): Promise<number> {
  const number = freeNumber++;
  await trellis.addPort(all.component.componentId, number, { protocol: 'TCP' });
  return number;
}

interface Request {
  at: string;
  body?: unknown;
}

/** A row for every route: a request that would succeed, made anew for each try, and who gets what. */
const rows: Record<
  string,
  { request: () => Request | Promise<Request>; isEmpty?: (body: any) => boolean; outcomes: Outcomes }
> = {
  listTeams: {
    request: () => ({ at: `/teams?query=${all.team.name}` }),
    isEmpty: (body) => body.total === 0 && body.tenants.length === 0,
    outcomes: ['empty', 'ok', 'ok', 'ok'],
  },
  listTeamResources: {
    request: () => ({
      at: '/teams/resource',
      body: [{ tenant_id: all.team.teamId, region_name: all.region.name }],
    }),
    isEmpty: (body) => body.length === 0,
    outcomes: ['empty', 'ok', 'ok', 'ok'],
  },
  listAdministrators: {
    request: () => ({ at: '/administrators' }),
    outcomes: administrators,
  },
  listTeamRegions: { request: () => ({ at: `/teams/${all.team.teamId}/regions` }), outcomes: members },
  getRegion: { request: () => ({ at: `/regions/${all.region.name}?extend_info=true` }), outcomes: members },
  listApplications: { request: () => ({ at: `${place()}/apps` }), outcomes: members },
  listComponents: { request: () => ({ at: `${app()}/services` }), outcomes: members },
  listPorts: { request: () => ({ at: ports() }), outcomes: members },
  addPort: {
    request: () => ({ at: ports(), body: { port: freeNumber++, protocol: 'tcp' } }),
    outcomes: developers,
  },
  updatePort: {
    request: async () => ({ at: `${ports()}/${await newPort()}`, body: { action: 'open_inner' } }),
    outcomes: developers,
  },
  deletePort: { request: async () => ({ at: `${ports()}/${await newPort()}` }), outcomes: developers },
  createGatewayRule: {
    request: () => ({
      at: `${app()}/domains`,
      body: {
        protocol: 'http',
        http: {
          service_id: all.component.componentId,
          container_port: 8080,
          domain_name: `${unique('www')}.example`,
        },
      },
    }),
    outcomes: developers,
  },
  installApplication: {
    request: async () => {
      const { at, body } = await createInstall(trellis, all);
      return { at: `${at}/install`, body };
    },
    outcomes: developers,
  },
  listApplicationUpgrades: {
    request: async () => {
      const { at, body } = await createInstall(trellis, all);
      await rest(trellis, `post ${at}/install`, { body });
      return { at: `${at}/upgrade` };
    },
    outcomes: members,
  },
  upgradeApplication: {
    request: async () => {
      const { at, body, upgrade } = await createInstall(trellis, all);
      await rest(trellis, `post ${at}/install`, { body });
      return { at: `${at}/upgrade`, body: upgrade };
    },
    outcomes: developers,
  },
};

describe('every route', () => {
  it('has a test case', () => {
    expect(Object.keys(rows).sort()).toEqual(routes.map(({ operationId }) => operationId).sort());
  });

  it.each(routes.map(({ operationId, method }) => [operationId, method] as const))(
    '%s returns to each caller what they may read',
    async (operationId, method) => {
      const { request, isEmpty = () => false, outcomes } = rows[operationId]!;
      for (const caller of ['none', 'unknown'] as const) {
        const { at, body } = await request();
        const before = await trellis.counts();
        const answer = await rest(trellis, `${method} ${at}`, { body, token: callers[caller] });
        expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHENTICATED']);
        expect(await trellis.counts()).toEqual(before);
      }
      for (const [index, caller] of known.entries()) {
        const { at, body } = await request();
        const before = await trellis.counts();
        const answer = await rest(trellis, `${method} ${at}`, { body, token: callers[caller] });
        const outcome = answer.status === 200 ? (isEmpty(answer.body) ? 'empty' : 'ok') : answer.body.code;
        expect(outcome, `${operationId} for ${caller}: ${answer.text}`).toBe(outcomes[index]);
        if (outcome !== 'ok') expect(await trellis.counts()).toEqual(before);
      }
    },
  );

  /** The action of each route that changes something. */
  const actions: Record<string, Action> = {
    addPort: 'addPort',
    updatePort: 'openInnerService',
    deletePort: 'deletePort',
    createGatewayRule: 'createHttpRule',
    installApplication: 'installApplication',
    upgradeApplication: 'upgradeApplication',
  };
  it.each(routes.filter((route) => rows[route.operationId]?.outcomes === developers))(
    '$operationId refuses a token that allows all but its action, and takes one that allows just that',
    async ({ operationId, method }) => {
      const action = actions[operationId]!;
      const tokens: string[] = [];
      for (const allowed of [[...allActions].filter((each) => each !== action), [action]]) {
        const grants = [{ actions: allowed.map(enumName) }];
        const input = { name: 'narrow', grants };
        tokens.push((await trellis.succeed('createAccessToken', input, 'secret')).secret);
      }
      const { at, body } = await rows[operationId]!.request();
      const before = await trellis.counts();
      const refused = await rest(trellis, `${method} ${at}`, { body, token: tokens[0]! });
      expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN']);
      expect(await trellis.counts()).toEqual(before);
      const done = await rest(trellis, `${method} ${at}`, { body, token: tokens[1]! });
      expect(done.status, done.text).toBe(200);
    },
  );

  it.each(routes.filter((route) => rows[route.operationId]?.outcomes === developers))(
    '$operationId refuses a read-only token',
    async ({ operationId, method }) => {
      const reader = await trellis.succeed(
        'createAccessToken',
        { name: 'reader', isReadOnly: true },
        'secret',
      );
      const { at, body } = await rows[operationId]!.request();
      const before = await trellis.counts();
      const answer = await rest(trellis, `${method} ${at}`, { body, token: reader.secret });
      expect([answer.status, answer.body.detail]).toEqual([403, 'This access token is read-only.']);
      expect(await trellis.counts()).toEqual(before);
    },
  );
});

describe('hidden objects', () => {
  it('get exactly the response of missing ones', async () => {
    const told = async (path: string) => {
      const { status, body } = await rest(trellis, `get ${path}`, { token: people.outsider.token });
      return { status, ...body, requestId: '' };
    };
    for (const [hidden, absent] of [
      [`/teams/${all.team.teamId}/regions`, '/teams/nothing/regions'],
      [`/teams/${all.team.name}/regions`, '/teams/nothing/regions'],
      [`/regions/${all.region.name}`, '/regions/nothing'],
      [`/regions/${all.region.regionId}`, '/regions/nothing'],
      [`${app()}/services`, '/teams/nothing/regions/nothing/apps/1/services'],
      [ports(), '/teams/nothing/regions/nothing/apps/1/services/nothing/ports'],
    ] as const) {
      const answer = await told(hidden);
      expect(answer.code).toBe('NOT_FOUND');
      expect(answer).toEqual(await told(absent));
    }
  });

  it('stay hidden below visible ones', async () => {
    const other = await trellis.createAll();
    const own = await trellis.createMember(other.team.teamId, 'OWNER');
    const at = `/teams/${other.team.teamId}/regions/${other.region.name}/apps`;
    for (const [path, noun] of [
      [`/teams/${other.team.teamId}/regions/${all.region.name}/apps`, 'region'],
      [`${at}/${all.application.appId}/services`, 'application'],
      [`${at}/${other.application.appId}/services/${all.component.componentId}/ports`, 'component'],
      [`${at}/${other.application.appId}/services/${all.component.alias}/ports`, 'component'],
    ] as const) {
      const answer = await rest(trellis, `get ${path}`, { token: own.token });
      expect([answer.status, answer.body.detail]).toEqual([404, `There is no such ${noun}.`]);
    }
  });

  it('include components, applications and regions of other parents, for administrators too', async () => {
    const other = await trellis.createAll();
    const closed = await trellis.createRegion();
    const second = await trellis.createApplication(all);
    const at = (team: string, region: string, appId: number) =>
      `/teams/${team}/regions/${region}/apps/${appId}/services`;
    for (const [path, noun] of [
      [at(all.team.teamId, closed.name, all.application.appId), 'region'],
      [at(all.team.teamId, all.region.name, other.application.appId), 'application'],
      [
        `${at(all.team.teamId, all.region.name, second.appId)}/${all.component.componentId}/ports`,
        'component',
      ],
      [`${at(all.team.teamId, all.region.name, second.appId)}/${all.component.alias}/ports`, 'component'],
    ] as const) {
      const answer = await rest(trellis, `get ${path}`);
      expect([answer.status, answer.body.detail]).toEqual([404, `There is no such ${noun}.`]);
    }
  });
});

describe('credentials of regions', () => {
  it('are visible to administrators only', async () => {
    const credentials = { token: 'T', caCertificate: 'CA', clientCertificate: 'CERT', clientKey: 'KEY' };
    const region = await trellis.createRegion({ credentials });
    await trellis.succeed(
      'openTeamRegion',
      { team: { teamId: all.team.teamId }, region: { regionId: region.regionId } },
      'team { uid }',
    );
    const list = `get /teams/${all.team.teamId}/regions?query=${region.name}`;
    const data = `get /regions/${region.name}`;
    expect((await rest(trellis, list)).body.regions).toMatchObject([{ token: 'T' }]);
    expect((await rest(trellis, data)).body).toMatchObject({
      ssl_ca_cert: 'CA',
      cert_file: 'CERT',
      key_file: 'KEY',
    });
    const { token } = people.developer;
    expect((await rest(trellis, list, { token })).body.regions).toMatchObject([{ token: null }]);
    expect((await rest(trellis, data, { token })).body).toMatchObject({
      ssl_ca_cert: '',
      cert_file: '',
      key_file: '',
    });
  });
});

describe('names in paths', () => {
  it('mean the team by id or name, the region by name or id, the component by id or alias', async () => {
    const bodies = [];
    for (const team of [all.team.teamId, all.team.name]) {
      for (const region of [all.region.name, all.region.regionId]) {
        for (const component of [all.component.componentId, all.component.alias]) {
          const at = `/teams/${team}/regions/${region}/apps/${all.application.appId}/services/${component}/ports`;
          bodies.push((await rest(trellis, `get ${at}`)).text);
        }
      }
    }
    expect(bodies).toHaveLength(8);
    expect(new Set(bodies).size).toBe(1);
  });
});
