import type { Context } from '../../context.ts';
import { batchedRow } from '../../db/read/list.ts';
import type { Row } from '../../db/tables.ts';

/** The enterprise by its id; what hangs on a visible object may be seen. */
export const enterpriseById = batchedRow('Enterprise', 'id');

/** The enterprise, if it is the actor's own. */
export async function visibleEnterprise(context: Context, id: string): Promise<Row<'Enterprise'> | null> {
  return id === context.actor.enterpriseId ? enterpriseById(context, id) : null;
}
