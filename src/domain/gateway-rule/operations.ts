import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';
import { lockRows } from '../../db/write/locks.ts';
import { changeWithPlan, type ObjectChange } from '../../db/write/plan.ts';
import { type Expecting, requireRevision } from '../../db/write/revision.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { requireApplicationFor } from '../application/reads.ts';
import { applyingPorts } from '../component/deploy/apply-rows.ts';
import { requireComponentFor } from '../component/reads.ts';
import type { PortWrite } from '../port/hooks.ts';
import { type requirePort, requirePortFor } from '../port/reads.ts';
import { setPort } from '../port/rows.ts';
import { loadRegion, requireEnabled } from '../region/reads.ts';
import { lockRegion } from './address-reads.ts';
import type { CreateHttpRule } from './http/model.ts';
import type { DeleteGatewayRule } from './model.ts';
import { requireGatewayRule } from './reads.ts';
import { removeHttpRule, removeTcpRule } from './rows.ts';

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

export interface RuleOutcome<M extends 'HttpRule' | 'TcpRule'> {
  rule: Row<M>;
  plan: ObjectChange[];
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

/** Deletes a rule and returns it. Its port is unchanged. */
export async function deleteGatewayRule(
  context: Context,
  { rule: ref, dryRun, ...expecting }: DeleteGatewayRule,
) {
  const found = await requireGatewayRule(context, ref, 'deleteGatewayRule');
  const region = await loadRegion(context, found.rule.regionId);
  requireEnabled(region);
  const action = `${found.kind}_rule.delete` as const;
  const { result, plan } = await changeWithPlan(context, action, { dryRun }, (started) =>
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
