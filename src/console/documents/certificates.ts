import { graphql } from '../api/graphql.ts';
import { FailureParts, PlanParts } from './act-parts.ts';
import { mutation } from './mutation.ts';

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
        totalCount
        pageInfo { endCursor hasNextPage }
        nodes {
          ...CertificateParts
          httpRules(first: 20) { totalCount nodes { id domain path } }
        }
      }
    }
  }
`,
  [CertificateParts],
);

export const AddCertificate = graphql(mutation('addCertificate', 'certificate { ...CertificateParts }'), [
  CertificateParts,
  FailureParts,
]);

export const ReplaceCertificate = graphql(
  mutation('replaceCertificate', 'certificate { ...CertificateParts }'),
  [CertificateParts, FailureParts],
);

export const DeleteCertificate = graphql(mutation('deleteCertificate', 'plan { ...PlanParts }'), [
  PlanParts,
  FailureParts,
]);
