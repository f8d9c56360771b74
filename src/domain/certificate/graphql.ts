import { builder, restName } from '../../graphql/schema/builder.ts';
import { connectionField } from '../../graphql/schema/connection.ts';
import { referenceOf } from '../../graphql/schema/input.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { Team } from '../team/graphql.ts';
import { teamById } from '../team/reads.ts';
import { addCertificate, certificateRef, deleteCertificate, namesOf } from './model.ts';
import * as operations from './operations.ts';
import { certificatesOf, requireCertificate, visibleCertificate } from './reads.ts';

export const CertificateRef = referenceOf(
  'CertificateRef',
  certificateRef,
  'Names a certificate: exactly one field.',
);

export const Certificate = entity('Certificate', 'Certificate', {
  description: 'A certificate of a team, with which its HTTP rules speak https. Its key is never shown.',
  read: visibleCertificate,
  id: (row) => row.id,
  fields: (t) => ({
    uid: t.exposeInt('id', {
      description: restName(
        'Number of the certificate; `{ certificateId }` in references.',
        'certificate_id',
      ),
    }),
    name: t.exposeString('name', { description: 'Unique name in the team.' }),
    names: t.stringList({
      description: 'The host names that it covers, in lower case; `*.` stands for exactly one label.',
      columns: ['names'],
      resolve: namesOf,
    }),
    issuer: t.exposeString('issuer', {
      description: 'Distinguished name of who issued it: `CN=…, O=…`.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it expires.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was added.' }),
    chain: t.exposeString('chain', { description: 'The certificates, PEM, the leaf first. No secret.' }),
    team: t.field({
      type: Team,
      description: 'Whose certificate it is.',
      columns: ['teamId'],
      resolve: async (certificate, _, context) => (await teamById(context, certificate.teamId))!,
    }),
  }),
});

builder.queryField('certificate', (t) =>
  t.field({
    type: Certificate,
    nullable: true,
    description: 'A certificate that the caller may see.',
    args: {
      by: t.arg({
        type: CertificateRef,
        required: true,
        description: 'Which certificate.',
        validate: { schema: certificateRef } as never,
      }),
    },
    resolve: (_, { by }, context) => requireCertificate(context, by),
  }),
);

builder.objectField(Team, 'certificates', (t) =>
  connectionField(t, {
    node: Certificate,
    plural: 'certificates',
    description: 'The certificates of the team, by name.',
    columns: ['id'],
    list: (team) => certificatesOf(team.id),
  }),
);

mutation('addCertificate', {
  description:
    'Adds a certificate to a team. The chain must be in order, the key must fit, and nothing may have expired. Takes the role developer in the team.',
  input: addCertificate,
  run: async (context, input) => ({ certificate: await operations.addCertificate(context, input) }),
  payload: (t) => ({
    certificate: t.expose('certificate', { type: Certificate, description: 'The new certificate.' }),
  }),
});

mutation('deleteCertificate', {
  description: 'Deletes a certificate that no HTTP rule uses. Takes the role developer in the team.',
  input: deleteCertificate,
  run: async (context, { certificate: ref }) => {
    const certificate = await operations.deleteCertificate(context, ref);
    return { certificate, team: (await teamById(context, certificate.teamId))! };
  },
  payload: (t) => ({
    certificate: t.expose('certificate', { type: Certificate, description: 'The certificate as it was.' }),
    team: t.expose('team', { type: Team, description: 'Whose certificate it was.' }),
  }),
});
