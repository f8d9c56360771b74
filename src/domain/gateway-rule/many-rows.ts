import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { deleteByIds, findByKeys, insertMany, reviseMany } from '../../db/write/bulk.ts';
import type { Write } from '../../db/write/change.ts';
import type { EventAction } from '../../db/write/events.ts';
import { yieldInTransaction } from '../../kernel/event-loop.ts';
import type { ComponentHooks, RemovalWrite } from '../component/hooks.ts';
import type { PortWrite } from '../port/hooks.ts';
import { isHttp } from '../port/model.ts';
import { setPorts } from '../port/rows.ts';
import {
  defaultDomain,
  freeTcpPorts,
  lockRegion,
  requireFreeEndpoints,
  requireHttpRoom,
  requireTcpRoom,
  ruleOf,
} from './address-reads.ts';
import { changesCertificate, changesRequests, matchesOthers } from './http/domain-model.ts';
import { claimDomains, releaseDomains } from './http/domain-rows.ts';
import { requireOwnCertificate, requireOwnRequests, requireSharedAlike } from './http/sharing-reads.ts';
import { eventOfRule } from './name-model.ts';
import { anyAddress } from './tcp/endpoint-model.ts';

/** The context for writing rules of many ports: a transaction that has locked their components. */
export type ManyRulesWrite = Write<Context> & Pick<PortWrite, 'team' | 'region'>;

export type PortAt = Pick<PortWrite, 'port' | 'component'>;

export type Rules = { http: Row<'HttpRule'>[]; tcp: Row<'TcpRule'>[] };
type NewRule = ReturnType<typeof ruleOf>;
type NewHttpRule = NewRule &
  Pick<Row<'HttpRule'>, 'domain' | 'isDefault' | 'isPublished'> &
  Partial<Row<'HttpRule'>>;
type NewTcpRule = NewRule &
  Pick<Row<'TcpRule'>, 'address' | 'portNumber' | 'isDefault' | 'isPublished'> &
  Partial<Row<'TcpRule'>>;

const published = { isDefault: true, isPublished: true };

/** The rules of ports, sorted by id. */
export async function rulesOf(write: ManyRulesWrite, ports: readonly Row<'Port'>[]): Promise<Rules> {
  const ids = ports.map(({ id }) => id);
  return {
    http: await findByKeys(write, 'HttpRule', 'portId', ids, ['id']),
    tcp: await findByKeys(write, 'TcpRule', 'portId', ids, ['id']),
  };
}

async function recordAll(
  { context, recordEvent, team }: RemovalWrite,
  action: 'create' | 'delete' | 'publish' | 'unpublish',
  { http, tcp }: Rules,
): Promise<void> {
  for (const rule of [...http, ...tcp]) {
    const isPublished = action === 'publish';
    const changed =
      action === 'create'
        ? { after: rule }
        : action === 'delete'
          ? { before: rule }
          : { before: { isPublished: !isPublished }, after: { isPublished } };
    recordEvent({ ...eventOfRule(team, rule, action), ...changed });
    await yieldInTransaction(context.signal);
  }
}

/** Inserts rules of an application and claims their domains. Rules of one protocol must have the same fields. */
export async function insertRules(
  write: ManyRulesWrite,
  http: readonly NewHttpRule[],
  tcp: readonly NewTcpRule[],
): Promise<Rules> {
  if (http.length + tcp.length === 0) return { http: [], tcp: [] };
  await lockRegion(write);
  const custom = tcp.filter(({ isDefault }) => !isDefault);
  if (custom.length > 0) {
    await requireTcpRoom(write, custom.length);
    await requireFreeEndpoints(write, custom);
  }
  return insertLocked(write, http, tcp);
}

