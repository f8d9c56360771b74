import type { Row } from '../../db/tables.ts';
import { groupBy } from '../../kernel/group.ts';
import { freeTcpPorts, lockRegion } from '../gateway-rule/address-reads.ts';
import { anyAddress, formatEndpoint } from '../gateway-rule/tcp/endpoint-model.ts';
import { defaultDomainOf } from '../plan/route-model.ts';
import { noRoutes, type RouteTarget, type RouteWork } from '../plan/work.ts';
import { isHttp } from '../port/model.ts';
import type { Addresses } from './addresses-reads.ts';
import type { Copied, CopyReading, Tell } from './scene-reads.ts';

type HttpRule = Row<'HttpRule'>;

/** The settings of a rule, which do not say whose it is. */
const httpSettings = [
  'path',
  'cookie',
  'header',
  'weight',
  'isDefault',
  'wasDefault',
  'isPublished',
  'autoSsl',
  'autoSslConfig',
  'pathRewrite',
  'rewrites',
  'extensions',
  'configuration',
] as const satisfies (keyof HttpRule)[];
type HttpSettings = Pick<HttpRule, (typeof httpSettings)[number]>;

const plainHttp: HttpSettings = {
  ...{ path: '/', cookie: '', header: '', weight: 100 },
  ...{ isDefault: true, wasDefault: false, isPublished: true },
  ...{ autoSsl: false, autoSslConfig: '', pathRewrite: false },
  ...{ rewrites: '[]', extensions: '[]', configuration: '{}' },
};
const plainTcp = { isPublished: true, extensions: '[]' };

/**
 * The rules of the new components, whose default addresses are new. Domains and endpoints that somebody chose stay with the original:
 * a port that had no other gets its default address, or its path on that of a port that shared a domain with it.
 */
export async function routesOf(
  reading: CopyReading,
  copied: readonly Copied[],
  addresses: Addresses,
  omit: Tell,
): Promise<RouteWork> {
  const { team, region } = reading;
  const { domains } = addresses;
  const routes = noRoutes();
  const shared = sharedDomains(reading, copied, addresses);
  const tcp: (RouteTarget & { settings: typeof plainTcp })[] = [];
  for (const { current, work } of copied) {
    const component = work.name;
    const numbers = new Map(current.ports.map(({ id, number }) => [id, number]));
    const targetOf = (number: number): RouteTarget => ({ work, port: work.portsAfter.get(number)! });
    const defaultOf = (port: number) => defaultDomainOf({ team, region, component: work.row, port });
    const reached = new Set<number>();
    const taken = new Set<string>();
    const defaultsFirst = current.http.toSorted(
      (one, other) => Number(other.isDefault) - Number(one.isDefault),
    );
    for (const rule of defaultsFirst) {
      const number = numbers.get(rule.portId)!;
      const name = `${rule.domain}${rule.path}`;
      const own = rule.isDefault ? defaultOf(number) : domains.get(rule.domain);
      const domain = own ?? (rule.isPublished ? shared.get(rule.domain) : undefined);
      const place = `${number} ${domain}${rule.path}`;
      const isTaken = taken.has(place);
      if (own === undefined || isTaken) {
        omit({ kind: 'http_rule', component, name, reason: 'Its domain stays with the original.' });
      }
      if (domain === undefined || isTaken) continue;
      if (rule.certificateId !== null) {
        const reason = 'The domain of the copy is another one.';
        omit({ kind: 'certificate', component, name, reason });
      }
      taken.add(place);
      reached.add(number);
      const settings = own === undefined ? withoutDomain(rule, domain === defaultOf(number)) : rule;
      routes.http.create.push({ ...targetOf(number), data: httpRule(settings, domain) });
    }
    for (const rule of current.tcp) {
      const number = numbers.get(rule.portId)!;
      const name = formatEndpoint(rule.address, rule.portNumber);
      if (rule.mappedIp !== null || !rule.isDefault) {
        const reason = rule.isDefault
          ? 'Its mapped address leads to the original.'
          : 'Its endpoint stays with the original.';
        omit({ kind: 'tcp_rule', component, name, reason });
      }
      if (!rule.isDefault) continue;
      reached.add(number);
      tcp.push({ ...targetOf(number), settings: rule });
    }
    const published = [...current.http, ...current.tcp].filter(({ isPublished }) => isPublished);
    for (const number of new Set(published.map(({ portId }) => numbers.get(portId)!))) {
      const target = targetOf(number);
      if (reached.has(number) || !target.port.isOuter) continue;
      if (!isHttp(target.port.protocol)) tcp.push({ ...target, settings: plainTcp });
      else routes.http.create.push({ ...target, data: httpRule(plainHttp, defaultOf(number)) });
    }
  }
  if (tcp.length > 0) await lockRegion(reading);
  const free = await freeTcpPorts(reading, tcp.length);
  routes.tcp.create = tcp.map(({ settings: { isPublished, extensions }, ...target }, index) => ({
    ...target,
    data: {
      ...{ address: anyAddress, portNumber: free[index]!, mappedIp: null, mappedPort: null },
      ...{ isDefault: true, wasDefault: false, isPublished, extensions },
    },
  }));
  return routes;
}

/**
 * What domains that several ports share become, so that pages of one still find the others on their own origin: the default domain
 * of the port at `/`.
 */
function sharedDomains(
  { team, region }: CopyReading,
  copied: readonly Copied[],
  { domains }: Addresses,
): ReadonlyMap<string, string> {
  const rules = copied.flatMap(({ current, work }) =>
    current.http
      .filter(({ isDefault, isPublished, domain }) => !isDefault && isPublished && !domains.has(domain))
      .map((rule) => ({ rule, current, work })),
  );
  const shared = new Map<string, string>();
  for (const [name, found] of groupBy(rules, ({ rule }) => rule.domain)) {
    if (new Set(found.map(({ rule }) => rule.portId)).size === 1) continue;
    const { rule, current, work } = found.find((each) => isWhole(each.rule)) ?? found[0]!;
    const { number: port } = current.ports.find(({ id }) => id === rule.portId)!;
    shared.set(name, defaultDomainOf({ team, region, component: work.row, port }));
  }
  return shared;
}

const isWhole = ({ path, cookie, header }: HttpSettings) => path === '/' && cookie === '' && header === '';

/** A rule on a default domain instead of one with a certificate. It is the default rule of the port if it has all of its domain. */
const withoutDomain = (rule: HttpSettings, isOfPort: boolean): HttpSettings => ({
  ...rule,
  ...{ autoSsl: false, autoSslConfig: '' },
  ...(isOfPort && isWhole(rule) && { isDefault: true, wasDefault: false }),
});

const httpRule = (settings: HttpSettings, domain: string): Partial<HttpRule> => ({
  ...Object.fromEntries(httpSettings.map((field) => [field, settings[field]])),
  domain,
  certificateId: null,
});
