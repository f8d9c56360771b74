import type { Row } from '../../db/tables.ts';
import { ConflictError } from '../../kernel/errors.ts';
import type { PortWrite } from '../port/hooks.ts';
import { isHttp } from '../port/model.ts';
import { defaultDomain, freeTcpPorts, lockRegion, ruleOf } from './address-reads.ts';
import { claimDomain } from './http/domain-rows.ts';
import {
  forgetLostDefaults,
  insertHttpRule,
  insertTcpRule,
  removeHttpRule,
  removeTcpRule,
  setHttpRule,
  setTcpRule,
} from './rows.ts';
import { anyAddress, formatEndpoint } from './tcp/endpoint-model.ts';

/** Creates the published default rule of a port. */
async function insertDefaultRule(write: PortWrite): Promise<void> {
  const rule = { ...ruleOf(write), isDefault: true, isPublished: true };
  if (isHttp(write.port.protocol)) {
    const domain = defaultDomain(write);
    await claimDomain(write, { ...rule, domain });
    await insertHttpRule(write, { ...rule, domain });
    return;
  }
  const [portNumber] = await freeTcpPorts(write, 1);
  await insertTcpRule(write, { ...rule, address: anyAddress, portNumber: portNumber! });
}

async function setPublished(write: PortWrite, isPublished: boolean): Promise<void> {
  const of = { where: { portId: write.port.id, isPublished: !isPublished }, orderBy: { id: 'asc' } } as const;
  const action = isPublished ? 'publish' : 'unpublish';
  for (const rule of await write.tx.httpRule.findMany(of)) {
    await setHttpRule(write, rule, { isPublished }, `http_rule.${action}`);
  }
  for (const rule of await write.tx.tcpRule.findMany(of)) {
    await setTcpRule(write, rule, { isPublished }, `tcp_rule.${action}`);
  }
}

/**
 * Publishes the rules of a port that was opened. Creates a default rule if the port has none, or if its
 * default rule has become a custom one since it was last opened.
 */
export async function publishRules(write: PortWrite): Promise<void> {
  const { tx, port } = write;
  await lockRegion(write);
  const of = { where: { portId: port.id } };
  const http = await tx.httpRule.findMany(of);
  const there = [...http, ...(await tx.tcpRule.findMany(of))];
  if (there.length === 0) return insertDefaultRule(write);
  await setPublished(write, true);
  const lostDefault = there.some((rule) => rule.wasDefault) && !there.some((rule) => rule.isDefault);
  if (port.isOuter || !lostDefault) return;
  await forgetLostDefaults(tx, port.id);
  const address = defaultDomain(write);
  // A custom rule can already have the address of the default rule.
  if (!http.some((rule) => rule.domain === address && rule.path === '/')) await insertDefaultRule(write);
}

/** Unpublishes the rules of a port that was closed. */
export const unpublishRules = (write: PortWrite) => setPublished(write, false);

/** The name of a rule in messages. */
const nameOfHttp = (rule: Pick<Row<'HttpRule'>, 'domain' | 'path'>) => `${rule.domain}${rule.path}`;
const nameOfTcp = (rule: Pick<Row<'TcpRule'>, 'address' | 'portNumber'>) =>
  formatEndpoint(rule.address, rule.portNumber);

/** Removes the default rules of a port, of one `kind` or all. With `why`, custom rules are a CONFLICT. */
export async function removeDefaultRules(
  write: PortWrite,
  kind: 'http' | 'tcp' | 'all',
  why?: string,
): Promise<void> {
  const { tx, port } = write;
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
  await lockRegion(write);
  for (const rule of http.filter((each) => each.isDefault)) await removeHttpRule(write, rule);
  for (const rule of tcp.filter((each) => each.isDefault)) await removeTcpRule(write, rule);
}
