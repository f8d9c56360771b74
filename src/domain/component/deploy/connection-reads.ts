import type { Row } from '../../../db/tables.ts';
import { groupBy } from '../../../kernel/group.ts';
import type { DesiredContext } from '../../job/desired-reads.ts';
import { regionById } from '../../region/reads.ts';
import { componentById } from '../reads.ts';

type Placed = Pick<Row<'Component'>, 'regionId' | 'namespaceId'>;

/** Variables whose value is a host if it is the name of a service. Others can have it for a database or a user. */
const namesHost = /HOST|ADDR|SERVER|SERVICE|ENDPOINT|NODE|BROKER|DOMAIN|UR[IL]/i;

/**
 * A value with the domain after the names of services: where it is such a name, and where one is the host of a URL or has a port
 * after it.
 */
function withDomain(name: string, value: string, services: readonly string[], domain: string): string {
  if (services.includes(value)) return namesHost.test(name) ? `${value}.${domain}` : value;
  // The names are DNS labels, which have no character that means something in an expression.
  const any = `(?:${services.join('|')})`;
  const hosts = new RegExp(`(?<=//|@)${any}(?=$|[:/?,])|(?<=^|[,\\s])${any}(?=:\\d)`, 'g');
  return value.replace(hosts, (service) => `${service}.${domain}`);
}

/** How the values of connection variables become those that work from the namespace of a component, by the provider. */
type Reaching = (providerId: string) => (variable: { name: string; value: string }) => string;

/**
 * The connection variables of components in another namespace have the names of their services with the namespace. Those of a
 * region without namespaces stay as they are.
 */
export async function reachingFrom(
  context: DesiredContext,
  { regionId, namespaceId }: Placed,
  providerIds: readonly string[],
): Promise<Reaching> {
  const domains = new Map<string, { services: string[]; domain: string }>();
  const providers = await Promise.all(providerIds.map((id) => componentById(context, id)));
  const others = providers.flatMap((each) => (each && each.namespaceId !== namespaceId ? each : []));
  const region = others.length > 0 ? await regionById(context, regionId) : undefined;
  const driver = region && context.drivers.region.get(region.driver);
  if (driver?.serviceDomain) {
    const keys = others.map(({ id }) => id);
    const ports = await context.db.port.findManyByKeys({
      by: 'componentId',
      keys,
      fields: ['id', 'componentId', 'additionalName'],
    });
    const portsOf = groupBy(ports, ({ componentId }) => componentId);
    for (const other of others) {
      const additional = (portsOf.get(other.id) ?? []).flatMap(({ additionalName }) => additionalName ?? []);
      domains.set(other.id, {
        services: [other.serviceName ?? other.alias, ...additional],
        domain: await driver.serviceDomain(regionId, other),
      });
    }
  }
  return (providerId) => {
    const of = domains.get(providerId);
    return ({ name, value }) => (of ? withDomain(name, value, of.services, of.domain) : value);
  };
}
