import { graphql } from '../api/graphql.ts';
import { lookup, page } from './query.ts';

export const CertificateParts = graphql(`
  fragment CertificateParts on Certificate @_unmask { id uid name names issuer expiresAt revision }
`);

/** The certificates that a rule of the team can use. */
export const CertificateChoiceQuery = lookup('team', 'CertificateChoice', {
  select: `
    id
    mayAdd: viewerCan(action: ADD_CERTIFICATE)
    certificates(first: 100) { nodes { ...CertificateParts } }
  `,
  fragments: [CertificateParts],
});

export const TeamCertificatesQuery = lookup('team', 'TeamCertificates', {
  variables: '$after: String',
  select: `
    id name alias
    mayAdd: viewerCan(action: ADD_CERTIFICATE)
    certificates(first: 50, after: $after) {
      ${page(`
        ...CertificateParts
        httpRules(first: 20) { totalCount nodes { id domain path } }
      `)}
    }
  `,
  fragments: [CertificateParts],
});
