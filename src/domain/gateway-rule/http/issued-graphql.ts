import type { IssuedCertificate as Issued } from '../../../drivers/region/issued-certificates.ts';
import { builder } from '../../../graphql/schema/builder.ts';

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

export const IssuedCertificate = builder.objectRef<Issued>('IssuedCertificate').implement({
  description: 'A certificate that a cluster provides for the domain of a rule, and renews.',
  fields: (t) => ({
    state: t.expose('state', { type: IssuedCertificateState, description: 'How far it is.' }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why it is not ready, as the cluster says it. Null if it is.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it expires, unless it is renewed before. Null if that is not known.',
    }),
  }),
});