/** Inserts rules whose endpoints are free, in a transaction that has locked the region. */
async function insertLocked(
  write: ManyRulesWrite,
  http: readonly NewHttpRule[],
  tcp: readonly NewTcpRule[],
): Promise<Rules> {
  const [first] = http;
  if (first) await requireHttpRoom(write, first.applicationId, http.length);
  await claimDomains(write, http);
  await insertMany(write, 'HttpRule', http);
  await insertMany(write, 'TcpRule', tcp);
  const keysOf = (rules: readonly NewRule[]) => rules.map(({ key }) => key);
  const inserted = {
    http: sorted(await findByKeys(write, 'HttpRule', 'key', keysOf(http), ['id'])),
    tcp: sorted(await findByKeys(write, 'TcpRule', 'key', keysOf(tcp), ['id'])),
  };
  await recordAll(write, 'create', inserted);
  return inserted;
}

const sorted = <R extends { id: number }>(rules: R[]) => rules.sort((one, other) => one.id - other.id);

/** Default TCP rules of ports, each on the first free port of the region. */
async function defaultTcpRules(write: ManyRulesWrite, ports: readonly PortAt[]): Promise<NewTcpRule[]> {
  const free = await freeTcpPorts(write, ports.length);
  return ports.map((at, index) => ({
    ...ruleOf(at),
    address: anyAddress,
    portNumber: free[index]!,
    ...published,
  }));
}

/** Creates the default rules of ports, which are published. */
export async function insertDefaultRules(write: ManyRulesWrite, ports: readonly PortAt[]): Promise<void> {
  if (ports.length === 0) return;
  const { team, region } = write;
  await lockRegion(write);
  const http = ports
    .filter(({ port }) => isHttp(port.protocol))
    .map((at) => ({
      ...ruleOf(at),
      domain: defaultDomain({ team, region, ...at }),
      ...published,
    }));
  const tcp = await defaultTcpRules(
    write,
    ports.filter(({ port }) => !isHttp(port.protocol)),
  );
  await insertLocked(write, http, tcp);
}

/**
 * Publishes the rules of ports that were opened, and creates default rules for ports without one. Returns the rules as they
 * were.
 */
export async function publishAll(write: ManyRulesWrite, ports: readonly PortAt[]): Promise<Rules> {
  const rules = await rulesOf(
    write,
    ports.map(({ port }) => port),
  );
  await setPublished(write, rules, true);
  const withRules = new Set([...rules.http, ...rules.tcp].map(({ portId }) => portId));
  await insertDefaultRules(
    write,
    ports.filter(({ port }) => !withRules.has(port.id)),
  );
  return rules;
}

export async function unpublishAll(write: ManyRulesWrite, ports: readonly Row<'Port'>[]): Promise<void> {
  await setPublished(write, await rulesOf(write, ports), false);
}

/** A port to change. `isOuter` is set if it is opened or closed. */
export interface PortUpdate extends PortAt {
  data: Partial<Row<'Port'>>;
  isOuter?: boolean | undefined;
}

/** Changes ports and their rules. Rules of an open port must fit its protocol, so default rules that do not are made again. */
export async function changePorts(
  write: ManyRulesWrite,
  owner: Parameters<typeof setPorts>[1],
  action: EventAction<'Port'>,
  updates: readonly PortUpdate[],
): Promise<void> {
  const changes = updates.map(({ port, component, data, isOuter }) => ({
    port,
    component,
    isSwitched: isOuter !== undefined,
    isRefitted: data.protocol !== undefined && isHttp(data.protocol) !== isHttp(port.protocol),
    data: { ...data, isOuter: isOuter ?? port.isOuter },
  }));
  await removeAllDefaultRules(
    write,
    changes.flatMap(({ port, isRefitted }) => (isRefitted ? port : [])),
  );
  await setPorts(write, owner, action, changes);
  const after = changes.map(({ data, ...change }) => ({ ...change, port: { ...change.port, ...data } }));
  await publishAll(
    write,
    after.filter(({ port, isSwitched, isRefitted }) => port.isOuter && (isSwitched || isRefitted)),
  );
  await unpublishAll(
    write,
    after.flatMap(({ port, isSwitched }) => (isSwitched && !port.isOuter ? port : [])),
  );
}

