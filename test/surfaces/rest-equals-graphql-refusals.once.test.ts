import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/api.ts';
import type { Route } from '../../src/rest/route.ts';
import { type GraphqlCall, type RestCall, refusedByGraphql, refusedByRest } from '../support/surfaces.ts';
import { createScene, type Operation, type Refused, type Scene } from '../support/surfaces-scene.ts';
import { stateOf } from '../support/surfaces-twins.ts';
import { refusedPorts } from './refused-ports.ts';
import { refusedReads } from './refused-reads.ts';
import { createGatewayRule } from './refused-rules.ts';
import { installApplication, upgradeApplication } from './refused-store.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await createScene();
}, 180_000);
afterAll(() => scene?.close());

/** Every operation of the contract, and what it refuses. */
const table: Record<string, Operation> = {
  ...refusedReads,
  ...refusedPorts,
  createGatewayRule,
  installApplication,
  upgradeApplication,
};
const writing = Object.entries(table).filter(([, { takes }]) => takes === 'developer');
const ofTeams = Object.entries(table).filter(([, { takes }]) => takes === 'developer' || takes === 'member');

it('every route of the contract has a row', () => {
  expect(Object.keys(table).sort()).toEqual(routes.map((route) => route.operationId).sort());
  // What changes something is not tried by viewers in vain.
  const reads = ({ method, operationId }: Route) => method === 'get' || operationId === 'listTeamResources';
  const changing = routes.filter((route) => !reads(route)).map((route) => route.operationId);
  expect(writing.map(([name]) => name).sort()).toEqual(changing.sort());
});

/** Both refuse with the code, each naming the fields in its own words, and neither changes a row. */
async function compare(
  code: string,
  rest: RestCall,
  graphql: GraphqlCall,
  fields?: Refused['fields'],
): Promise<void> {
  const before = await scene.trellis.counts();
  const [one, other] = [
    await refusedByRest(scene.trellis, rest),
    await refusedByGraphql(scene.trellis, graphql),
  ];
  expect([one.code, other.code]).toEqual([code, code]);
  expect([one.fields, other.fields]).toEqual(fields?.map((each) => [each].flat()) ?? [[], []]);
  // What is wrong with a field has its name in it; everything else is said in the same words.
  if (code !== 'INVALID_INPUT') expect(one.message).toBe(other.message);
  expect(await scene.trellis.counts()).toEqual(before);
}

/** What any operation of its kind refuses, made from a request that it takes. */
function refusedOfAll({ takes, valid }: Operation): Refused[] {
  const by = (what: string, code: string, token: (of: Scene) => string | null, twin?: 'disabled') => ({
    what,
    code,
    rest: (of: Scene) => ({ ...valid(of, twin && of[twin]).rest, token: token(of) }),
    graphql: (of: Scene) => ({ ...valid(of, twin && of[twin]).graphql, token: token(of) }) as GraphqlCall,
  });
  return [
    by('no token', 'UNAUTHENTICATED', () => null),
    by('a token that is none', 'UNAUTHENTICATED', () => 'trl_nothing'),
    ...(takes === 'developer'
      ? [
          by('a viewer', 'FORBIDDEN', ({ viewer }) => viewer.token),
          by('a token that may read only', 'FORBIDDEN', ({ readOnlyToken }) => readOnlyToken),
          by('a region that takes no changes', 'CONFLICT', ({ trellis }) => trellis.adminToken, 'disabled'),
        ]
      : []),
    ...(takes === 'administrator'
      ? [by('a developer', 'FORBIDDEN', ({ developer }) => developer.token)]
      : []),
  ];
}

describe.each(Object.entries(table))('the same refusal: %s', (_, operation) => {
  const rows = [...refusedOfAll(operation), ...operation.refused];
  it.each(rows.map((row) => [`${row.what}: ${row.code}`, row] as const))(
    '%s',
    (__, { code, rest, graphql, fields }) => compare(code, rest(scene), graphql(scene), fields),
    60_000,
  );
});

describe('the member of another team is told NOT_FOUND, word for word as where there is nothing', () => {
  it.each(ofTeams)('%s', async (_, { valid }) => {
    const { rest, graphql } = valid(scene);
    const { token } = scene.outsider;
    const hidden = await refusedByRest(scene.trellis, { ...rest, token });
    expect(hidden.code).toBe('NOT_FOUND');
    const { name } = rest.at.includes('/teams/') ? scene.twin.place.team : scene.disabled.place.region;
    const nothing = { ...rest, at: rest.at.replace(name, 'nobody'), token };
    expect(nothing.at).not.toBe(rest.at);
    expect(await refusedByRest(scene.trellis, nothing)).toEqual(hidden);
    const other = await refusedByGraphql(scene.trellis, { ...graphql, token });
    expect(other.code).toBe('NOT_FOUND');
  });
});

