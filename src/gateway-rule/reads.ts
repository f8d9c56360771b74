import type { Context } from '../context.ts';
import { readByKeys } from '../db/read.ts';
import type { Row } from '../db/tables.ts';
import { batched } from '../kernel/batch.ts';
import { groupBy } from '../kernel/group.ts';
import { regionById } from '../region/reads.ts';

const published = [{ field: 'isPublished' as const, is: true }];

const publishedRules = batched(
  async (context: Context, componentIds: string[]) => {
    const [http, tcp] = await Promise.all([
      readByKeys(context.db, 'HttpRule', 'componentId', componentIds, { where: published }),
      readByKeys(context.db, 'TcpRule', 'componentId', componentIds, { where: published }),
    ]);
    const [httpOf, tcpOf] = [
      groupBy(http, (rule) => rule.componentId),
      groupBy(tcp, (rule) => rule.componentId),
    ];
    return new Map(
      componentIds.map((id) => [
        id,
        {
          http: (httpOf.get(id) ?? []).sort((one, other) => one.id - other.id),
          tcp: (tcpOf.get(id) ?? []).sort((one, other) => one.id - other.id),
        },
      ]),
    );
  },
  { http: [] as Row<'HttpRule'>[], tcp: [] as Row<'TcpRule'>[] },
);

/** An address that stands for every address of the region. */
const isAnyAddress = (address: string) => address === '0.0.0.0' || address === '::';

const bracketed = (address: string) => (address.includes(':') ? `[${address}]` : address);

/** Where a component is reached from outside: by its published HTTP rules, then by its TCP rules. */
export async function accessUrlsOf(context: Context, component: Row<'Component'>): Promise<string[]> {
  const { http, tcp } = await publishedRules(context, component.id);
  const region = tcp.length > 0 ? await regionById(context, component.regionId) : null;
  return [
    ...http.map((rule) => `${rule.certificateId === null ? 'http' : 'https'}://${rule.domain}${rule.path}`),
    ...tcp.map(
      (rule) =>
        `${isAnyAddress(rule.address) ? region!.tcpDomain : bracketed(rule.address)}:${rule.portNumber}`,
    ),
  ];
}
