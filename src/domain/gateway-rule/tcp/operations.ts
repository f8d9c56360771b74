import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { changeWithPlan } from '../../../db/write/plan.ts';
import { requireRevision } from '../../../db/write/revision.ts';
import { NotFoundError } from '../../../kernel/errors.ts';
import { applyingPorts } from '../../component/deploy/apply-rows.ts';
import { loadRegion, requireEnabled } from '../../region/reads.ts';
import { requireFreeEndpoint, requireTcpRoom, ruleOf } from '../address-reads.ts';
import {
  customWhere,
  type ExpectedPort,
  lockRule,
  lockTarget,
  openPort,
  type RuleOutcome,
  requireTarget,
} from '../operations.ts';
import { requireTcpRule } from '../reads.ts';
import { insertTcpRule, setTcpRule } from '../rows.ts';
import { formatEndpoint, parseEndpoint } from './endpoint-model.ts';
import type { CreateTcpRule, UpdateTcpRule } from './model.ts';

/** The columns of a mapped address. */
function mappedOf(endpoint: string | null) {
  const parsed = endpoint === null ? undefined : parseEndpoint(endpoint);
  return { mappedIp: parsed?.address ?? null, mappedPort: parsed?.portNumber ?? null };
}

const isTaken =
  ({ address, portNumber }: Endpoint, region: Row<'Region'>) =>
  () =>
    `${formatEndpoint(address, portNumber)} is already in use in the region ${region.name}.`;

type Endpoint = Pick<Row<'TcpRule'>, 'address' | 'portNumber'>;

export async function createTcpRule(
  context: Context,
  input: ExpectedPort<CreateTcpRule>,
): Promise<RuleOutcome<'TcpRule'>> {
  const found = await requireTarget(context, input, 'createTcpRule');
  const endpoint = parseEndpoint(input.endpoint)!;
  const { result: rule, plan } = await changeWithPlan(
    context,
    'tcp_rule.create',
    input,
    (started) =>
      applyingPorts(started, found, found.component.id, async (open) => {
        const write = await lockTarget(open, found, input);
        await requireFreeEndpoint(write, endpoint);
        await requireTcpRoom(write, 1);
        const rule = await insertTcpRule(write, {
          ...ruleOf(write),
          ...endpoint,
          ...mappedOf(input.mappedAddress ?? null),
          isDefault: false,
          isPublished: true,
          extensions: JSON.stringify(input.extensions ?? []),
        });
        await openPort(write);
        return rule;
      }),
    isTaken(endpoint, found.region),
  );
  return { rule, plan };
}

export async function updateTcpRule(context: Context, input: UpdateTcpRule): Promise<RuleOutcome<'TcpRule'>> {
  const { rule: found, team } = await requireTcpRule(context, input.rule, 'updateTcpRule');
  const region = await loadRegion(context, found.regionId);
  requireEnabled(region);
  const wanted = input.endpoint == null ? undefined : parseEndpoint(input.endpoint);
  const { result: rule, plan } = await changeWithPlan(
    context,
    'tcp_rule.update',
    input,
    (started) =>
      applyingPorts(started, { region, team }, found.componentId, async (open) => {
        const write = await lockRule(open, found, { region, team });
        const before = await write.tx.tcpRule.findUnique({ where: { id: found.id } });
        if (!before) throw new NotFoundError('TCP rule');
        requireRevision(before, input, 'TCP rule');
        const endpoint = wanted ?? { address: before.address, portNumber: before.portNumber };
        const moves = endpoint.address !== before.address || endpoint.portNumber !== before.portNumber;
        if (moves) await requireFreeEndpoint(write, endpoint, before.id);
        return setTcpRule(write, before, {
          ...endpoint,
          ...customWhere(before, moves),
          ...(input.mappedAddress !== undefined && mappedOf(input.mappedAddress)),
          extensions: input.extensions ? JSON.stringify(input.extensions) : before.extensions,
        });
      }),
    isTaken(wanted ?? found, region),
  );
  return { rule, plan };
}
