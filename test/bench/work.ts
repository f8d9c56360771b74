/**
 * What is asked: the same data of every contestant, in the words of each. GraphQL documents ask PostGraphile
 * under the names of Trellis, by aliases, so that both answers are compared as they come; it is asked for plain
 * lists, which are its faster way (no edges, no cursors), in the order in which Trellis has them.
 */
import type { Request } from './load.ts';

export type Variables = Record<string, string | number | boolean>;

/** Who can be asked: with `rights`, PostGraphile checks them and records changes. */
export type Kind = 'limit' | 'postgraphile' | 'rights' | 'trellis';

export interface Work {
  key: string;
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
  /** Every request has a document of its own: `unseen` in it is replaced by as many other letters. */
  isUnseen?: boolean;
}

/** What there is to ask for. */
export interface Places {
  enterpriseId: string;
  /** By name. */
  teams: { id: string; name: string; cursor?: string }[];
  applications: { id: number; teamId: string; region: string }[];
  /** Ports that are open inside, by the team they belong to. */
  ports: {
    id: number;
    teamId: string;
    region: string;
    applicationId: number;
    componentId: string;
    number: number;
  }[];
}

/** All of them once, in an order that jumps over the data and is the same for everyone. */
export function jumping<T>(items: T[]): T[] {
  const step = 7919;
  return items.map((_, index) => items[(index * step) % items.length]!);
}

export const limit = (key: string) => (variables: Variables) => ({
  method: 'POST' as const,
  path: `/${key}`,
  body: variables,
});
export const graphql = (query: string) => (variables: Variables) => ({
  method: 'POST' as const,
  path: '/graphql',
  body: { query: query.replace(/\s+/g, ' ').trim(), variables },
});

export const applicationOrder = 'orderBy: [ORDER_INDEX_ASC, NAME_ASC, ROW_ID_ASC]';
export const componentOrder = 'orderBy: [NAME_ASC, ROW_ID_ASC]';
export const portOrder = 'orderBy: [NUMBER_ASC, ROW_ID_ASC]';

export const treeOf = {
  trellis: (applications: number, components: number) => `
    uid name alias
    applications(first: ${applications}) { nodes {
      appId: uid name note
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
export const one = (value: any) => (Array.isArray(value) ? value[0] : value);

export const teamByName = {
  trellis: (fields: string) =>
    graphql(`query Team($name: String!) { team(by: { name: $name }) { ${fields} } }`),
  postgraphile: (fields: string) =>
    graphql(
      `query Team($name: String!) { team: allTeamsList(first: 1, condition: { name: $name }) { ${fields} } }`,
    ),
};

export const named = ({ teams }: Places) => jumping(teams).map(({ name }) => ({ name }));

/** The same data look the same: connections are lists, enum values and times are written as the database does. */
export function normal(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => normal(each));
  if (value && typeof value === 'object') {
    const { nodes } = value as { nodes?: unknown };
    if (nodes && Object.keys(value).length === 1) return normal(nodes);
    return Object.fromEntries(
      Object.entries(value)
        // Everyone has cursors of their own.
        .filter(([key]) => !/^(c|startC|endC)ursor$/.test(key))
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
