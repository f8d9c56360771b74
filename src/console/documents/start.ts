import { graphql } from '../api/graphql.ts';
import { lookup } from './query.ts';

/** How far an installation is: what the first teams have, and which regions there are. */
export const StartQuery = graphql(`
  query Start {
    viewer {
      isAdministrator
      accessToken { id isReadOnly }
      enterprise {
        id
        teams(first: 20, orderBy: { field: CREATED_AT }) {
          totalCount
          nodes {
            id uid name alias createdAt regionCount componentCount
            applications(first: 1) { totalCount nodes { id uid name } }
            regions(first: 20, status: ENABLED) { nodes { id uid name alias } }
          }
        }
        regions(first: 100, status: ENABLED) { totalCount nodes { id uid name alias } }
      }
    }
  }
`);

/** Whom to ask for access. */
export const AdministratorsQuery = graphql(`
  query Administrators {
    viewer { enterprise { id administratorNames } }
  }
`);

export const TeamActionsQuery = lookup('team', 'TeamActions', {
  select: `
    id
    uid
    name
    alias
    revision
    mayUpdate: viewerCan(action: UPDATE_TEAM)
    mayDelete: viewerCan(action: DELETE_TEAM)
  `,
});
