import type { Row } from '../../db/tables.ts';
import { deleteMany, findByKeys, insertMany, updateMany } from '../../db/write/bulk.ts';
import { yieldToLoop } from '../../kernel/slices.ts';
import { isHttp } from '../port/model.ts';
import { claimDomains } from './claims.ts';
import { anyAddress } from './endpoint.ts';
import { common, defaultDomain, freeTcpPorts, type RuleScene } from './rows.ts';

/** The context for writing rules of many ports: a transaction that has locked their components, then the region. */
export type ManyRulesScene = Pick<RuleScene, 'context' | 'tx' | 'recordEvent' | 'team' | 'region'>;

export type PortAt = Pick<RuleScene, 'port' | 'component'>;

type Rules = { http: Row<'HttpRule'>[]; tcp: Row<'TcpRule'>[] };
type NewRule = ReturnType<typeof common>;
export type NewHttpRule = NewRule & Pick<Row<'HttpRule'>, 'domain' | 'isDefault' | 'isPublished'>;
type NewTcpRule = NewRule & Pick<Row<'TcpRule'>, 'address' | 'portNumber' | 'isDefault' | 'isPublished'>;

const published = { isDefault: true, isPublished: true };

/** The rules of ports, sorted by id. */
export async function rulesOf(scene: ManyRulesScene, ports: readonly Row<'Port'>[]): Promise<Rules> {
  const ids = ports.map(({ id }) => id);
  return {
    http: await findByKeys(scene, 'HttpRule', 'portId', ids, ['id']),
    tcp: await findByKeys(scene, 'TcpRule', 'portId', ids, ['id']),
  };
}

async function recordAll(
  { context, recordEvent, team }: ManyRulesScene,
  action: 'create' | 'delete' | 'publish' | 'unpublish',
  { http, tcp }: Rules,
): Promise<void> {
  const all = [
    ...http.map((rule) => ({ type: 'HttpRule', name: 'http_rule', rule }) as const),
    ...tcp.map((rule) => ({ type: 'TcpRule', name: 'tcp_rule', rule }) as const),
  ];
  for (const { type, name, rule } of all) {
    const isPublished = action === 'publish';
    const changed =
      action === 'create'
        ? { after: rule }
        : action === 'delete'
          ? { before: rule }
          : { before: { isPublished: !isPublished }, after: { isPublished } };
    const { applicationId } = rule;
    const subject = { type, id: rule.id };
    recordEvent({ action: `${name}.${action}`, subject, teamId: team.id, applicationId, ...changed });
    await yieldToLoop(context.signal);
  }
}

/** Inserts rules and claims their domains. Rules of one protocol must have the same fields. */
export async function insertRules(
  scene: ManyRulesScene,
  http: readonly NewHttpRule[],
  tcp: readonly NewTcpRule[],
): Promise<void> {
  await claimDomains(scene, [...new Set(http.map(({ domain }) => domain))]);
  await insertMany(scene, 'HttpRule', http);
  await insertMany(scene, 'TcpRule', tcp);
  const keysOf = (rules: readonly NewRule[]) => rules.map(({ key }) => key);
  await recordAll(scene, 'create', {
    http: sorted(await findByKeys(scene, 'HttpRule', 'key', keysOf(http), ['id'])),
    tcp: sorted(await findByKeys(scene, 'TcpRule', 'key', keysOf(tcp), ['id'])),
  });
}

const sorted = <R extends { id: number }>(rules: R[]) => rules.sort((one, other) => one.id - other.id);

/** Default TCP rules of ports, each on the first free port of the region. */
export async function defaultTcpRules(
  scene: ManyRulesScene,
  ports: readonly PortAt[],
): Promise<NewTcpRule[]> {
  const free = await freeTcpPorts(scene, ports.length);
  return ports.map((at, index) => ({
    ...common({ ...scene, ...at }),
    address: anyAddress,
    portNumber: free[index]!,
    ...published,
  }));
}

/** Publishes the rules of ports that were opened, and creates default rules for ports without one. */
export async function publishAll(scene: ManyRulesScene, ports: readonly PortAt[]): Promise<void> {
  const rules = await rulesOf(
    scene,
    ports.map(({ port }) => port),
  );
  await setPublished(scene, rules, true);
  const withRules = new Set([...rules.http, ...rules.tcp].map(({ portId }) => portId));
  const without = ports.filter(({ port }) => !withRules.has(port.id));
  const http = without
    .filter(({ port }) => isHttp(port.protocol))
    .map((at) => ({
      ...common({ ...scene, ...at }),
      domain: defaultDomain({ ...scene, ...at }),
      ...published,
    }));
  const tcp = await defaultTcpRules(
    scene,
    without.filter(({ port }) => !isHttp(port.protocol)),
  );
  await insertRules(scene, http, tcp);
}

/** Unpublishes the rules of ports that were closed. */
export async function unpublishAll(scene: ManyRulesScene, ports: readonly Row<'Port'>[]): Promise<void> {
  await setPublished(scene, await rulesOf(scene, ports), false);
}

async function setPublished(scene: ManyRulesScene, all: Rules, isPublished: boolean): Promise<void> {
  const differs = (rule: { isPublished: boolean }) => rule.isPublished !== isPublished;
  const rules = { http: all.http.filter(differs), tcp: all.tcp.filter(differs) };
  const update = ({ id }: { id: number }) => ({ id, data: { isPublished } });
  await updateMany(scene, 'HttpRule', rules.http.map(update));
  await updateMany(scene, 'TcpRule', rules.tcp.map(update));
  await recordAll(scene, isPublished ? 'publish' : 'unpublish', rules);
}

/** Removes the default rules of ports, and releases domains that no rule uses any more. */
export async function removeAllDefaultRules(
  scene: ManyRulesScene,
  ports: readonly Row<'Port'>[],
): Promise<void> {
  const { http, tcp } = await rulesOf(scene, ports);
  const isDefault = (rule: { isDefault: boolean }) => rule.isDefault;
  const rules = { http: http.filter(isDefault), tcp: tcp.filter(isDefault) };
  const idsOf = (list: readonly { id: number }[]) => list.map(({ id }) => [id]);
  await deleteMany(scene, 'HttpRule', ['id'], idsOf(rules.http));
  await deleteMany(scene, 'TcpRule', ['id'], idsOf(rules.tcp));
  await releaseDomains(scene, [...new Set(rules.http.map(({ domain }) => domain))]);
  await recordAll(scene, 'delete', rules);
}

async function releaseDomains(scene: ManyRulesScene, names: readonly string[]): Promise<void> {
  const regionId = scene.region.id;
  const used = await findByKeys(scene, 'HttpRule', 'domain', names, ['id'], {
    fields: ['id', 'domain'],
    where: { field: 'regionId', is: regionId },
  });
  const kept = new Set(used.map(({ domain }) => domain));
  const free = names.filter((name) => !kept.has(name)).map((name) => [regionId, name]);
  await deleteMany(scene, 'Domain', ['regionId', 'name'], free);
}
