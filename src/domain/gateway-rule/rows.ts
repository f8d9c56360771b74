import { randomBytes } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { Transaction } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import { lockRows, type RecordEvent } from '../../db/write/change.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { isHttp } from '../port/model.ts';
import { claimDomain, releaseDomain } from './claims.ts';
import { anyAddress, formatEndpoint, isAnyAddress, tcpPortRange } from './endpoint.ts';

/** The context for writing rules of a port: a transaction that has locked the component, then the region. */
export interface RuleScene {
  context: Context;
  tx: Transaction;
  recordEvent: RecordEvent;
  port: Row<'Port'>;
  component: Row<'Component'>;
  team: Row<'Team'>;
  region: Row<'Region'>;
}

export const newRuleKey = () => randomBytes(16).toString('hex');

/** Locks the region, which serializes changes of rules. Domains and TCP ports are unique in a region. */
export const lockRegion = ({ context, tx, region }: Pick<RuleScene, 'context' | 'tx' | 'region'>) =>
  lockRows({ context, tx }, 'Region', region.id);

/** CONFLICT if a rule of the region already uses the endpoint. `0.0.0.0` and `::` overlap with all addresses. */
export async function requireFreeEndpoint(
  { tx, region }: Pick<RuleScene, 'tx' | 'region'>,
  { address, portNumber }: { address: string; portNumber: number },
  exceptRuleId?: number,
): Promise<void> {
  const there = await tx.tcpRule.findMany({ where: { regionId: region.id, portNumber } });
  const taken = there.find(
    (rule) =>
      rule.id !== exceptRuleId &&
      (rule.address === address || isAnyAddress(rule.address) || isAnyAddress(address)),
  );
  if (taken) {
    throw new ConflictError(
      `${formatEndpoint(address, portNumber)} is already in use in the region ${region.name}, by a rule on ${formatEndpoint(taken.address, portNumber)}.`,
    );
  }
}

/** The lowest free TCP ports of the region. CONFLICT if there are too few. */
export async function freeTcpPorts(
  { tx, region }: Pick<RuleScene, 'tx' | 'region'>,
  count: number,
): Promise<number[]> {
  if (count === 0) return [];
  const rows = await tx.tcpRule.findMany({
    where: { regionId: region.id, portNumber: { gte: tcpPortRange.first, lte: tcpPortRange.last } },
    select: { portNumber: true },
  });
  const used = new Set(rows.map(({ portNumber }) => portNumber));
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
}: Pick<RuleScene, 'port' | 'component' | 'team' | 'region'>) =>
  `${port.number}.${component.alias}.${team.name}.${region.httpDomain}`;

/** The columns that are the same for every rule of a port. */
export const common = ({ port, component, region }: Pick<RuleScene, 'port' | 'component' | 'region'>) => ({
  key: newRuleKey(),
  regionId: region.id,
  applicationId: component.applicationId,
  componentId: component.id,
  portId: port.id,
  createdAt: new Date(),
});

/** Creates the published default rule of a port. */
async function createDefault(scene: RuleScene): Promise<void> {
  const { tx, recordEvent, team } = scene;
  if (isHttp(scene.port.protocol)) {
    const domain = defaultDomain(scene);
    await claimDomain(scene, domain);
    const rule = await tx.httpRule.create({
      data: { ...common(scene), domain, isDefault: true, isPublished: true },
    });
    recordEvent({
      action: 'http_rule.create',
      subject: { type: 'HttpRule', id: rule.id },
      teamId: team.id,
      after: rule,
    });
    return;
  }
  const [portNumber] = await freeTcpPorts(scene, 1);
  const rule = await tx.tcpRule.create({
    data: {
      ...common(scene),
      address: anyAddress,
      portNumber: portNumber!,
      isDefault: true,
      isPublished: true,
    },
  });
  recordEvent({
    action: 'tcp_rule.create',
    subject: { type: 'TcpRule', id: rule.id },
    teamId: team.id,
    after: rule,
  });
}

