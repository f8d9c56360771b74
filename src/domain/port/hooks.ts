import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';
import type { PortProtocol } from './model.ts';

/** A port change in progress, with rows read inside its transaction while the component is locked. */
export interface PortWrite extends Write<Context> {
  /** The port before the change. */
  port: Row<'Port'>;
  component: Row<'Component'>;
  team: Row<'Team'>;
  region: Row<'Region'>;
}

/** Hooks for rows of a port, called in the transaction before the port changes. */
export interface PortHooks {
  opening(write: PortWrite): Promise<void>;
  closing(write: PortWrite): Promise<void>;
  /** May refuse by throwing. */
  protocolChanging(write: PortWrite, protocol: PortProtocol): Promise<void>;
  /** May refuse by throwing. */
  deleting(write: PortWrite): Promise<void>;
}

/** The hooks of the concepts below this one. `api.ts` lists them. */
export const portHooks: PortHooks[] = [];
