import type { Context } from '../../../context.ts';
import { locked } from '../../../db/write/locked.ts';
import { lockRows } from '../../../db/write/locks.ts';
import { patched } from '../../../db/write/revision.ts';
import { ConflictError, NotFoundError } from '../../../kernel/errors.ts';
import { invalid } from '../../../kernel/validate.ts';
import { namesOf } from '../../certificate/model.ts';
import { requireCertificate } from '../../certificate/reads.ts';
import { covers } from '../../certificate/x509-model.ts';
import { isPossible } from '../../port/action-model.ts';
import type { PortWrite } from '../../port/hooks.ts';
import { lockRegion, ruleOf } from '../address-reads.ts';
import { requireIssuer } from '../issued-reads.ts';
import { insertRules } from '../many-rows.ts';
import {
  addRule,
  changeRule,
  customWhere,
  type ExpectedPort,
  openPort,
  type RuleOutcome,
  requirePlace,
  requireTarget,
} from '../operations.ts';
import { requireHttpRule } from '../reads.ts';
import { setHttpRule } from '../rows.ts';
import { changesCertificate, changesRequests, matchesOthers } from './domain-model.ts';
import { claimDomains } from './domain-rows.ts';
import { type CreateHttpRule, configured, type UpdateHttpRule } from './model.ts';
import { requireOwnCertificate, requireOwnRequests, requireSharedAlike } from './sharing-reads.ts';

/** The id of the certificate for a rule; null if there is none. */
const wantedCertificate = async (context: Context, ref: CreateHttpRule['certificate']) =>
  ref == null ? null : (await requireCertificate(context, ref)).id;

/** Requires a certificate of the team that covers the domain, and locks it until the commit. */
async function requireCovering(
  { context, tx, team }: Pick<PortWrite, 'context' | 'tx' | 'team'>,
  id: number | null,
  domain: string,
): Promise<void> {
  if (id === null) return;
  await lockRows({ context, tx }, 'Certificate', id);
  const certificate = await tx.certificate.findUnique({ where: { id }, omit: { sealedKey: true } });
  if (certificate?.teamId !== team.id) throw new NotFoundError('certificate');
  if (!covers(namesOf(certificate), domain)) {
    throw invalid(['input', 'certificate'], `The certificate ${certificate.name} does not cover ${domain}`);
  }
}

const sameRule = (domain: string, path: string) => () => `The port already has a rule for ${domain}${path}.`;

/** Whether `autoSsl` is refused in regions that cannot provide certificates. */
interface IssuerOptions {
  requiresIssuer?: boolean;
}

export async function createHttpRule(
  context: Context,
  input: ExpectedPort<CreateHttpRule>,
  { requiresIssuer = false }: IssuerOptions = {},
): Promise<RuleOutcome<'HttpRule'>> {
  const found = await requireTarget(context, input, 'createHttpRule');
  if (requiresIssuer && input.autoSsl) await requireIssuer(context, found.region);
  const domain = input.domain.toLowerCase();
  const path = input.path ?? '/';
  const certificateId = await wantedCertificate(context, input.certificate);
  const options = { action: 'http_rule.create', taken: sameRule(domain, path) } as const;
  return addRule(context, found, input, options, async (write) => {
    const { port } = write;
    if (!isPossible(port, 'createHttpRule')) {
      throw new ConflictError(
        `Port ${port.number} uses ${port.protocol}. An HTTP rule requires a port with the protocol http or grpc.`,
      );
    }
    await requireCovering(write, certificateId, domain);
    const data = {
      ...ruleOf(write),
      certificateId,
      domain,
      path,
      cookie: input.domainCookie ?? '',
      header: input.domainHeader ?? '',
      weight: input.weight ?? 100,
      isDefault: false,
      isPublished: port.isOuter || (input.opensPort ?? false),
      autoSsl: input.autoSsl ?? false,
      autoSslConfig: input.autoSslConfig ?? '',
      pathRewrite: input.pathRewrite ?? false,
      rewrites: JSON.stringify(input.rewriteRules ?? []),
      extensions: JSON.stringify(input.extensions ?? []),
      configuration: JSON.stringify(configured(input.configuration)),
    };
    const { http } = await insertRules(write, [data], []);
    if (input.opensPort) await openPort(write);
    return http[0]!;
  });
}

export async function updateHttpRule(
  context: Context,
  input: UpdateHttpRule,
  { requiresIssuer = false }: IssuerOptions = {},
): Promise<RuleOutcome<'HttpRule'>> {
  const found = await requirePlace(context, await requireHttpRule(context, input.rule, 'updateHttpRule'));
  if (requiresIssuer && input.autoSsl && !found.rule.autoSsl) await requireIssuer(context, found.region);
  const wanted = await wantedCertificate(context, input.certificate);
  const options = {
    action: 'http_rule.update',
    taken: () => 'The port already has a rule for that domain and path.',
  } as const;
  return changeRule(context, found, input, options, async (write) => {
    const before = await locked(write, 'HttpRule', found.rule.id, input);
    const { domainCookie: cookie, domainHeader: header, rewriteRules, extensions } = input;
    const given = { ...input, domain: input.domain?.toLowerCase(), cookie, header };
    const match = patched(before, given, ['domain', 'path', 'cookie', 'header', 'weight']);
    const { domain, path } = match;
    const certificateId = input.certificate === undefined ? before.certificateId : wanted;
    await requireCovering(write, certificateId, domain);
    const claim = { ...before, domain };
    const settings = {
      certificateId,
      ...patched(before, input, ['autoSsl', 'autoSslConfig', 'pathRewrite']),
      rewrites: rewriteRules ? JSON.stringify(rewriteRules) : before.rewrites,
      extensions: extensions ? JSON.stringify(extensions) : before.extensions,
      configuration: JSON.stringify(configured(input.configuration, JSON.parse(before.configuration))),
    };
    if (matchesOthers(before, match)) await lockRegion(write);
    if (domain !== before.domain) await claimDomains(write, [claim]);
    else if (matchesOthers(before, match)) await requireSharedAlike(write, [claim]);
    if (changesRequests(before, settings)) await requireOwnRequests(write, [before]);
    if (changesCertificate(before, settings)) await requireOwnCertificate(write, [{ ...before, domain }]);
    return setHttpRule(write, before, {
      ...match,
      ...customWhere(before, domain !== before.domain || path !== before.path),
      ...settings,
    });
  });
}
