import type { NewRow, Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';
import { revised } from '../../db/write/revision.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import type { TeamHooks } from '../team/hooks.ts';

export async function insertCertificate(
  { tx, recordEvent }: Write,
  data: NewRow<'Certificate'>,
): Promise<Row<'Certificate'>> {
  const certificate = await tx.certificate.create({ data });
  const { id, teamId } = certificate;
  recordEvent({ subject: { type: 'Certificate', id }, teamId, after: certificate });
  return certificate;
}

/** Sets the chain and the key of a certificate, and the columns derived from the chain. */
export async function setCertificate(
  { tx, recordEvent }: Write,
  before: Row<'Certificate'>,
  data: Pick<Row<'Certificate'>, 'chain' | 'sealedKey' | 'names' | 'issuer' | 'expiresAt'>,
): Promise<Row<'Certificate'>> {
  const { id, teamId } = before;
  const after = await tx.certificate.update({ where: { id }, data: revised(before, data) });
  recordEvent({ subject: { type: 'Certificate', id }, teamId, before, after });
  return after;
}

/** Removes a certificate. A foreign key prevents this while a rule uses it. */
export async function removeCertificate(
  { tx, recordEvent }: Write,
  certificate: Row<'Certificate'>,
): Promise<void> {
  const { id, teamId } = certificate;
  const { count } = await tx.certificate.deleteMany({ where: { id } });
  if (count === 0) throw new NotFoundError('certificate');
  recordEvent({ subject: { type: 'Certificate', id }, teamId, before: certificate });
}

/** Removes the certificates of a deleted team. */
export const certificatesOfTeam: TeamHooks = {
  async deleting({ tx, recordEvent }, { id: teamId }) {
    const certificates = await tx.certificate.findMany({
      where: { teamId },
      orderBy: { id: 'asc' },
      omit: { sealedKey: true },
    });
    await tx.certificate.deleteMany({ where: { teamId } });
    for (const certificate of certificates) {
      const subject = { type: 'Certificate', id: certificate.id } as const;
      recordEvent({ action: 'certificate.delete', subject, teamId, before: certificate });
    }
  },
};
