import type { Context } from '../../context.ts';
import type { Transaction } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import type { RecordEvent } from '../../db/write/change.ts';
import type { PortProtocol } from './model.ts';

/** A port change in progress, with rows read inside its transaction while the component is locked. */
export interface PortScene {
  context: Context;
  tx: Transaction;
  recordEvent: RecordEvent;
  /** The port before the change. */
  port: Row<'Port'>;
  component: Row<'Component'>;
  team: Row<'Team'>;
  region: Row<'Region'>;
}

/** What hangs on a port and follows it, inside the same transaction. */
export interface PortFollower {
  opened(scene: PortScene): Promise<void>;
  closed(scene: PortScene): Promise<void>;
  /** May refuse by throwing. */
  protocolChanging(scene: PortScene, protocol: PortProtocol): Promise<void>;
  /** May refuse by throwing. */
  deleting(scene: PortScene): Promise<void>;
}

/** A concept below joins in here, as it adds its fields to this one's type: the parent does not know it. */
export const portFollowers: PortFollower[] = [];
