import { graphql } from '../api/graphql.ts';

/** Who the access token speaks for. */
export const ViewerQuery = graphql(`
  query Viewer {
    viewer {
      isAdministrator
      user { id email nickName }
      serviceAccount { id name }
      enterprise { id name alias }
      accessToken { id name isReadOnly expiresAt }
    }
  }
`);
