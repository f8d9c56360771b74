import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { findByKeys } from '../../db/write/bulk.ts';
import { lockRows } from '../../db/write/locks.ts';
import type { Reading } from '../../db/write/reading.ts';
import { maySee } from '../../kernel/access.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { groupBy } from '../../kernel/group.ts';
import { newId } from '../../kernel/new-id.ts';
import type { PortWrite } from '../port/hooks.ts';
import { maxHttpRules, maxTcpRules } from './model.ts';
import { formatEndpoint, isSameEndpoint, tcpPortRange } from './tcp/endpoint-model.ts';

type Locking = Pick<Reading<Context>, 'context' | 'tx'> & { region: Pick<Row<'Region'>, 'id'> };

/**
 * Locks the region until the commit. Domains and TCP ports are unique in it, so that one transaction at a time takes or frees them.
 * All teams wait for it: it is locked only before that, and only jobs are locked afterwards.
 */
export const lockRegion = ({ context, tx, region }: Locking): Promise<void> =>
  lockRows({ context, tx }, 'Region', region.id);

type Endpoint = Pick<Row<'TcpRule'>, 'address' | 'portNumber'>;

/**
 * CONFLICT if a rule of the region already uses one of the endpoints. `0.0.0.0` and `::` overlap with all addresses, as do the ports
 * of nodes. The region has to be locked.
 */
export async function requireFreeEndpoints(
  write: Pick<PortWrite, 'context' | 'tx' | 'region' | 'team'>,
  endpoints: readonly Endpoint[],
  exceptRuleId?: number,
): Promise<void> {
  const { region } = write;
  const ports = new Set(endpoints.map(({ portNumber }) => portNumber));
  const there = await findByKeys(write, 'TcpRule', 'portNumber', [...ports], ['id'], {
    fields: ['id', 'address', 'portNumber', 'teamId', 'applicationId', 'componentId'],
    where: { field: 'regionId', is: region.id },
  });
  const { actor } = write.context;
  const byPort = groupBy(there, ({ portNumber }) => portNumber);
  for (const { address, portNumber } of endpoints) {
    const taken = byPort
      .get(portNumber)
      ?.find((rule) => rule.id !== exceptRuleId && isSameEndpoint(region, rule, { address, portNumber }));
    if (taken) {
      const { enterpriseId } = write.team;
      const of = maySee(actor, { ...taken, enterpriseId })
        ? `a rule on ${formatEndpoint(taken.address, portNumber)}`
        : 'a rule that is not visible to you';
      throw new ConflictError(
        `${formatEndpoint(address, portNumber)} is already in use in the region ${region.name}, by ${of}.`,
      );
    }
  }
}

type TcpWrite = Pick<PortWrite, 'context' | 'tx' | 'region' | 'team'>;

function requireRoomFor(
  { team, region }: Pick<TcpWrite, 'team' | 'region'>,
  has: number,
  count: number,
): void {
  if (has + count <= maxTcpRules) return;
  throw new ConflictError(
    `The team ${team.name} has ${has} TCP rules in the region ${region.name}. The limit is ${maxTcpRules}. Delete some first.`,
  );
}

/** CONFLICT if the team may have no more TCP rules in the region. */
export async function requireTcpRoom(write: TcpWrite, count: number): Promise<void> {
  const where = { regionId: write.region.id, component: { teamId: write.team.id } };
  requireRoomFor(write, await write.tx.tcpRule.count({ where }), count);
}

/** CONFLICT if the application may have no more HTTP rules. */
export async function requireHttpRoom(
  { tx }: Pick<TcpWrite, 'tx'>,
  applicationId: number,
  count: number,
): Promise<void> {
  const has = await tx.httpRule.count({ where: { applicationId } });
  if (has + count <= maxHttpRules) return;
  throw new ConflictError(
    `The application has ${has} HTTP rules. The limit is ${maxHttpRules}. Delete some first.`,
  );
}

/** The lowest free TCP ports of the region. CONFLICT if there are too few, or the team has too many. */
export async function freeTcpPorts(
  write: Reading<Pick<Context, 'db'>> & Pick<TcpWrite, 'region' | 'team'>,
  count: number,
): Promise<number[]> {
  if (count === 0) return [];
  const { context, tx, region, team } = write;
  const { placeholder } = context.db.dialect;
  const rows = await tx.$read(
    `SELECT r.port_number, c.team_id FROM tcp_rule r JOIN component c ON c.id = r.component_id WHERE r.region_id = ${placeholder(1)} AND r.port_number BETWEEN ${tcpPortRange.first} AND ${tcpPortRange.last}`,
    [region.id],
  );
  requireRoomFor(write, rows.filter(([, teamId]) => teamId === team.id).length, count);
  const used = new Set(rows.map(([portNumber]) => Number(portNumber)));
  const free: number[] = [];
  for (let port: number = tcpPortRange.first; port <= tcpPortRange.last && free.length < count; port++) {
    if (!used.has(port)) free.push(port);
  }
  if (free.length < count) throw new ConflictError(`The region ${region.name} has no free TCP port.`);
  return free;
}

/** The default domain of a port: `{port}.{component alias}.{team name}.{region's HTTP domain}`. */
export const defaultDomain = ({
  port,
  component,
  team,
  region,
}: Pick<PortWrite, 'port' | 'component' | 'team' | 'region'>) =>
  `${port.number}.${component.alias}.${team.name}.${region.httpDomain}`;

/** The columns that are the same for every rule of a port. */
export const ruleOf = ({ port, component }: Pick<PortWrite, 'port' | 'component'>) => ({
  key: newId(),
  teamId: component.teamId,
  regionId: component.regionId,
  applicationId: component.applicationId,
  componentId: component.id,
  portId: port.id,
  createdAt: new Date(),
});