async function setPublished(scene: RuleScene, isPublished: boolean): Promise<void> {
  const { tx, recordEvent, team, port, component } = scene;
  const { applicationId } = component;
  const where = { portId: port.id, isPublished: !isPublished };
  for (const { id } of await tx.httpRule.findMany({ where, orderBy: { id: 'asc' } })) {
    await tx.httpRule.update({ where: { id }, data: { isPublished } });
    const subject = { type: 'HttpRule', id } as const;
    recordEvent({
      action: `http_rule.${isPublished ? 'publish' : 'unpublish'}`,
      subject,
      teamId: team.id,
      applicationId,
      before: { isPublished: !isPublished },
      after: { isPublished },
    });
  }
  for (const { id } of await tx.tcpRule.findMany({ where, orderBy: { id: 'asc' } })) {
    await tx.tcpRule.update({ where: { id }, data: { isPublished } });
    const subject = { type: 'TcpRule', id } as const;
    recordEvent({
      action: `tcp_rule.${isPublished ? 'publish' : 'unpublish'}`,
      subject,
      teamId: team.id,
      applicationId,
      before: { isPublished: !isPublished },
      after: { isPublished },
    });
  }
}

/**
 * Publishes the rules of a port that was opened. Creates a default rule if the port has none, or if its
 * default rule has become a custom one since it was last opened.
 */
export async function publishRules(scene: RuleScene): Promise<void> {
  const { tx, port } = scene;
  await lockRegion(scene);
  const of = { where: { portId: port.id } };
  const http = await tx.httpRule.findMany(of);
  const there = [...http, ...(await tx.tcpRule.findMany(of))];
  if (there.length === 0) return createDefault(scene);
  await setPublished(scene, true);
  const lostDefault = there.some((rule) => rule.wasDefault) && !there.some((rule) => rule.isDefault);
  if (port.isOuter || !lostDefault) return;
  const wasDefault = { where: { portId: port.id, wasDefault: true }, data: { wasDefault: false } };
  await tx.httpRule.updateMany(wasDefault);
  await tx.tcpRule.updateMany(wasDefault);
  const address = defaultDomain(scene);
  // A custom rule can already have the address of the default rule.
  if (!http.some((rule) => rule.domain === address && rule.path === '/')) await createDefault(scene);
}

/** Unpublishes the rules of a port that was closed. */
export const unpublishRules = (scene: RuleScene) => setPublished(scene, false);

/** The name of a rule in messages. */
export const nameOfHttp = (rule: Pick<Row<'HttpRule'>, 'domain' | 'path'>) => `${rule.domain}${rule.path}`;
export const nameOfTcp = (rule: Pick<Row<'TcpRule'>, 'address' | 'portNumber'>) =>
  formatEndpoint(rule.address, rule.portNumber);

/** Removes the default rules of a port, of one `kind` or all. With `why`, custom rules are a CONFLICT. */
export async function removeDefaultRules(
  scene: RuleScene,
  kind: 'http' | 'tcp' | 'all',
  why?: string,
): Promise<void> {
  const { tx, recordEvent, team, port } = scene;
  const http =
    kind === 'tcp' ? [] : await tx.httpRule.findMany({ where: { portId: port.id }, orderBy: { id: 'asc' } });
  const tcp =
    kind === 'http' ? [] : await tx.tcpRule.findMany({ where: { portId: port.id }, orderBy: { id: 'asc' } });
  const custom = [
    ...http.filter((rule) => !rule.isDefault).map(nameOfHttp),
    ...tcp.filter((rule) => !rule.isDefault).map(nameOfTcp),
  ];
  if (why && custom.length) throw new ConflictError(`${why}: ${custom.join(', ')}. Delete them first.`);
  if (http.length + tcp.length === custom.length) return;
  await lockRegion(scene);
  for (const rule of http.filter((each) => each.isDefault)) {
    await tx.httpRule.delete({ where: { id: rule.id } });
    await releaseDomain(scene, rule.domain);
    recordEvent({
      action: 'http_rule.delete',
      subject: { type: 'HttpRule', id: rule.id },
      teamId: team.id,
      before: rule,
    });
  }
  for (const rule of tcp.filter((each) => each.isDefault)) {
    await tx.tcpRule.delete({ where: { id: rule.id } });
    recordEvent({
      action: 'tcp_rule.delete',
      subject: { type: 'TcpRule', id: rule.id },
      teamId: team.id,
      before: rule,
    });
  }
}
