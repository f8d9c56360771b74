import type { Row } from '../../db/tables.ts';
import { formatEndpoint } from './tcp/endpoint-model.ts';

type Named =
  | Pick<Row<'HttpRule'>, 'domain' | 'path'>
  | (Pick<Row<'TcpRule'>, 'address' | 'portNumber'> & { domain?: undefined });

/** The name of a rule in plans: its domain with the path, or its endpoint. */
export const nameOfRule = (rule: Named) =>
  rule.domain === undefined
    ? formatEndpoint(rule.address, rule.portNumber)
    : `${rule.domain}${rule.path === '/' ? '' : rule.path}`;
