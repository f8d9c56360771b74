import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';
import { NotFoundError } from '../../kernel/errors.ts';

export async function insertCertificate(
  { tx, recordEvent }: Write,
  data: Omit<Row<'Certificate'>, 'id'>,
): Promise<Row<'Certificate'>> {
  const certificate = await tx.certificate.create({ data });
  const { id, teamId } = certificate;
  recordEvent({ subject: { type: 'Certificate', id }, teamId, after: certificate });
  return certificate;
}

/** The foreign key of the rules keeps a certificate that one of them uses. */
export async function removeCertificate(
  { tx, recordEvent }: Write,
  certificate: Row<'Certificate'>,
): Promise<void> {
  const { id, teamId } = certificate;
  const { count } = await tx.certificate.deleteMany({ where: { id } });
  if (count === 0) throw new NotFoundError('certificate');
  recordEvent({ subject: { type: 'Certificate', id }, teamId, before: certificate });
}
