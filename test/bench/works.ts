/** What is asked of every contestant. */
import { changes } from './change-works.ts';
import { dashboards } from './dashboard-works.ts';
import {
  componentOrder,
  graphql,
  jumping,
  limit,
  named,
  one,
  teamByName,
  treeOf,
  type Work,
} from './work.ts';

const component = {
  trellis:
    'uid name alias key version image replicas cpuMillicores memoryMiB extendMethod serviceName createdAt',
  postgraphile:
    'uid: rowId name alias key version image replicas cpuMillicores memoryMiB: memoryMib extendMethod serviceName createdAt',
};

const reads: Work[] = [
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
];

/** What changes comes last: the answers of the others are compared. */
export const works: Work[] = [...reads, ...dashboards, ...changes];
