import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { StatementWrite, Write } from '../../db/write/change.ts';

/** Reads nothing that the change has written. */
type TeamRegionHook = (
  write: StatementWrite<Context>,
  team: Row<'Team'>,
  region: Row<'Region'>,
) => Promise<void>;

/** Hooks for rows in a region, called in the transaction that changes it. */
export interface RegionHooks {
  /** The region closes for a team. May refuse by throwing. */
  checkingClose?: TeamRegionHook;
  closing?: TeamRegionHook;
  /** The region gets other domains. May refuse by throwing. */
  domainsChanging?(
    write: Write<Context>,
    region: Row<'Region'>,
    domains: { httpDomain?: string; tcpDomain?: string },
  ): Promise<void>;
  /** The region loses its issuer of certificates. May refuse by throwing. */
  issuerRemoving?(write: Write<Context>, region: Row<'Region'>): Promise<void>;
  /** Which of these components work is under way for, although they may be deleted. */
  removing?(context: Context, componentIds: readonly string[]): Promise<string[]>;
}

/** The hooks of the concepts below this one. `api.ts` lists them. */
export const regionHooks: RegionHooks[] = [];
