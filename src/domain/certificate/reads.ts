import type { Context } from '../../context.ts';
import { batchedRow, type List } from '../../db/list.ts';
import { type Field, openFields, type Row } from '../../db/tables.ts';
import type { Action } from '../../kernel/actions.ts';
import { byNumber, namedBy } from '../../kernel/global-id.ts';
import { loadTeam, requireAllowed, visibleIn } from '../team/reads.ts';
import { visibleBesides } from '../team/visible-reads.ts';
import type { CertificateRef } from './model.ts';

/** The columns of a certificate without its private key. */
const visibleFields: Field<'Certificate'>[] = openFields('Certificate');

/** The certificate by its id, without its key or an access check. For objects related to one that the actor may see. */
const certificateById = batchedRow('Certificate', 'id', visibleFields);

/** The certificate, for those who may see its team. */
export const visibleCertificate = visibleIn(byNumber(certificateById));

const namedCertificate = namedBy('certificate', 'Certificate', 'certificateId', visibleCertificate);

/** The certificate that a reference names, for a caller who may do the action with it. */
export async function requireCertificate(
  context: Context,
  ref: CertificateRef,
  action: Action = 'read',
): Promise<Row<'Certificate'>> {
  const certificate = await namedCertificate(context, ref);
  if (action !== 'read') {
    requireAllowed(context, await loadTeam(context, certificate.teamId), action, { noun: 'certificate' });
  }
  return certificate;
}

export const certificatesOf = ({ actor }: Context, teamId: string): List<'Certificate'> => ({
  key: teamId,
  spec: {
    model: 'Certificate',
    parent: { field: 'teamId' },
    order: ['name', 'id'],
    fields: visibleFields,
    where: visibleBesides(actor, 'teamId'),
  },
});
