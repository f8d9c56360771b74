import type { Context } from '../../context.ts';
import type { Field, Row } from '../../db/tables.ts';
import { boundedLook } from '../../drivers/region/driver.ts';
import type { IssuedCertificate } from '../../drivers/region/issued-certificates.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { loadComponent } from '../component/reads.ts';
import { clusterOf } from '../region/cluster-model.ts';
import { loadRegion } from '../region/reads.ts';
import { foundIn, ofTeams } from './problem-reads.ts';

export const issuedColumns = ['regionId', 'componentId', 'domain'] as const satisfies Field<'HttpRule'>[];

const issuedOfTeams = ofTeams(({ certificates }) => certificates?.issued);

/** CONFLICT if the region cannot provide certificates. A cluster that does not respond is not held against the rule. */
export async function requireIssuer(context: Context, region: Row<'Region'>): Promise<void> {
  if (clusterOf(region).certificateIssuer === null) {
    throw new ConflictError(
      `\`autoSsl\` requires a certificate issuer, and the region ${region.name} has none. Add a certificate to the rule, or ask an administrator to set \`certificateIssuer\` with \`updateRegion\`.`,
    );
  }
  const driver = context.drivers.region.get(region.driver);
  const { certificates } = driver ?? {};
  if (!certificates) return;
  const missing = await boundedLook(
    (signal) => certificates.missing(region.id, signal),
    context,
    driver!.timeoutMs,
  ).catch((error) => {
    context.signal?.throwIfAborted();
    context.log.warn({ region: region.id, error }, 'region driver failed');
    return null;
  });
  if (missing !== null)
    throw new ConflictError(`\`autoSsl\` requires cert-manager in the region ${region.name}. ${missing}`);
}

/** The certificate that a rule has from the cluster; null if it has none. */
export async function issuedCertificateOf(
  context: Context,
  rule: Pick<Row<'HttpRule'>, 'autoSsl' | 'certificateId' | (typeof issuedColumns)[number]>,
): Promise<IssuedCertificate | null> {
  const [component, region] = await Promise.all([
    loadComponent(context, rule.componentId),
    loadRegion(context, rule.regionId),
  ]);
  const isIssued = rule.autoSsl && rule.certificateId === null;
  if (!isIssued || clusterOf(region).certificateIssuer === null) return null;
  const answer = await issuedOfTeams(context, `${region.id} ${component.teamId}`);
  const found = foundIn(context, region.id, answer)?.of({ component, domain: rule.domain }) ?? null;
  context.budget?.reserve(found?.reason?.length ?? 0);
  return found;
}
