/**
 * What is asked: the same data of every contestant, in the words of each. GraphQL documents ask PostGraphile
 * under the names of Trellis, by aliases, so that both answers are compared as they come; it is asked for plain
 * lists, which are its faster way (no edges, no cursors), in the order in which Trellis has them.
 */
import type { Request } from './load.ts';

export type Variables = Record<string, string | number | boolean>;

/** Who can be asked. */
export type Kind = 'limit' | 'postgraphile' | 'trellis';

export interface Work {
  key: 'a' | 'b' | 'c' | 'd' | 'e' | 'f';
  name: string;
  title: string;
  /** The variables of each request, over all the data. */
  sequence(places: Places, contestant: number): Variables[];
  /** What an answer holds, from its body; undefined where it is a failure. */
  data(body: any): unknown;
  request: Partial<
    Record<Kind, (variables: Variables) => Pick<Request, 'method' | 'path'> & { body?: object }>
  >;
  /** What a reader of its figures has to know. */
  note?: string;
  /** Answers change: they are not compared by size. */
  writes?: boolean;
}

/** What there is to ask for. */
export interface Places {
  enterpriseId: string;
  /** By name. */
  teams: { id: string; name: string; cursor?: string }[];
  applications: { id: number; teamId: string; region: string }[];
  /** Ports that are open inside, by the team they belong to. */
  ports: { id: number; teamId: string }[];
}

/** All of them once, in an order that jumps over the data and is the same for everyone. */
export function jumping<T>(items: T[]): T[] {
  const step = 7919;
  return items.map((_, index) => items[(index * step) % items.length]!);
}

const limit = (key: string) => (variables: Variables) => ({
  method: 'POST' as const,
  path: `/${key}`,
  body: variables,
});
const graphql = (query: string) => (variables: Variables) => ({
  method: 'POST' as const,
  path: '/graphql',
  body: { query: query.replace(/\s+/g, ' ').trim(), variables },
});

const applicationOrder = 'orderBy: [ORDER_INDEX_ASC, NAME_ASC, ROW_ID_ASC]';
const componentOrder = 'orderBy: [NAME_ASC, ROW_ID_ASC]';
const portOrder = 'orderBy: [NUMBER_ASC, ROW_ID_ASC]';

const treeOf = {
  trellis: (applications: number, components: number) => `
    uid name alias
    applications(first: ${applications}) { nodes {
      appId name note
      components(first: ${components}) { nodes {
        uid name alias image replicas
        ports(first: 20) { nodes { number protocol alias isInner isOuter } }
      } }
    } }`,
  postgraphile: (applications: number, components: number) => `
    uid: rowId name alias
    applications: applicationsByTeamIdList(first: ${applications}, ${applicationOrder}) {
      appId: rowId name note
      components: componentsByApplicationIdList(first: ${components}, ${componentOrder}) {
        uid: rowId name alias image replicas
        ports: portsByComponentIdList(first: 20, ${portOrder}) { number protocol alias isInner isOuter }
      }
    }`,
};

/** One object, which PostGraphile may answer as a list of one: a unique index is no key to it. */
const one = (value: any) => (Array.isArray(value) ? value[0] : value);

const teamByName = {
  trellis: (fields: string) =>
    graphql(`query Team($name: String!) { team(by: { name: $name }) { ${fields} } }`),
  postgraphile: (fields: string) =>
    graphql(
      `query Team($name: String!) { team: allTeamsList(first: 1, condition: { name: $name }) { ${fields} } }`,
    ),
};

const component = {
  trellis:
    'uid name alias key version image replicas cpuMillicores memoryMiB extendMethod serviceName createdAt',
  postgraphile:
    'uid: rowId name alias key version image replicas cpuMillicores memoryMiB: memoryMib extendMethod serviceName createdAt',
};

const named = ({ teams }: Places) => jumping(teams).map(({ name }) => ({ name }));

/** Switches of one contestant: its own ports, all closed in turn, then all opened. */
export const switchedPorts = 200;

