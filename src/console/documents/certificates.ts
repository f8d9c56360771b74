import { graphql } from '../api/graphql.ts';
import { page } from './query.ts';

export const CertificateParts = graphql(`
  fragment CertificateParts on Certificate @_unmask { id uid name names issuer expiresAt revision }
`);

/** The certificates that a rule of the team can use. */
export const CertificateChoiceQuery = graphql(
  `
  query CertificateChoice($team: TeamRef!) {
    team(by: $team) {
      id
      mayAdd: viewerCan(action: ADD_CERTIFICATE)
      certificates(first: 100) { nodes { ...CertificateParts } }
    }
  }
`,
  [CertificateParts],
);

export const TeamCertificatesQuery = graphql(
  `
  query TeamCertificates($team: TeamRef!, $after: String) {
    team(by: $team) {
      id name alias
      mayAdd: viewerCan(action: ADD_CERTIFICATE)
      certificates(first: 50, after: $after) {
        ${page(`
          ...CertificateParts
          httpRules(first: 20) { totalCount nodes { id domain path } }
        `)}
      }
    }
  }
`,
  [CertificateParts],
);
