import type { IssuedCertificate as Issued } from '../../../drivers/region/issued-certificates.ts';
import { builder } from '../../../graphql/schema/builder.ts';
import { property } from '../../../graphql/schema/exposed.ts';
import { objectType } from '../../../graphql/schema/object-type.ts';

const IssuedCertificateState = builder.enumType('IssuedCertificateState', {
  description: 'The state of a certificate that a cluster issues.',
  values: {
    PENDING: { value: 'pending', description: 'Not issued yet.' },
    READY: { value: 'ready', description: 'Issued, and used by the rule.' },
    FAILED: {
      value: 'failed',
      description: 'The last attempt has failed, or the cluster cannot issue certificates.',
    },
  } as const,
});

export const IssuedCertificate = objectType<Issued>('IssuedCertificate', {
  description: 'A certificate that a cluster issues and renews for the domain of a rule.',
  exposes: {
    'reason: String': 'Why the certificate is not ready, as reported by the cluster. Null if it is ready.',
    'expiresAt: DateTime': 'The expiry time, unless the certificate is renewed before. Null if unknown.',
    state: property(IssuedCertificateState, 'The state of the certificate.'),
  },
});