export const works: Work[] = [
  {
    key: 'a',
    name: 'tree',
    title: 'one team, 20 applications × 10 components × 3 ports',
    sequence: named,
    data: (body) => one(body.team ?? body.data?.team),
    request: {
      limit: limit('a'),
      trellis: teamByName.trellis(treeOf.trellis(20, 20)),
      postgraphile: teamByName.postgraphile(treeOf.postgraphile(20, 20)),
    },
  },
  {
    key: 'b',
    name: 'paged tree',
    title: '10 teams × first 5 applications × first 5 components × ports',
    // A page that begins behind each of the first forty teams. PostGraphile skips them instead: over fifty rows
    // that costs it less than a cursor.
    sequence: ({ teams }) =>
      jumping(
        teams
          .slice(0, 40)
          .map(({ id, name, cursor }, index) => ({ id, name, after: cursor!, skip: index + 1 })),
      ),
    data: (body) => body.teams ?? body.data?.teams,
    request: {
      limit: ({ id, name }) => limit('b')({ id: id!, name: name! }),
      trellis: ({ after }) =>
        graphql(
          `query Teams($after: String!) { teams(first: 10, after: $after) { nodes { ${treeOf.trellis(5, 5)} } } }`,
        )({ after: after! }),
      postgraphile: ({ skip }) =>
        graphql(
          `query Teams($skip: Int!) {
            teams: allTeamsList(first: 10, offset: $skip, orderBy: [NAME_ASC, ROW_ID_ASC]) { ${treeOf.postgraphile(5, 5)} }
          }`,
        )({ skip: skip! }),
    },
  },
  {
    key: 'c',
    name: 'one team',
    title: 'one team by name, three fields',
    sequence: named,
    data: (body) => one(body.team ?? body.data?.team),
    request: {
      limit: limit('c'),
      trellis: teamByName.trellis('uid name alias'),
      postgraphile: teamByName.postgraphile('uid: rowId name alias'),
    },
  },
  {
    key: 'd',
    name: 'components',
    title: "one application's components by its number, 12 fields",
    sequence: ({ applications }) => jumping(applications).map(({ id }) => ({ id })),
    data: (body) => body.application ?? body.data?.application,
    request: {
      limit: limit('d'),
      trellis: graphql(`query Application($id: Int!) {
        application(by: { appId: $id }) { components(first: 20) { nodes { ${component.trellis} } } }
      }`),
      postgraphile: graphql(`query Application($id: Int!) {
        application: applicationByRowId(rowId: $id) {
          components: componentsByApplicationIdList(first: 20, ${componentOrder}) { ${component.postgraphile} }
        }
      }`),
    },
  },
  {
    key: 'e',
    name: 'switch',
    title: "a port's inner service closed and opened: a mutation, recorded",
    note: 'The limit is the bare transaction, PostGraphile its own update: neither asks who may, and PostGraphile does not record. Commits do not wait for the disk (fsync is off).',
    writes: true,
    sequence: ({ ports, teams }, contestant) => {
      const { id: teamId } = teams[contestant]!;
      const own = ports.filter((port) => port.teamId === teamId).slice(0, switchedPorts);
      return [false, true].flatMap((isInner) => own.map(({ id }) => ({ id, isInner })));
    },
    data: (body) => body.port ?? body.data?.switched?.port,
    request: {
      limit: limit('e'),
      trellis: ({ id, isInner }) =>
        graphql(`mutation Switch($port: PortRef!) {
          switched: ${isInner ? 'open' : 'close'}InnerService(input: { port: $port }) {
            ... on ${isInner ? 'Open' : 'Close'}InnerServicePayload { port { number alias isInner isOuter } }
          }
        }`)({ port: { id: Buffer.from(`Port:${id}`).toString('base64url') } } as never),
      // Its update neither asks who may nor records: it is here for whoever wonders.
      postgraphile: graphql(`mutation Switch($id: Int!, $isInner: Boolean!) {
        switched: updatePortByRowId(input: { rowId: $id, portPatch: { isInner: $isInner } }) {
          port { number alias isInner isOuter }
        }
      }`),
    },
  },
  {
    key: 'f',
    name: 'REST',
    title: 'REST, list the components of an application',
    sequence: ({ applications }) => jumping(applications),
    data: (body) => body,
    request: {
      limit: limit('f'),
      trellis: ({ id, teamId, region }) => ({
        method: 'GET',
        path: `/openapi/v1/teams/${teamId}/regions/${region}/apps/${id}/services`,
      }),
    },
  },
];

/** The same data look the same: connections are lists, enum values and times are written as the database does. */
export function normal(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => normal(each));
  if (value && typeof value === 'object') {
    const { nodes } = value as { nodes?: unknown };
    if (nodes) return normal(nodes);
    return Object.fromEntries(
      Object.entries(value)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([key, each]) => [key, normal(each, key)]),
    );
  }
  if (typeof value !== 'string') return value;
  if (name === 'protocol' || name === 'extendMethod') return value.toLowerCase();
  if (/^(createdAt|create_time|update_time)$/.test(name)) {
    return new Date(/Z|[+-]\d\d:?\d\d$/.test(value) ? value : `${value}Z`).toISOString();
  }
  return value;
}
