import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { locked } from '../../../db/write/locked.ts';
import { lockRegion, requireFreeEndpoints, ruleOf } from '../address-reads.ts';
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
import { requireTcpRule } from '../reads.ts';
import { setTcpRule } from '../rows.ts';
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
  const options = { action: 'tcp_rule.create', taken: isTaken(endpoint, found.region) } as const;
  return addRule(context, found, input, options, async (write) => {
    const data = {
      ...ruleOf(write),
      ...endpoint,
      ...mappedOf(input.mappedAddress ?? null),
      isDefault: false,
      isPublished: true,
      extensions: JSON.stringify(input.extensions ?? []),
    };
    const { tcp } = await insertRules(write, [], [data]);
    await openPort(write);
    return tcp[0]!;
  });
}

export async function updateTcpRule(context: Context, input: UpdateTcpRule): Promise<RuleOutcome<'TcpRule'>> {
  const found = await requirePlace(context, await requireTcpRule(context, input.rule, 'updateTcpRule'));
  const wanted = input.endpoint == null ? undefined : parseEndpoint(input.endpoint);
  const taken = isTaken(wanted ?? found.rule, found.region);
  return changeRule(context, found, input, { action: 'tcp_rule.update', taken }, async (write) => {
    const before = await locked(write, 'TcpRule', found.rule.id, input);
    const endpoint = wanted ?? { address: before.address, portNumber: before.portNumber };
    const moves = endpoint.address !== before.address || endpoint.portNumber !== before.portNumber;
    if (moves) {
      await lockRegion(write);
      await requireFreeEndpoints(write, [endpoint], before.id);
    }
    return setTcpRule(write, before, {
      ...endpoint,
      ...customWhere(before, moves),
      ...(input.mappedAddress !== undefined && mappedOf(input.mappedAddress)),
      extensions: input.extensions ? JSON.stringify(input.extensions) : before.extensions,
    });
  });
}
