import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';

/** Hooks for rows of service accounts, called in the transaction that deletes them. */
export interface ServiceAccountHooks {
  deleting(write: Write<Context>, accounts: readonly Row<'ServiceAccount'>[]): Promise<void>;
}

/** The hooks of the concepts below this one. `api.ts` lists them. */
export const serviceAccountHooks: ServiceAccountHooks[] = [];
