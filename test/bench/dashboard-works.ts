/** What dashboards and scripts ask for beside the tree: counts, cursors, parents, new documents, and lists by REST. */
import { print } from 'graphql';
import { SearchQuery } from '../../src/console/documents/search.ts';
import {
  applicationOrder,
  componentOrder,
  graphql,
  jumping,
  limit,
  named,
  one,
  portOrder,
  teamByName,
  type Work,
} from './work.ts';

const paged = 'totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
const portFields = 'number protocol alias isInner isOuter';

const dashboardOf = {
  trellis: `uid name alias applications(first: 10) { ${paged} nodes {
    appId: uid name note components(first: 5) { ${paged} nodes {
      uid name alias image replicas ports(first: 20) { ${paged} nodes { ${portFields} } } } } } }`,
  postgraphile: `uid: rowId name alias applications: applicationsByTeamId(first: 10, ${applicationOrder}) { ${paged} nodes {
    appId: rowId name note components: componentsByApplicationId(first: 5, ${componentOrder}) { ${paged} nodes {
      uid: rowId name alias image replicas
      ports: portsByComponentId(first: 20, ${portOrder}) { ${paged} nodes { ${portFields} } } } } } }`,
};

const treeByEdges = {
  trellis: `uid name alias applications(first: 20) { edges { cursor node {
    appId: uid name note components(first: 20) { edges { cursor node {
      uid name alias image replicas ports(first: 20) { edges { cursor node { ${portFields} } } } } } } } } }`,
  postgraphile: `uid: rowId name alias applications: applicationsByTeamId(first: 20, ${applicationOrder}) { edges { cursor node {
    appId: rowId name note components: componentsByApplicationId(first: 20, ${componentOrder}) { edges { cursor node {
      uid: rowId name alias image replicas
      ports: portsByComponentId(first: 20, ${portOrder}) { edges { cursor node { ${portFields} } } } } } } } } }`,
};

export const dashboards: Work[] = [
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
  {
    key: 'g',
    name: 'dashboard',
    title: '10 applications × 5 components × ports, with `totalCount` and `pageInfo` of each list',
    sequence: named,
    data: (body) => one(body.data?.team),
    request: {
      trellis: teamByName.trellis(dashboardOf.trellis),
      postgraphile: teamByName.postgraphile(dashboardOf.postgraphile),
    },
  },
  {
    key: 'h',
    name: 'upwards',
    title: 'from a port to its component, application, team and region',
    sequence: ({ ports }) =>
      jumping(ports)
        .slice(0, 1_000)
        .map(({ id }) => ({ id })),
    data: (body) => body.data?.port,
    request: {
      trellis: ({ id }) =>
        graphql(`query Port($port: PortRef!) { port(by: $port) {
          number component { name application { name team { name } region { name } } }
        } }`)({ port: { id: Buffer.from(`Port:${id}`).toString('base64url') } } as never),
      postgraphile: graphql(`query Port($id: Int!) { port: portByRowId(rowId: $id) {
        number component: componentByComponentId { name application: applicationByApplicationId {
          name team: teamByTeamId { name } region: regionByRegionId { name }
        } }
      } }`),
    },
  },
  {
    key: 'i',
    name: 'new documents',
    title: 'the components of one application, each time by a document that was never sent before',
    isUnseen: true,
    sequence: ({ applications }) => jumping(applications).map(({ id }) => ({ id })),
    data: (body) => body.data?.application,
    request: {
      trellis: graphql(`query Application($id: Int!) {
        application(by: { appId: $id }) { components(first: 20) { nodes { uid name alias image unseen: key } } }
      }`),
      postgraphile: graphql(`query Application($id: Int!) {
        application: applicationByRowId(rowId: $id) {
          components: componentsByApplicationIdList(first: 20, ${componentOrder}) { uid: rowId name alias image unseen: key }
        }
      }`),
    },
  },
  {
    key: 'j',
    name: 'tree by edges',
    title: 'the tree of (a) by `edges`, with the cursor of each item',
    sequence: named,
    data: (body) => one(body.data?.team),
    request: {
      trellis: teamByName.trellis(treeByEdges.trellis),
      postgraphile: teamByName.postgraphile(treeByEdges.postgraphile),
    },
  },
  {
    key: 'k',
    name: 'search',
    title: 'the search of the console (Ctrl K) among all components, for a name and a team',
    sequence: ({ teams }) =>
      jumping(teams).map(({ name }) => ({ text: `web ${name}`, rest: '', isCommand: false })),
    data: ({ data }) => (data?.components.totalCount > 0 ? data : undefined),
    request: { trellis: graphql(print(SearchQuery)) },
    note: 'Each request looks at all 10 000 components, with 8 at once. Alone: `--connections 1`.',
  },
  {
    key: 'm1',
    name: 'REST applications',
    title: 'REST, list the applications of a team in a region',
    sequence: ({ applications }) => jumping(applications),
    data: (body) => body,
    request: {
      trellis: ({ teamId, region }) => ({
        method: 'GET',
        path: `/openapi/v1/teams/${teamId}/regions/${region}/apps`,
      }),
    },
  },
];
