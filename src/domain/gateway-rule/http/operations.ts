import type { Context } from '../../../context.ts';
import { lockRows } from '../../../db/write/locks.ts';
import { changeWithPlan } from '../../../db/write/plan.ts';
import { requireRevision } from '../../../db/write/revision.ts';
import { ConflictError, NotFoundError } from '../../../kernel/errors.ts';
import { invalid } from '../../../kernel/validate.ts';
import { namesOf } from '../../certificate/model.ts';
import { requireCertificate } from '../../certificate/reads.ts';
import { covers } from '../../certificate/x509-model.ts';
import { applyingPorts } from '../../component/deploy/apply-rows.ts';
import { isPossible } from '../../port/action-model.ts';
import type { PortWrite } from '../../port/hooks.ts';
import { loadRegion, requireEnabled } from '../../region/reads.ts';
import { ruleOf } from '../address-reads.ts';
import { requireIssuer } from '../issued-reads.ts';
import {
  customWhere,
  type ExpectedPort,
  lockRule,
  lockTarget,
  openPort,
  type RuleOutcome,
  requireTarget,
} from '../operations.ts';
import { requireHttpRule } from '../reads.ts';
import { insertHttpRule, setHttpRule } from '../rows.ts';
import { matchesOthers } from './domain-model.ts';
import { claimDomain } from './domain-rows.ts';
import { type CreateHttpRule, configured, type UpdateHttpRule } from './model.ts';
import { requireSharedAlike } from './sharing-reads.ts';

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
  const { result: rule, plan } = await changeWithPlan(
    context,
    'http_rule.create',
    input,
    (started) =>
      applyingPorts(started, found, found.component.id, async (open) => {
        const write = await lockTarget(open, found, input);
        const { port } = write;
        if (!isPossible(port, 'createHttpRule')) {
          throw new ConflictError(
            `Port ${port.number} uses ${port.protocol}. An HTTP rule requires a port with the protocol http or grpc.`,
          );
        }
        await requireCovering(write, certificateId, domain);
        const at = ruleOf(write);
        await claimDomain(write, { ...at, domain });
        const rule = await insertHttpRule(write, {
          ...at,
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
        });
        if (input.opensPort) await openPort(write);
        return rule;
      }),
    sameRule(domain, path),
  );
  return { rule, plan };
}

export async function updateHttpRule(
  context: Context,
  input: UpdateHttpRule,
  { requiresIssuer = false }: IssuerOptions = {},
): Promise<RuleOutcome<'HttpRule'>> {
  const { rule: found, team } = await requireHttpRule(context, input.rule, 'updateHttpRule');
  const region = await loadRegion(context, found.regionId);
  requireEnabled(region);
  if (requiresIssuer && input.autoSsl && !found.autoSsl) await requireIssuer(context, region);
  const wanted = await wantedCertificate(context, input.certificate);
  const { result: rule, plan } = await changeWithPlan(
    context,
    'http_rule.update',
    input,
    (started) =>
      applyingPorts(started, { region, team }, found.componentId, async (open) => {
        const write = await lockRule(open, found, { region, team });
        const before = await write.tx.httpRule.findUnique({ where: { id: found.id } });
        if (!before) throw new NotFoundError('HTTP rule');
        requireRevision(before, input, 'HTTP rule');
        const domain = input.domain?.toLowerCase() ?? before.domain;
        const path = input.path ?? before.path;
        const certificateId = input.certificate === undefined ? before.certificateId : wanted;
        await requireCovering(write, certificateId, domain);
        const match = {
          domain,
          path,
          cookie: input.domainCookie ?? before.cookie,
          header: input.domainHeader ?? before.header,
          weight: input.weight ?? before.weight,
        };
        const claim = { ...before, domain };
        if (domain !== before.domain) await claimDomain(write, claim);
        else if (matchesOthers(before, match)) await requireSharedAlike(write, [claim]);
        return setHttpRule(write, before, {
          ...match,
          ...customWhere(before, domain !== before.domain || path !== before.path),
          certificateId,
          autoSsl: input.autoSsl ?? before.autoSsl,
          autoSslConfig: input.autoSslConfig ?? before.autoSslConfig,
          pathRewrite: input.pathRewrite ?? before.pathRewrite,
          rewrites: input.rewriteRules ? JSON.stringify(input.rewriteRules) : before.rewrites,
          extensions: input.extensions ? JSON.stringify(input.extensions) : before.extensions,
          configuration: JSON.stringify(configured(input.configuration, JSON.parse(before.configuration))),
        });
      }),
    () => 'The port already has a rule for that domain and path.',
  );
  return { rule, plan };
}
