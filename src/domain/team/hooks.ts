import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { StatementWrite } from '../../db/write/change.ts';

type TeamHook = (write: StatementWrite<Context>, team: Row<'Team'>) => Promise<void>;

/** Hooks for rows of a team, called by its deletion, while it is locked. They read nothing that the deletion has written. */
export interface TeamHooks {
  /** Locks rows that other changes lock before the team. */
  locking?: TeamHook;
  /** May refuse by throwing. Nothing was deleted yet. */
  checking?: TeamHook;
  deleting?: TeamHook;
}

/** The hooks of the concepts below this one, children first. `api.ts` lists them. */
export const teamHooks: TeamHooks[] = [];
