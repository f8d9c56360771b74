import { z } from 'zod';
import { integerId, reference } from '../../kernel/reference.ts';
import { displayName, expectedRevision, plannedChange, prose } from '../../kernel/validate.ts';
import { teamRef } from '../team/model.ts';

export const certificateRef = reference('certificate', {
  certificateId: integerId('The `uid` of the certificate.'),
});
export type CertificateRef = z.infer<typeof certificateRef>;

/** Maximum lengths in UTF-16 units: enough for ten certificates of 4096-bit RSA, and an RSA key of 16,384 bits. */
const maxLength = { chain: 65_536, key: 16_384 } as const;

export const addCertificate = z.strictObject({
  team: teamRef.describe('The team that the certificate belongs to.'),
  name: displayName(253)
    .nullish()
    .describe('The unique name in the team. Defaults to the first host name of the leaf certificate.'),
  chain: prose(maxLength.chain)
    .min(1)
    .describe(
      'The certificate chain in PEM: the leaf first, each certificate followed by its issuer. The root can be omitted.',
    ),
  key: prose(maxLength.key)
    .min(1)
    .describe('The unencrypted private key of the leaf certificate, in PEM. It cannot be read again.'),
});
export type AddCertificate = z.infer<typeof addCertificate>;

export const replaceCertificate = z.strictObject({
  certificate: certificateRef.describe('The certificate to replace.'),
  chain: addCertificate.shape.chain.describe(
    'The new certificate chain in PEM, as in `addCertificate`. It must cover the domain of every HTTP rule that uses the certificate.',
  ),
  key: addCertificate.shape.key,
  expectedRevision: expectedRevision('the certificate'),
});
export type ReplaceCertificate = z.infer<typeof replaceCertificate>;

export const deleteCertificate = z.strictObject({
  certificate: certificateRef.describe('The certificate to delete.'),
  ...plannedChange('the certificate'),
});
export type DeleteCertificate = z.infer<typeof deleteCertificate>;

/** The host names of a certificate. `covers` checks a domain against them. */
export const namesOf = (certificate: { names: string }) => JSON.parse(certificate.names) as string[];
