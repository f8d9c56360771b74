import type { Row } from '../../db/tables.ts';
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
 * a port that had no other gets its default address.
 */
export async function routesOf(
  reading: CopyReading,
  copied: readonly Copied[],
  { domains }: Addresses,
  omit: Tell,
): Promise<RouteWork> {
  const { team, region } = reading;
  const routes = noRoutes();
  const tcp: (RouteTarget & { settings: typeof plainTcp })[] = [];
  for (const { current, work } of copied) {
    const component = work.name;
    const numbers = new Map(current.ports.map(({ id, number }) => [id, number]));
    const targetOf = (number: number): RouteTarget => ({ work, port: work.portsAfter.get(number)! });
    const defaultOf = (port: number) => defaultDomainOf({ team, region, component: work.row, port });
    const reached = new Set<number>();
    const taken = new Set<string>();
    for (const rule of current.http) {
      const number = numbers.get(rule.portId)!;
      const name = `${rule.domain}${rule.path}`;
      const domain = rule.isDefault ? defaultOf(number) : domains.get(rule.domain);
      const place = `${number} ${domain}${rule.path}`;
      if (domain === undefined || taken.has(place)) {
        omit({ kind: 'http_rule', component, name, reason: 'Its domain stays with the original.' });
        continue;
      }
      if (rule.certificateId !== null) {
        const reason = 'The domain of the copy is another one.';
        omit({ kind: 'certificate', component, name, reason });
      }
      taken.add(place);
      reached.add(number);
      routes.http.create.push({ ...targetOf(number), data: httpRule(rule, domain) });
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

const httpRule = (settings: HttpSettings, domain: string): Partial<HttpRule> => ({
  ...Object.fromEntries(httpSettings.map((field) => [field, settings[field]])),
  domain,
  certificateId: null,
});
