import type { IssuedCertificate as Issued } from '../../../drivers/region/issued-certificates.ts';
import { builder } from '../../../graphql/schema/builder.ts';
import { property } from '../../../graphql/schema/exposed.ts';
import { objectType } from '../../../graphql/schema/object-type.ts';

const IssuedCertificateState = builder.enumType('IssuedCertificateState', {
  description: 'How far the certificate of a rule is that comes from the cluster.',
  values: {
    PENDING: { value: 'pending', description: 'It is not issued yet.' },
    READY: { value: 'ready', description: 'It is issued, and the rule uses it.' },
    FAILED: {
      value: 'failed',
      description: 'The last attempt has failed, or the cluster cannot issue certificates.',
    },
  } as const,
});

export const IssuedCertificate = objectType<Issued>('IssuedCertificate', {
  description: 'A certificate that a cluster provides for the domain of a rule, and renews.',
  exposes: {
    'reason: String': 'Why it is not ready, as the cluster says it. Null if it is.',
    'expiresAt: DateTime': 'When it expires, unless it is renewed before. Null if that is not known.',
    state: property(IssuedCertificateState, 'How far it is.'),
  },
});
