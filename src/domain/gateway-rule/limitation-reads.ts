import type { Context } from '../../context.ts';
import type { Field, Row } from '../../db/tables.ts';
import type { RuleLimitations } from '../../drivers/region/clusters.ts';
import { batched } from '../../kernel/batch.ts';
import { groupBy } from '../../kernel/group.ts';
import { loadPort } from '../port/reads.ts';
import { clusterOf } from '../region/cluster-model.ts';
import { loadRegion } from '../region/reads.ts';
import { configured } from './http/model.ts';

const none: RuleLimitations = { refused: [], ignored: [] };

/** The columns that decide what a cluster can express of an HTTP rule. */
export const limitedColumns = [
  'id',
  'regionId',
  'portId',
  'domain',
  'path',
  'header',
  'cookie',
  'pathRewrite',
  'rewrites',
  'extensions',
  'configuration',
  'autoSsl',
] as const satisfies Field<'HttpRule'>[];
type LimitedRow = Pick<Row<'HttpRule'>, (typeof limitedColumns)[number]>;

const limited = (row: LimitedRow, protocol = 'http') => ({
  ...row,
  protocol,
  rewrites: JSON.parse(row.rewrites) as unknown[],
  extensions: JSON.parse(row.extensions) as unknown[],
  configuration: configured(JSON.parse(row.configuration)),
});

const sharingKey = ({ drivers }: Context, row: LimitedRow) =>
  `${row.regionId} ${drivers.clusters.matchOf(row)}`;

/** The published rules of a domain, by their region and the requests that they match. */
const publishedRules = batched(async (context: Context, domains: string[]) => {
  const where = [{ field: 'isPublished' as const, is: true }];
  const query = { by: 'domain', keys: domains, where, fields: limitedColumns } as const;
  const byDomain = groupBy(await context.db.httpRule.findManyByKeys(query), ({ domain }) => domain);
  return new Map(
    [...byDomain].map(([domain, rows]) => [domain, groupBy(rows, (row) => sharingKey(context, row))]),
  );
}, new Map<string, LimitedRow[]>());

export const tcpLimitedColumns = ['regionId', 'address', 'extensions'] as const satisfies Field<'TcpRule'>[];

/** The limitations of an HTTP rule in its region. Without a cluster, only certificates can be missing. */
export async function limitationsOfHttpRule(context: Context, rule: LimitedRow): Promise<RuleLimitations> {
  const region = await loadRegion(context, rule.regionId);
  const cluster = clusterOf(region);
  if (region.driver !== 'kubernetes') {
    return rule.autoSsl && cluster.certificateIssuer === null ? { refused: [], ignored: ['autoSsl'] } : none;
  }
  const [published, { protocol }] = await Promise.all([
    publishedRules(context, rule.domain),
    loadPort(context, rule.portId),
  ]);
  const sharing = published.get(sharingKey(context, rule)) ?? [];
  return context.drivers.clusters.limitationsOfHttp(
    limited(rule, protocol),
    cluster,
    sharing.map((each) => limited(each)),
  );
}

/** The limitations of a TCP rule in the cluster of its region. Empty in regions without a cluster. */
export async function limitationsOfTcpRule(
  context: Context,
  { regionId, address, extensions }: Pick<Row<'TcpRule'>, (typeof tcpLimitedColumns)[number]>,
): Promise<RuleLimitations> {
  const region = await loadRegion(context, regionId);
  if (region.driver !== 'kubernetes') return none;
  return context.drivers.clusters.limitationsOfTcp({
    address,
    extensions: JSON.parse(extensions) as unknown[],
  });
}
