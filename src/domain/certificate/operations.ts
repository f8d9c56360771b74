import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { findByKeys } from '../../db/write/bulk.ts';
import { change } from '../../db/write/change.ts';
import { ForeignKeyError } from '../../db/write/conflict.ts';
import { locked, lockedForDelete } from '../../db/write/locked.ts';
import { changeWithPlan, type ObjectChange } from '../../db/write/plan.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { invalid } from '../../kernel/validate.ts';
import { requireTeamFor } from '../team/reads.ts';
import { certificateHooks } from './hooks.ts';
import type { AddCertificate, DeleteCertificate, ReplaceCertificate } from './model.ts';
import { requireCertificate } from './reads.ts';
import { insertCertificate, removeCertificate, setCertificate } from './rows.ts';
import { covers, readCertificate } from './x509-model.ts';

/** Adds a certificate. Its private key is encrypted before it is stored. */
export async function addCertificate(context: Context, input: AddCertificate): Promise<Row<'Certificate'>> {
  const team = await requireTeamFor(context, input.team, 'addCertificate');
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

/**
 * Replaces the chain and key of a certificate. The rules that use it keep it, so the new chain must cover their domains.
 * The row is locked, as by those who give the certificate to a rule. Components with such a rule are applied again. The
 * same chain again changes nothing.
 */
export async function replaceCertificate(
  context: Context,
  input: ReplaceCertificate,
): Promise<Row<'Certificate'>> {
  const target = await requireCertificate(context, input.certificate, 'replaceCertificate');
  const { id } = target;
  const { names, issuer, expiresAt, chain, key } = readCertificate(input.chain, input.key, new Date());
  return change(context, 'certificate.replace', async (write) => {
    const replaced = [];
    for (const hook of certificateHooks) replaced.push(await hook.replacing(write, target));
    const before = await locked(write, 'Certificate', id, input);
    if (before.chain === chain) return before;
    const rules = await findByKeys(write, 'HttpRule', 'certificateId', [id], ['domain', 'id'], {
      fields: ['domain'],
    });
    const uncovered = [...new Set(rules.map(({ domain }) => domain))].filter(
      (domain) => !covers(names, domain),
    );
    if (uncovered.length > 0) throw invalid(['input', 'chain'], mustCover(uncovered));
    const certificate = await setCertificate(write, before, {
      chain,
      sealedKey: context.seal.close(key),
      names: JSON.stringify(names),
      issuer,
      expiresAt,
    });
    for (const apply of replaced) await apply();
    return certificate;
  });
}

const maxNamed = 10;

const mustCover = (domains: readonly string[]) =>
  `Must cover the domains of the HTTP rules that use the certificate. Not covered: ${domains.slice(0, maxNamed).join(', ')}${domains.length > maxNamed ? ` and ${domains.length - maxNamed} more` : ''}`;

/** Deletes a certificate and returns it. A foreign key prevents deletion while a rule uses it. */
export async function deleteCertificate(
  context: Context,
  { certificate: ref, dryRun, ...expecting }: DeleteCertificate,
): Promise<{ certificate: Row<'Certificate'>; plan: ObjectChange[] }> {
  const certificate = await requireCertificate(context, ref, 'deleteCertificate');
  try {
    const { plan } = await changeWithPlan(context, 'certificate.delete', { dryRun }, async (write) =>
      removeCertificate(write, await lockedForDelete(write, 'Certificate', certificate.id, expecting)),
    );
    return { certificate, plan };
  } catch (error) {
    if (!(error instanceof ForeignKeyError)) throw error;
    const domains = await domainsUsing(context, certificate.id);
    throw new ConflictError(
      `The certificate ${certificate.name} is in use${domains.length > 0 ? ` by the rules of ${domains.join(', ')}` : ''}.`,
    );
  }
}

async function domainsUsing(context: Context, certificateId: number): Promise<string[]> {
  const rules = await context.db.httpRule.findManyByKeys({
    by: 'certificateId',
    keys: [certificateId],
    fields: ['domain'],
  });
  return [...new Set(rules.map((rule) => rule.domain))].sort();
}
