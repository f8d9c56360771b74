import { graphql } from '../api/graphql.ts';
import { FailureParts, PlanParts } from './act-parts.ts';

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

export const AddCertificate = graphql(
  `
  mutation AddCertificate($input: AddCertificateInput!) {
    result: addCertificate(input: $input) {
      __typename
      ... on AddCertificatePayload { certificate { ...CertificateParts } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [CertificateParts, FailureParts],
);

export const ReplaceCertificate = graphql(
  `
  mutation ReplaceCertificate($input: ReplaceCertificateInput!) {
    result: replaceCertificate(input: $input) {
      __typename
      ... on ReplaceCertificatePayload { certificate { ...CertificateParts } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [CertificateParts, FailureParts],
);

export const DeleteCertificate = graphql(
  `
  mutation DeleteCertificate($input: DeleteCertificateInput!) {
    result: deleteCertificate(input: $input) {
      __typename
      ... on DeleteCertificatePayload { plan { ...PlanParts } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
);