describe('of two faults at once both tell the same', () => {
  it.each(writing)(
    '%s',
    async (_, { refused }) => {
      for (const { what, rest, graphql } of refused) {
        for (const token of [scene.viewer.token, scene.readOnlyToken, scene.outsider.token]) {
          const one = await refusedByRest(scene.trellis, { ...rest(scene), token });
          const other = await refusedByGraphql(scene.trellis, { ...graphql(scene), token });
          expect(one.code, what).toBe(other.code);
        }
      }
    },
    120_000,
  );
});

it('a region that takes no changes is read by both as ever', async () => {
  const { rest, graphql } = await stateOf(scene.trellis, scene.disabled);
  expect(rest.ports).toHaveLength(3);
  expect(rest).toStrictEqual(graphql);
});

/** What only REST can get wrong: GraphQL has no such words. */
describe('the refusal of what GraphQL cannot say', () => {
  const row = (what: string, code: string, call: (of: Scene) => RestCall, ...fields: string[]) =>
    [`${what}: ${code}`, code, call, fields] as const;
  it.each([
    row(
      'an unknown action',
      'INVALID_INPUT',
      ({ twin }) => ({ at: `PUT ${twin.component}/ports/8080`, body: { action: 'open' } }),
      'action',
    ),
    row(
      'no action',
      'INVALID_INPUT',
      ({ twin }) => ({ at: `PUT ${twin.component}/ports/8080`, body: {} }),
      'action',
    ),
    row(
      'an unknown field of a change of a port',
      'INVALID_INPUT',
      ({ twin }) => ({ at: `PUT ${twin.component}/ports/8080`, body: { action: 'open_inner', colour: 1 } }),
      'colour',
    ),
    row(
      'a rule of an unknown protocol',
      'INVALID_INPUT',
      ({ twin }) => ({ at: `POST ${twin.application}/domains`, body: { protocol: 'udp' } }),
      'protocol',
    ),
    row(
      'a rule without the object of its protocol',
      'INVALID_INPUT',
      ({ twin }) => ({ at: `POST ${twin.application}/domains`, body: { protocol: 'http', tcp: {} } }),
      'http',
    ),
    row(
      'a TCP rule without what it is mapped to',
      'INVALID_INPUT',
      ({ twin }) => ({
        at: `POST ${twin.application}/domains`,
        body: {
          protocol: 'tcp',
          tcp: { service_id: twin.alias, container_port: 9090, end_point: '192.0.2.1:1' },
        },
      }),
      'tcp.default_ip',
      'tcp.default_port',
    ),
    row(
      'extend_info that is neither true nor false',
      'INVALID_INPUT',
      ({ twin }) => ({ at: `GET /regions/${twin.place.region.name}?extend_info=1` }),
      'extend_info',
    ),
    row(
      'another region in the query than in the path',
      'INVALID_INPUT',
      ({ twin, disabled }) => ({
        at: `GET /regions/${twin.place.region.name}?region_id=${disabled.place.region.name}`,
      }),
      'region_id',
    ),
    row('a component of another application', 'NOT_FOUND', ({ twin, elsewhere }) => ({
      at: `GET ${twin.application}/services/${elsewhere.componentId}/ports`,
    })),
    row('an application of another region', 'NOT_FOUND', ({ twin, disabled }) => ({
      at: `GET /teams/${twin.place.team.name}/regions/${twin.place.region.name}/apps/${disabled.appId}/services`,
    })),
    row(
      'a wrong page, a wrong size and an unknown parameter at once',
      'INVALID_INPUT',
      () => ({ at: 'GET /teams?page=x&page_size=0&colour=red' }),
      'colour',
      'page',
      'page_size',
    ),
  ])('%s', async (_, code, call, fields) => {
    const before = await scene.trellis.counts();
    expect(await refusedByRest(scene.trellis, call(scene))).toMatchObject({ code, fields });
    expect(await scene.trellis.counts()).toEqual(before);
  });
});

/** Not only the number of rows: nothing about the objects that the requests above named is another. */
let first: Awaited<ReturnType<typeof stateOf>>;
beforeAll(async () => {
  first = await stateOf(scene.trellis, scene.twin);
});
it('and nothing has changed after all of them', async () => {
  expect(await stateOf(scene.trellis, scene.twin)).toEqual(first);
});
