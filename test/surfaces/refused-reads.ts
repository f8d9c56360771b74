import type { Operation, Refused, Scene } from '../support/surfaces-scene.ts';

const teamQuery = (name: string, selection: string) => ({
  query: `query Q($name: String!) { team(by: { name: $name }) { ${selection} } }`,
  variables: { name },
});
const long = 'x'.repeat(201);

/** Pages that are none. GraphQL counts with `first`, REST with `page` and `page_size`. */
const pages = (
  at: (scene: Scene) => string,
  list: (scene: Scene, args: string) => { query: string; variables?: object },
): Refused[] =>
  (
    [
      ['page=0', 'first: -1', 'page'],
      ['page=-1', 'first: -1', 'page'],
      ['page_size=0', 'first: -1', 'page_size'],
      ['page_size=1001', 'first: 101', 'page_size'],
    ] as const
  ).map(([query, args, field]) => ({
    what: query,
    code: 'INVALID_INPUT',
    rest: (scene) => ({ at: `GET ${at(scene)}?${query}` }),
    graphql: (scene) => list(scene, args),
    fields: [field, 'first'],
  }));

const searches = (
  at: (scene: Scene) => string,
  list: (scene: Scene, args: string) => { query: string; variables?: object },
): Refused[] =>
  [
    ['an over-long search', long, long],
    ['a search with a control character', '%01', '\\u0001'],
  ].map(([what, query, search]) => ({
    what: what!,
    code: 'INVALID_INPUT',
    rest: (scene) => ({ at: `GET ${at(scene)}?query=${query}` }),
    graphql: (scene) => list(scene, `search: "${search}"`),
    fields: ['query', 'search'],
  }));

const teams = (_: Scene, args = '') => ({ query: `{ teams${args && `(${args})`} { totalCount } }` });
const listTeams: Operation = {
  takes: 'anybody',
  valid: (scene) => ({ rest: { at: 'GET /teams' }, graphql: teams(scene) }),
  refused: [...pages(() => '/teams', teams), ...searches(() => '/teams', teams)],
};

const regionsAt = (scene: Scene) => `/teams/${scene.twin.place.team.name}/regions`;
const regions = (scene: Scene, args = '') =>
  teamQuery(scene.twin.place.team.name, `regions${args && `(${args})`} { totalCount }`);
const listTeamRegions: Operation = {
  takes: 'member',
  valid: (scene) => ({ rest: { at: `GET ${regionsAt(scene)}` }, graphql: regions(scene) }),
  refused: [
    ...pages(regionsAt, regions),
    ...searches(regionsAt, regions),
    {
      what: 'a team that is not there',
      code: 'NOT_FOUND',
      rest: () => ({ at: 'GET /teams/nobody/regions' }),
      graphql: () => teamQuery('nobody', 'regions { totalCount }'),
    },
    {
      what: 'a team that can be none',
      code: 'INVALID_INPUT',
      rest: () => ({ at: 'GET /teams/%00/regions' }),
      graphql: () => teamQuery('\u0000', 'regions { totalCount }'),
      fields: ['team_id', 'by.name'],
    },
  ],
};

const regionQuery = (name: string) => ({
  query: 'query Q($name: String!) { region(by: { name: $name }) { alias } }',
  variables: { name },
});
const getRegion: Operation = {
  takes: 'member',
  // Its own region: the other team's owner sees that of the twin.
  valid: ({ disabled }) => ({
    rest: { at: `GET /regions/${disabled.place.region.name}` },
    graphql: regionQuery(disabled.place.region.name),
  }),
  refused: [
    {
      what: 'a region that is not there',
      code: 'NOT_FOUND',
      rest: () => ({ at: 'GET /regions/nowhere' }),
      graphql: () => regionQuery('nowhere'),
    },
    {
      what: 'a region of a team that the caller does not belong to',
      code: 'NOT_FOUND',
      rest: ({ disabled, viewer }) => ({
        at: `GET /regions/${disabled.place.region.regionId}`,
        token: viewer.token,
      }),
      graphql: ({ disabled, viewer }) => ({
        query: `{ region(by: { regionId: "${disabled.place.region.regionId}" }) { alias } }`,
        token: viewer.token,
      }),
    },
    {
      what: 'a region that can be none',
      code: 'INVALID_INPUT',
      rest: () => ({ at: 'GET /regions/%00' }),
      graphql: () => regionQuery('\u0000'),
      fields: ['region_id', 'by.name'],
    },
  ],
};

const applications = (team: string, region: string, search = '') => ({
  query: `query Q($team: String!, $region: String!, $search: String!) { team(by: { name: $team }) {
    applications(region: { name: $region }, search: $search) { totalCount } } }`,
  variables: { team, region, search },
});
const listApplications: Operation = {
  takes: 'member',
  valid: ({ twin: { place } }) => ({
    rest: { at: `GET /teams/${place.team.name}/regions/${place.region.name}/apps` },
    graphql: applications(place.team.name, place.region.name),
  }),
  refused: [
    ...[
      { what: 'a team that is not there', team: 'nobody', region: undefined },
      { what: 'a region that is not there', team: undefined, region: 'nowhere' },
    ].map(
      ({ what, team, region }): Refused => ({
        what,
        code: 'NOT_FOUND',
        rest: ({ twin: { place } }) => ({
          at: `GET /teams/${team ?? place.team.name}/regions/${region ?? place.region.name}/apps`,
        }),
        graphql: ({ twin: { place } }) => applications(team ?? place.team.name, region ?? place.region.name),
      }),
    ),
    {
      what: 'a region that is not opened for the team',
      code: 'NOT_FOUND',
      rest: ({ twin, disabled }) => ({
        at: `GET /teams/${twin.place.team.name}/regions/${disabled.place.region.name}/apps`,
      }),
      graphql: ({ twin, disabled }) => applications(twin.place.team.name, disabled.place.region.name),
    },
    {
      what: 'an over-long search',
      code: 'INVALID_INPUT',
      rest: ({ twin: { place } }) => ({
        at: `GET /teams/${place.team.name}/regions/${place.region.name}/apps?query=${long}`,
      }),
      graphql: ({ twin: { place } }) => applications(place.team.name, place.region.name, long),
      fields: ['query', 'search'],
    },
  ],
};

