import { Client, fetchExchange } from '@urql/core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Place } from '../support/fixtures.ts';
import { useTrellis } from '../support/trellis.ts';

const tree = `query Tree($team: String!, $ports: Int) {
  team(by: { name: $team }) {
    __typename
    name
    applications {
      totalCount
      nodes {
        name
        components {
          nodes {
            alias
            ports(first: $ports) {
              nodes { number alias protocol isInner isOuter }
              pageInfo { hasNextPage }
            }
          }
        }
      }
    }
  }
}`;

const open = `mutation Open($port: PortRef!) {
  openOuterService(input: { port: $port }) {
    __typename
    ... on OpenOuterServicePayload { port { number isOuter } }
    ... on Error { code message }
  }
}`;

const clientOf = (token: string, preferGetMethod = false) =>
  new Client({
    url: `${trellis.url}/graphql`,
    exchanges: [fetchExchange],
    preferGetMethod,
    fetchOptions: { headers: { Authorization: `Bearer ${token}` } },
  });

const trellis = useTrellis();
let place: Place;
let developer: string;
let outsider: string;
let component: { componentId: string; alias: string };
let applications: string[];

beforeAll(async () => {
  place = await trellis.createPlace();
  developer = (await trellis.createMember(place.team.teamId, 'DEVELOPER')).token;
  outsider = (await trellis.createMember((await trellis.createPlace()).team.teamId, 'OWNER')).token;
  const shop = await trellis.createApplication(place, 'shop');
  const blog = await trellis.createApplication(place, 'blog');
  component = await trellis.createComponent(shop.appId);
  await trellis.createComponent(blog.appId);
  await trellis.addPort(component.componentId, 9090, { protocol: 'GRPC', isInner: true });
  await trellis.addPort(component.componentId, 8080);
  applications = ['blog', 'shop'];
});

describe.each([
  ['POST', false],
  ['GET', true],
] as const)('urql over %s', (_, preferGetMethod) => {
  it('reads the tree of team, applications, components and ports', async () => {
    const client = clientOf(developer, preferGetMethod);
    const { data, error } = await client.query(tree, { team: place.team.name, ports: 1 }).toPromise();
    expect(error).toBeUndefined();
    expect(data.team.name).toBe(place.team.name);
    expect(data.team.applications.totalCount).toBe(2);
    const { nodes } = data.team.applications;
    expect(nodes.map((each: { name: string }) => each.name).sort()).toEqual(applications);
    const shop = nodes.find((each: { name: string }) => each.name === 'shop');
    expect(shop.components.nodes).toMatchObject([
      {
        alias: component.alias,
        ports: {
          nodes: [{ number: 8080, protocol: 'HTTP', isInner: false, isOuter: false }],
          pageInfo: { hasNextPage: true },
        },
      },
    ]);
  });

  it('gets the code of an error', async () => {
    const result = await clientOf(outsider, preferGetMethod)
      .query(tree, { team: place.team.name })
      .toPromise();
    expect(result.data?.team ?? null).toBeNull();
    expect(result.error?.graphQLErrors.map(({ extensions }) => extensions.code)).toEqual(['NOT_FOUND']);
    expect(result.error?.networkError).toBeUndefined();
  });

  it('gets the code of a refused token', async () => {
    const result = await clientOf('trl_nobody', preferGetMethod).query('{ viewer { user { email } } }', {});
    expect(result.error?.response?.status).toBe(401);
    expect(result.error?.graphQLErrors.map(({ extensions }) => extensions.code)).toEqual(['UNAUTHENTICATED']);
  });
});

describe('a mutation by urql', () => {
  const at = { component: { componentId: '' }, number: 8080 };
  beforeAll(() => {
    at.component.componentId = component.componentId;
  });

  it('answers its payload, and a read shows the change', async () => {
    const client = clientOf(developer);
    const { data, error } = await client.mutation(open, { port: { at } }).toPromise();
    expect(error).toBeUndefined();
    expect(data.openOuterService).toEqual({
      __typename: 'OpenOuterServicePayload',
      port: { number: 8080, isOuter: true },
    });
    const read = await client
      .query('query Port($by: PortRef!) { port(by: $by) { isOuter } }', { by: { at } })
      .toPromise();
    expect(read.data.port.isOuter).toBe(true);
  });

  it('answers a typed error as data', async () => {
    const { data, error } = await clientOf(developer)
      .mutation(open, { port: { at: { ...at, number: 1 } } })
      .toPromise();
    expect(error).toBeUndefined();
    expect(data.openOuterService).toEqual({
      __typename: 'NotFoundError',
      code: 'NOT_FOUND',
      message: 'There is no such port.',
    });
  });
});
