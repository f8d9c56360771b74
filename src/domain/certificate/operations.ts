import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change } from '../../db/write/change.ts';
import { ForeignKeyError } from '../../db/write/conflict.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { requireTeam } from '../team/reads.ts';
import type { AddCertificate, CertificateRef } from './model.ts';
import { requireCertificate } from './reads.ts';
import { insertCertificate, removeCertificate } from './rows.ts';
import { readCertificate } from './x509.ts';

/** Adds a certificate. Its private key is encrypted before it is stored. */
export async function addCertificate(context: Context, input: AddCertificate): Promise<Row<'Certificate'>> {
  const team = await requireTeam(context, input.team, 'developer');
  const now = new Date();
  const { names, issuer, expiresAt, chain, key } = readCertificate(input.chain, input.key, now);
  const name = input.name ?? names[0]!;
  return change(
    context,
    'certificate.add',
    (write) =>
      insertCertificate(write, {
        teamId: team.id,
        name,
        chain,
        sealedKey: context.seal.close(key),
        names: JSON.stringify(names),
        issuer,
        expiresAt,
        createdAt: now,
      }),
    () => `The team ${team.name} already has a certificate named ${name}.`,
  );
}

/** Deletes a certificate and returns it. A foreign key prevents deletion while a rule uses it. */
export async function deleteCertificate(context: Context, ref: CertificateRef): Promise<Row<'Certificate'>> {
  const certificate = await requireCertificate(context, ref, 'developer');
  try {
    await change(context, 'certificate.delete', (write) => removeCertificate(write, certificate));
  } catch (error) {
    if (!(error instanceof ForeignKeyError)) throw error;
    const domains = await domainsUsing(context, certificate.id);
    throw new ConflictError(
      `The certificate ${certificate.name} is in use${domains.length > 0 ? ` by the rules of ${domains.join(', ')}` : ''}.`,
    );
  }
  return certificate;
}

async function domainsUsing(context: Context, certificateId: number): Promise<string[]> {
  const rules = await context.db.httpRule.findManyByKeys({
    by: 'certificateId',
    keys: [certificateId],
    fields: ['domain'],
  });
  return [...new Set(rules.map((rule) => rule.domain))].sort();
}
