import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import {
  limitationsOfHttp,
  limitationsOfTcp,
  type RuleLimitations,
} from '../../drivers/region/kubernetes/rule-limitations.ts';
import { clusterOf } from '../region/model.ts';
import { loadRegion } from '../region/reads.ts';
import { configured } from './model.ts';

const none: RuleLimitations = { refused: [], ignored: [] };

/** What the cluster of its region cannot express of an HTTP rule. Nothing in regions without a cluster. */
export async function limitationsOfHttpRule(
  context: Context,
  rule: Pick<
    Row<'HttpRule'>,
    'regionId' | 'header' | 'cookie' | 'pathRewrite' | 'rewrites' | 'extensions' | 'configuration'
  >,
): Promise<RuleLimitations> {
  const region = await loadRegion(context, rule.regionId);
  if (region.driver !== 'kubernetes') return none;
  const { rewrites, extensions, configuration } = rule;
  const given = {
    ...rule,
    rewrites: JSON.parse(rewrites) as unknown[],
    extensions: JSON.parse(extensions) as unknown[],
    configuration: configured(JSON.parse(configuration)),
  };
  return limitationsOfHttp(given, clusterOf(region));
}

/** The same of a TCP rule. */
export async function limitationsOfTcpRule(
  context: Context,
  { regionId, address, extensions }: Pick<Row<'TcpRule'>, 'regionId' | 'address' | 'extensions'>,
): Promise<RuleLimitations> {
  const region = await loadRegion(context, regionId);
  if (region.driver !== 'kubernetes') return none;
  return limitationsOfTcp({ address, extensions: JSON.parse(extensions) as unknown[] });
}
