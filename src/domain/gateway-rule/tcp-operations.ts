import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change, lockRows } from '../../db/write/change.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { regionById, requireEnabled } from '../region/reads.ts';
import { formatEndpoint, parseEndpoint } from './endpoint.ts';
import type { CreateTcpRule, UpdateTcpRule } from './model.ts';
import { customWhere, openPort, requireTarget, sceneOf } from './operations.ts';
import { requireTcpRule } from './reads.ts';
import { lockRegion, newRuleKey, requireFreeEndpoint } from './rows.ts';

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

export async function createTcpRule(context: Context, input: CreateTcpRule): Promise<Row<'TcpRule'>> {
  const found = await requireTarget(context, input);
  const endpoint = parseEndpoint(input.endpoint)!;
  return change(
    context,
    'tcp_rule.create',
    async ({ tx, recordEvent }) => {
      const scene = await sceneOf(context, tx, recordEvent, found);
      const { port, component, team, region } = scene;
      await requireFreeEndpoint(scene, endpoint);
      const rule = await tx.tcpRule.create({
        data: {
          key: newRuleKey(),
          regionId: region.id,
          applicationId: component.applicationId,
          componentId: component.id,
          portId: port.id,
          ...endpoint,
          ...mappedOf(input.mappedAddress ?? null),
          isDefault: false,
          isPublished: true,
          extensions: JSON.stringify(input.extensions ?? []),
          createdAt: new Date(),
        },
      });
      recordEvent({ subject: { type: 'TcpRule', id: rule.id }, teamId: team.id, after: rule });
      await openPort(scene);
      return rule;
    },
    isTaken(endpoint, found.region),
  );
}

export async function updateTcpRule(context: Context, input: UpdateTcpRule): Promise<Row<'TcpRule'>> {
  const { rule: found, team } = await requireTcpRule(context, input.rule, 'developer');
  const region = (await regionById(context, found.regionId))!;
  requireEnabled(region);
  const wanted = input.endpoint == null ? undefined : parseEndpoint(input.endpoint);
  return change(
    context,
    'tcp_rule.update',
    async ({ tx, recordEvent }) => {
      await lockRows({ context, tx }, 'Component', found.componentId);
      await lockRegion({ context, tx, region });
      const before = await tx.tcpRule.findUnique({ where: { id: found.id } });
      if (!before) throw new NotFoundError('TCP rule');
      const endpoint = wanted ?? { address: before.address, portNumber: before.portNumber };
      const moves = endpoint.address !== before.address || endpoint.portNumber !== before.portNumber;
      if (moves) await requireFreeEndpoint({ tx, region }, endpoint, before.id);
      const after = await tx.tcpRule.update({
        where: { id: before.id },
        data: {
          ...endpoint,
          ...customWhere(before, moves),
          ...(input.mappedAddress !== undefined && mappedOf(input.mappedAddress)),
          extensions: input.extensions ? JSON.stringify(input.extensions) : before.extensions,
        },
      });
      recordEvent({ subject: { type: 'TcpRule', id: before.id }, teamId: team.id, before, after });
      return after;
    },
    isTaken(wanted ?? found, region),
  );
}
