import type { Context } from '../../context.ts';
import { batchedRow } from '../../db/list.ts';
import type { Row } from '../../db/tables.ts';
import { existing } from '../../kernel/batch.ts';

/** The enterprise by its id, without an access check. For objects related to one that the actor may see. */
const enterpriseById = batchedRow('Enterprise', 'id');
/** Rejects with NOT_FOUND if there is none. */
export const loadEnterprise = existing('enterprise', enterpriseById);

/** The enterprise by its id, or null if it is not the actor's. */
export async function visibleEnterprise(context: Context, id: string): Promise<Row<'Enterprise'> | null> {
  return id === context.actor.enterpriseId ? enterpriseById(context, id) : null;
}
