import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { StatementWrite } from '../../db/write/change.ts';

/** Hooks for rows of service accounts, called by their deletion. They read nothing that it has written. */
export interface ServiceAccountHooks {
  deleting(write: StatementWrite<Context>, accounts: readonly Row<'ServiceAccount'>[]): Promise<void>;
}

/** The hooks of the concepts below this one. `api.ts` lists them. */
export const serviceAccountHooks: ServiceAccountHooks[] = [];
