import { property } from '../../graphql/schema/exposed.ts';
import { referenceOf } from '../../graphql/schema/input.ts';
import { addList } from '../../graphql/schema/list.ts';
import { lookup } from '../../graphql/schema/lookup.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { related } from '../../graphql/schema/related.ts';
import { derived } from '../../kernel/derived.ts';
import { Team } from '../team/graphql.ts';
import { loadTeam } from '../team/reads.ts';
import { addCertificate, certificateRef, deleteCertificate, namesOf, replaceCertificate } from './model.ts';
import * as operations from './operations.ts';
import { certificatesOf, requireCertificate, visibleCertificate } from './reads.ts';

referenceOf('CertificateRef', certificateRef, 'Identifies a certificate. Set exactly one field.');

const certificateNames = derived(namesOf, ({ names }) => names.length);

export const Certificate = entity('Certificate', 'Certificate', {
  description: 'A TLS certificate of a team, for use in HTTP rules. Its private key cannot be read.',
  read: visibleCertificate,
  uid: 'The numeric id of the certificate. Use it as `certificateId` in references. REST: `certificate_id`.',
  exposes: {
    'name: String!': 'The unique name in the team.',
    'issuer: String!': 'The distinguished name of the issuer: `CN=…, O=…`.',
    'expiresAt: DateTime!': 'The expiry time.',
    'createdAt: DateTime!': 'The time at which the certificate was added.',
    'chain: String!': 'The certificate chain in PEM, the leaf first. It is public.',
  },
  fields: (t) => ({
    names: t.using('names').stringList({
      description:
        'The host names that the certificate covers, in lower case. `*.` matches exactly one label.',
      resolve: (certificate, _, context) => certificateNames(certificate, context),
    }),
    team: related(t, 'teamId', Team, 'The team that the certificate belongs to.'),
  }),
});

lookup('certificate', Certificate, { ref: certificateRef, read: requireCertificate });

addList(Team, 'certificates', Certificate, {
  description: 'The certificates of the team, sorted by name.',
  list: (team, _, context) => certificatesOf(context, team.id),
});

mutation('addCertificate', addCertificate, operations.addCertificate, {
  description:
    'Adds a certificate to a team. The chain must be in order and not expired, and the key must match the leaf certificate.',
  returns: { certificate: property(Certificate, 'The new certificate.') },
});

mutation('replaceCertificate', replaceCertificate, operations.replaceCertificate, {
  description:
    'Replaces the chain and private key of a certificate, for example to renew it. The certificate keeps its id and name, and the HTTP rules that use it continue to use it. Idempotent.',
  returns: { certificate: property(Certificate, 'The updated certificate.') },
});

mutation('deleteCertificate', deleteCertificate, operations.deleteCertificate, {
  description: 'Deletes a certificate. Fails with CONFLICT while an HTTP rule uses it.',
  load: async (context, { certificate, plan }) => ({
    certificate,
    plan,
    team: await loadTeam(context, certificate.teamId),
  }),
  payload: {
    certificate: property(Certificate, 'The deleted certificate.'),
    team: property(Team, 'The team that the certificate belonged to.'),
  },
});