async function setPublished(write: ManyRulesWrite, all: Rules, isPublished: boolean): Promise<void> {
  const differs = (rule: { isPublished: boolean }) => rule.isPublished !== isPublished;
  const rules = { http: all.http.filter(differs), tcp: all.tcp.filter(differs) };
  const update = ({ id }: { id: number }) => ({ id, data: { isPublished } });
  await reviseMany(write, 'HttpRule', rules.http.map(update));
  await reviseMany(write, 'TcpRule', rules.tcp.map(update));
  await recordAll(write, isPublished ? 'publish' : 'unpublish', rules);
}

/** Removes the default rules of ports, and releases domains that no rule uses any more. */
export async function removeAllDefaultRules(
  write: ManyRulesWrite,
  ports: readonly Row<'Port'>[],
): Promise<void> {
  const { http, tcp } = await rulesOf(write, ports);
  const isDefault = (rule: { isDefault: boolean }) => rule.isDefault;
  await removeRules(write, { http: http.filter(isDefault), tcp: tcp.filter(isDefault) });
}

/** Sets columns of rules that keep their domains. */
export async function setRules(
  write: ManyRulesWrite,
  {
    http,
    tcp,
  }: {
    http: readonly { rule: Row<'HttpRule'>; data: Partial<Row<'HttpRule'>> }[];
    tcp: readonly { rule: Row<'TcpRule'>; data: Partial<Row<'TcpRule'>> }[];
  },
): Promise<void> {
  const moved = http.flatMap(({ rule, data }) => (matchesOthers(rule, data) ? rule : []));
  if (moved.length > 0) await lockRegion(write);
  await requireSharedAlike(write, moved);
  await requireOwnRequests(
    write,
    http.flatMap(({ rule, data }) => (changesRequests(rule, data) ? rule : [])),
  );
  await requireOwnCertificate(
    write,
    http.flatMap(({ rule, data }) => (changesCertificate(rule, data) ? rule : [])),
  );
  const idOf = <R extends { id: number }, D>({ rule, data }: { rule: R; data: D }) => ({ id: rule.id, data });
  await reviseMany(write, 'HttpRule', http.map(idOf));
  await reviseMany(write, 'TcpRule', tcp.map(idOf));
  for (const { rule, data } of [...http, ...tcp]) {
    write.recordEvent({
      ...eventOfRule(write.team, rule, 'update'),
      before: rule,
      after: { ...rule, ...data },
    });
    await yieldInTransaction(write.context.signal);
  }
}

/** Rules that a manifest adopts. */
export async function setManifestOfRules(
  write: ManyRulesWrite,
  { http, tcp }: { http: readonly number[]; tcp: readonly number[] },
  manifestId: number,
): Promise<void> {
  const own = (id: number) => ({ id, data: { manifestId } });
  await reviseMany(write, 'HttpRule', http.map(own));
  await reviseMany(write, 'TcpRule', tcp.map(own));
}

/** Removes rules, and releases domains that no rule uses any more. */
export async function removeRules(write: RemovalWrite, rules: Rules): Promise<void> {
  if (rules.http.length > 0) await lockRegion(write);
  await deleteByIds(write, 'HttpRule', rules.http);
  await deleteByIds(write, 'TcpRule', rules.tcp);
  await recordAll(write, 'delete', rules);
  await releaseDomains(write, rules.http);
}

/** Removes the rules of deleted components, including custom ones. */
export const rulesOfComponents: ComponentHooks = {
  async deleting(write, components) {
    const ids = components.map(({ id }) => id);
    await removeRules(write, {
      http: await findByKeys(write, 'HttpRule', 'componentId', ids, ['id']),
      tcp: await findByKeys(write, 'TcpRule', 'componentId', ids, ['id']),
    });
  },
};
