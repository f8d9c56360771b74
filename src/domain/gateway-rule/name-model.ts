import type { Row } from '../../db/tables.ts';
import { formatEndpoint } from './tcp/endpoint-model.ts';

type Named =
  | Pick<Row<'HttpRule'>, 'domain' | 'path'>
  | (Pick<Row<'TcpRule'>, 'address' | 'portNumber'> & { domain?: undefined });

/** The name of a rule in messages: its domain with the path, or its endpoint. */
export const fullNameOfRule = (rule: Named) =>
  rule.domain === undefined ? formatEndpoint(rule.address, rule.portNumber) : `${rule.domain}${rule.path}`;

/** The name of a rule in plans, without the path `/`. */
const nameOfRule = (rule: Named) =>
  rule.domain !== undefined && rule.path === '/' ? rule.domain : fullNameOfRule(rule);

/** The fields of the events of a rule, except for its values. */
export function eventOfRule<V extends 'create' | 'update' | 'delete' | 'publish' | 'unpublish'>(
  { id: teamId }: Pick<Row<'Team'>, 'id'>,
  rule: Row<'HttpRule'> | Row<'TcpRule'>,
  verb: V,
) {
  const { id, applicationId, componentId } = rule;
  const isHttp = 'domain' in rule;
  const action = isHttp ? (`http_rule.${verb}` as const) : (`tcp_rule.${verb}` as const);
  const subject = { type: isHttp ? ('HttpRule' as const) : ('TcpRule' as const), id };
  return { action, subject, name: nameOfRule(rule), teamId, applicationId, componentId };
}