/** What hangs on an application is refused with it, alike for all of it. */
const ofApplication = (list: string, path: string): Operation => {
  const graphql = (appId: unknown) => ({
    query: `query Q($appId: Int!) { application(by: { appId: $appId }) { ${list} } }`,
    variables: { appId },
  });
  const at = ({ twin: { place } }: Scene, appId: unknown) =>
    `GET /teams/${place.team.name}/regions/${place.region.name}/apps/${appId}/${path}`;
  return {
    takes: 'member',
    valid: (scene) => ({
      rest: { at: `GET ${scene.twin.application}/${path}` },
      graphql: graphql(scene.twin.appId),
    }),
    refused: [
      {
        what: 'an application that is not there',
        code: 'NOT_FOUND',
        rest: (scene) => ({ at: at(scene, 999_999) }),
        graphql: () => graphql(999_999),
      },
      ...[
        [0, 'by.appId'],
        ['one', 'appId'],
        [2_147_483_648, 'appId'],
      ].map(
        ([appId, field]): Refused => ({
          what: `an application numbered ${appId}`,
          code: 'INVALID_INPUT',
          rest: (scene) => ({ at: at(scene, appId) }),
          graphql: () => graphql(appId),
          fields: ['app_id', String(field)],
        }),
      ),
    ],
  };
};
const listComponents = ofApplication('components { totalCount }', 'services');
const listApplicationUpgrades = ofApplication('upgrades { canUpgrade }', 'upgrade');

const ports = (componentId: string) => ({
  query: 'query Q($id: String!) { component(by: { componentId: $id }) { ports { totalCount } } }',
  variables: { id: componentId },
});
const listPorts: Operation = {
  takes: 'member',
  valid: ({ twin }) => ({
    rest: { at: `GET ${twin.component}/ports` },
    graphql: ports(twin.componentId),
  }),
  refused: [
    {
      what: 'a component that is not there',
      code: 'NOT_FOUND',
      rest: ({ twin }) => ({ at: `GET ${twin.application}/services/none/ports` }),
      graphql: () => ports('none'),
    },
    {
      what: 'a component that can be none',
      code: 'INVALID_INPUT',
      rest: ({ twin }) => ({ at: `GET ${twin.application}/services/%20/ports` }),
      graphql: () => ports(' '),
      fields: ['service_id', 'by.componentId'],
    },
  ],
};

const resources = (of: unknown) => ({
  query: 'query Q($of: [TeamRegionRef!]!) { teamResources(of: $of) { usedCpuMillicores } }',
  variables: { of },
});
const pair = { tenant_id: 'x', region_name: 'x' };
const ref = { team: { name: 'x' }, region: { name: 'x' } };
const listTeamResources: Operation = {
  takes: 'anybody',
  valid: () => ({ rest: { at: 'POST /teams/resource', body: [pair] }, graphql: resources([ref]) }),
  refused: (
    [
      ['no team', [pair, { region_name: 'x' }], [ref, { region: { name: 'x' } }], '1.tenant_id', 'of.1.team'],
      ['no region', [{ tenant_id: 'x' }], [{ team: { name: 'x' } }], '0.region_name', 'of.0.region'],
      [
        'a team that can be none',
        [{ ...pair, tenant_id: '\u0000' }],
        [{ ...ref, team: { name: '\u0000' } }],
        '0.tenant_id',
        'of.0.team.name',
      ],
      ['an unknown field', [{ ...pair, colour: 1 }], [{ ...ref, colour: 1 }], '0.colour', 'of.0.colour'],
      ['101 pairs', Array(101).fill(pair), Array(101).fill(ref), '', 'of'],
      ['what is no list', { a: 1 }, 7, '', 'of'],
    ] as const
  ).map(([what, body, of, field, path]) => ({
    what,
    code: 'INVALID_INPUT',
    rest: () => ({ at: 'POST /teams/resource', body }),
    graphql: () => resources(of),
    fields: [field, path],
  })),
};

const administrators = (_: Scene, args = '') => ({
  query: `{ administrators${args && `(${args})`} { totalCount } }`,
});
const listAdministrators: Operation = {
  takes: 'administrator',
  valid: (scene) => ({ rest: { at: 'GET /administrators' }, graphql: administrators(scene) }),
  refused: [
    ...pages(() => '/administrators', administrators),
    {
      what: 'an enterprise that is not there',
      code: 'NOT_FOUND',
      rest: () => ({ at: 'GET /administrators?eid=none' }),
      graphql: (scene) => administrators(scene, 'enterpriseId: "none"'),
    },
  ],
};

export const refusedReads: Record<string, Operation> = {
  listTeams,
  listTeamRegions,
  getRegion,
  listApplications,
  listComponents,
  listApplicationUpgrades,
  listPorts,
  listTeamResources,
  listAdministrators,
};
