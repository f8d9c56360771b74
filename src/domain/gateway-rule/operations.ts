import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';
import type { EventAction } from '../../db/write/events.ts';
import { locked } from '../../db/write/locked.ts';
import { lockRows } from '../../db/write/locks.ts';
import { changeWithPlan, type ObjectChange } from '../../db/write/plan.ts';
import type { Expecting } from '../../db/write/revision.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { requireApplicationFor } from '../application/reads.ts';
import { applyingPorts } from '../component/deploy/apply-rows.ts';
import { requireComponentFor } from '../component/reads.ts';
import type { PortWrite } from '../port/hooks.ts';
import { type requirePort, requirePortFor } from '../port/reads.ts';
import { setPort } from '../port/rows.ts';
import { loadRegion, requireEnabled } from '../region/reads.ts';
import type { CreateHttpRule } from './http/model.ts';
import { type ManyRulesWrite, removeRules } from './many-rows.ts';
import type { DeleteGatewayRule } from './model.ts';
import { requireGatewayRule } from './reads.ts';

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

/** Opens the port and publishes its other rules. */
export async function openPort(write: PortWrite): Promise<void> {
  if (!write.port.isOuter) await setPort(write, 'port.open_outer', { isOuter: true });
}

export interface RuleOutcome<M extends 'HttpRule' | 'TcpRule'> {
  rule: Row<M>;
  plan: ObjectChange[];
}

interface RuleChange {
  action: EventAction<'HttpRule' | 'TcpRule'>;
  /** The message for an address that another rule has. */
  taken?: () => string;
}

/** Adds a rule to a port. Locks the component, and reads the port again. */
export async function addRule<R>(
  context: Context,
  found: Awaited<ReturnType<typeof requirePort>>,
  input: ExpectingPort & { dryRun?: boolean | null | undefined },
  { action, taken }: RuleChange,
  add: (write: PortWrite) => Promise<R>,
): Promise<{ rule: R; plan: ObjectChange[] }> {
  const { component, port } = found;
  const adding = (started: Write<Context>) =>
    applyingPorts(started, found, component.id, async (open) => {
      await lockRows(open, 'Component', component.id);
      const expecting = { expectedRevision: input.expectedPortRevision };
      return add({ ...open, ...found, port: await locked(open, 'Port', port.id, expecting) });
    });
  const { result, plan } = await changeWithPlan(context, action, input, adding, taken);
  return { rule: result, plan };
}

/** The region and the team of a rule to change. */
export async function requirePlace<R extends { regionId: string }>(
  context: Context,
  { rule, team }: { rule: R; team: Row<'Team'> },
) {
  const region = await loadRegion(context, rule.regionId);
  requireEnabled(region);
  return { rule, team, region };
}

/** Changes a rule. Locks its component. */
export async function changeRule<R>(
  context: Context,
  { rule, ...place }: { rule: { componentId: string } } & Pick<PortWrite, 'team' | 'region'>,
  { dryRun }: { dryRun?: boolean | null | undefined },
  { action, taken }: RuleChange,
  change: (write: ManyRulesWrite) => Promise<R>,
): Promise<{ rule: R; plan: ObjectChange[] }> {
  const changing = (started: Write<Context>) =>
    applyingPorts(started, place, rule.componentId, async (open) => {
      await lockRows(open, 'Component', rule.componentId);
      return change({ ...open, ...place });
    });
  const { result, plan } = await changeWithPlan(context, action, { dryRun }, changing, taken);
  return { rule: result, plan };
}

/** Whether a default rule becomes a custom one, because its address was changed. */
export const customWhere = (rule: { isDefault: boolean }, moves: boolean) =>
  rule.isDefault && moves ? { isDefault: false, wasDefault: true } : {};

/** Deletes a rule and returns it. Its port is unchanged. */
export async function deleteGatewayRule(context: Context, { rule: ref, ...input }: DeleteGatewayRule) {
  const { kind, ...found } = await requireGatewayRule(context, ref, 'deleteGatewayRule');
  const place = await requirePlace(context, found);
  const { id } = found.rule;
  const options = { action: `${kind}_rule.delete` } as const;
  const { rule, plan } = await changeRule(context, place, input, options, async (write) => {
    const noun = 'gateway rule';
    const http = kind === 'http' ? await locked(write, 'HttpRule', id, input, noun) : null;
    const tcp = kind === 'tcp' ? await locked(write, 'TcpRule', id, input, noun) : null;
    await removeRules(write, { http: http ? [http] : [], tcp: tcp ? [tcp] : [] });
    return { http, tcp };
  });
  return { ...rule, component: found.component, plan };
}
