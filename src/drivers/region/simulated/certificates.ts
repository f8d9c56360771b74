import type { CertificateAccess } from '../issued-certificates.ts';

/** Every domain has a certificate at once, which does not expire. */
export const simulatedCertificates: CertificateAccess = {
  missing: async () => null,
  issued: async () => ({ of: () => ({ state: 'ready', reason: null, expiresAt: null }) }),
};
