import { type NewRow, openFields, type Row } from '../../db/tables.ts';
import { deleteByIds, findByKeys } from '../../db/write/bulk.ts';
import type { Write } from '../../db/write/change.ts';
import { revised } from '../../db/write/revision.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import type { TeamHooks } from '../team/hooks.ts';

export async function insertCertificate(
  { tx, recordEvent }: Write,
  data: Omit<NewRow<'Certificate'>, 'toldDays'>,
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
  const after = await tx.certificate.update({
    where: { id },
    data: { ...revised(before, data), toldDays: null },
  });
  recordEvent({ subject: { type: 'Certificate', id }, teamId, before, after });
  return after;
}

/**
 * Records that a certificate expires within a number of days, unless that was recorded before or the certificate was replaced
 * or deleted since it was read.
 */
export async function setTold(
  { tx, recordEvent }: Write,
  {
    id,
    teamId,
    name,
    expiresAt,
    toldDays,
  }: Pick<Row<'Certificate'>, 'id' | 'teamId' | 'name' | 'expiresAt' | 'toldDays'>,
  days: number,
): Promise<void> {
  const { count } = await tx.certificate.updateMany({
    where: { id, expiresAt, toldDays },
    data: { toldDays: days },
  });
  if (count === 0) return;
  recordEvent({
    subject: { type: 'Certificate', id },
    teamId,
    after: { name, expiresAt, days },
  });
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

export const certificatesOfTeam: TeamHooks = {
  async deleting(write, { id: teamId }) {
    const certificates = await findByKeys(write, 'Certificate', 'teamId', [teamId], ['id'], {
      fields: openFields('Certificate'),
    });
    await deleteByIds(write, 'Certificate', certificates);
    for (const certificate of certificates) {
      const subject = { type: 'Certificate', id: certificate.id } as const;
      write.recordEvent({ action: 'certificate.delete', subject, teamId, before: certificate });
    }
  },
};
