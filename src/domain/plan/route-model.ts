import type { Row } from '../../db/tables.ts';
import { defaultDomain } from '../gateway-rule/address-reads.ts';

interface DefaultAddress {
  team: Pick<Row<'Team'>, 'name'>;
  region: Pick<Row<'Region'>, 'httpDomain'>;
  component: Pick<Row<'Component'>, 'alias'>;
  /** The number of the port. */
  port: number;
}

/** The default domain of a port, which can be one that does not exist yet. */
export const defaultDomainOf = ({ port, ...at }: DefaultAddress): string =>
  defaultDomain({ ...at, port: { number: port } } as Parameters<typeof defaultDomain>[0]);
