import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';
import { lockRows } from '../../db/write/locks.ts';
import { changeWithPlan, type ObjectChange } from '../../db/write/plan.ts';
import { type Expecting, requireRevision } from '../../db/write/revision.ts';
import { ConflictError, NotFoundError } from '../../kernel/errors.ts';
import { invalid } from '../../kernel/validate.ts';
import { requireApplicationFor } from '../application/reads.ts';
import { namesOf } from '../certificate/model.ts';
import { requireCertificate } from '../certificate/reads.ts';
import { covers } from '../certificate/x509-model.ts';
import { applyingPorts } from '../component/deploy/apply-rows.ts';
import { requireComponentFor } from '../component/reads.ts';
import { isPossible } from '../port/action-model.ts';
import type { PortWrite } from '../port/hooks.ts';
import { type requirePort, requirePortFor } from '../port/reads.ts';
import { setPort } from '../port/rows.ts';
import { loadRegion, requireEnabled } from '../region/reads.ts';
import { lockRegion, ruleOf } from './address-reads.ts';
import { claimDomain } from './http/domain-rows.ts';
import { type CreateHttpRule, configured, type DeleteGatewayRule, type UpdateHttpRule } from './model.ts';
import { requireGatewayRule, requireHttpRule } from './reads.ts';
import { insertHttpRule, removeHttpRule, removeTcpRule, setHttpRule } from './rows.ts';

/** The port of a new rule. Checks that its component is in the application and that the region is enabled. */
export async function requireTarget(
  context: Context,
  input: Pick<CreateHttpRule, 'application' | 'component' | 'portNumber'>,
  action: 'createHttpRule' | 'createTcpRule',
) {
  const { application } = await requireApplicationFor(context, input.application, action);
  const { component } = await requireComponentFor(context, input.component, action);
  if (component.applicationId !== application.id) throw new NotFoundError('component');
  const at = { component: { componentId: component.id }, number: input.portNumber };
  return requirePortFor(context, { at }, action);
}

/** The revisions that a caller expects of the port of a new rule. */
export interface ExpectingPort {
  expectedPortRevision?: Expecting['expectedRevision'];
}

/** An input in which REST can expect one of several revisions. */
export type ExpectedPort<I> = Omit<I, 'expectedPortRevision'> & ExpectingPort;

/** Locks the component and region, and re-reads the port. */
export async function lockTarget(
  write: Write<Context>,
  found: Awaited<ReturnType<typeof requirePort>>,
  { expectedPortRevision: expectedRevision }: ExpectingPort,
): Promise<PortWrite> {
  await lockRows(write, 'Component', found.component.id);
  await lockRegion({ ...write, region: found.region });
  const port = await write.tx.port.findUnique({ where: { id: found.port.id } });
  if (!port) throw new NotFoundError('port');
  requireRevision(port, { expectedRevision }, 'port');
  return { ...write, ...found, port };
}

/** Opens the port and publishes its other rules. */
export async function openPort(write: PortWrite): Promise<void> {
  if (!write.port.isOuter) await setPort(write, 'port.open_outer', { isOuter: true });
}

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

export interface RuleOutcome<M extends 'HttpRule' | 'TcpRule'> {
  rule: Row<M>;
  plan: ObjectChange[];
}

const sameRule = (domain: string, path: string) => () => `The port already has a rule for ${domain}${path}.`;

export async function createHttpRule(
  context: Context,
  input: ExpectedPort<CreateHttpRule>,
): Promise<RuleOutcome<'HttpRule'>> {
  const found = await requireTarget(context, input, 'createHttpRule');
  const domain = input.domain.toLowerCase();
  const path = input.path ?? '/';
  const certificateId = await wantedCertificate(context, input.certificate);
  const { result: rule, plan } = await changeWithPlan(
    context,
    'http_rule.create',
    { isDryRun: input.dryRun ?? false },
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
        await claimDomain(write, domain);
        const rule = await insertHttpRule(write, {
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
          rewrites: input.rewrites ?? '[]',
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

/** Locks the component of a rule, then its region. */
export async function lockRule<T extends Pick<PortWrite, 'team' | 'region'>>(
  write: Write<Context>,
  { componentId }: { componentId: string },
  place: T,
): Promise<Write<Context> & T> {
  await lockRows(write, 'Component', componentId);
  await lockRegion({ ...write, region: place.region });
  return { ...write, ...place };
}

/** Whether a default rule becomes a custom one, because its address was changed. */
export const customWhere = (rule: { isDefault: boolean }, moves: boolean) =>
  rule.isDefault && moves ? { isDefault: false, wasDefault: true } : {};

export async function updateHttpRule(
  context: Context,
  input: UpdateHttpRule,
): Promise<RuleOutcome<'HttpRule'>> {
  const { rule: found, team } = await requireHttpRule(context, input.rule, 'developer');
  const region = await loadRegion(context, found.regionId);
  requireEnabled(region);
  const wanted = await wantedCertificate(context, input.certificate);
  const { result: rule, plan } = await changeWithPlan(
    context,
    'http_rule.update',
    { isDryRun: input.dryRun ?? false },
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
        if (domain !== before.domain) await claimDomain(write, domain);
        return setHttpRule(write, before, {
          domain,
          path,
          ...customWhere(before, domain !== before.domain || path !== before.path),
          certificateId,
          cookie: input.domainCookie ?? before.cookie,
          header: input.domainHeader ?? before.header,
          weight: input.weight ?? before.weight,
          autoSsl: input.autoSsl ?? before.autoSsl,
          autoSslConfig: input.autoSslConfig ?? before.autoSslConfig,
          pathRewrite: input.pathRewrite ?? before.pathRewrite,
          rewrites: input.rewrites ?? before.rewrites,
          extensions: input.extensions ? JSON.stringify(input.extensions) : before.extensions,
          configuration: JSON.stringify(configured(input.configuration, JSON.parse(before.configuration))),
        });
      }),
    () => 'The port already has a rule for that domain and path.',
  );
  return { rule, plan };
}

/** Deletes a rule and returns it. Its port is unchanged. */
export async function deleteGatewayRule(
  context: Context,
  { rule: ref, dryRun, ...expecting }: DeleteGatewayRule,
) {
  const found = await requireGatewayRule(context, ref, 'developer');
  const region = await loadRegion(context, found.rule.regionId);
  requireEnabled(region);
  const action = `${found.kind}_rule.delete` as const;
  const { result, plan } = await changeWithPlan(context, action, { isDryRun: dryRun ?? false }, (started) =>
    applyingPorts(started, { region, team: found.team }, found.rule.componentId, async (open) => {
      const write = await lockRule(open, found.rule, { region, team: found.team });
      const where = { where: { id: found.rule.id } };
      const http = found.kind === 'http' ? await write.tx.httpRule.findUnique(where) : null;
      const tcp = found.kind === 'tcp' ? await write.tx.tcpRule.findUnique(where) : null;
      const rule = http ?? tcp;
      if (!rule) throw new NotFoundError('gateway rule');
      requireRevision(rule, expecting, 'gateway rule');
      if (http) await removeHttpRule(write, http);
      if (tcp) await removeTcpRule(write, tcp);
      return { http, tcp };
    }),
  );
  return { ...result, component: found.component, plan };
}
