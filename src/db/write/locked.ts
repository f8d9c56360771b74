import { NotFoundError } from '../../kernel/errors.ts';
import type { Model, Row } from '../tables.ts';
import { type Bulk, findByKeys } from './bulk.ts';
import { nounOf } from './noun.ts';
import { type Expecting, requireRevision } from './revision.ts';

/** The models whose rows have ids. */
type Identified = { [M in Model]: Row<M> extends { id: string | number } ? M : never }[Model];

/**
 * Locks an object until the commit, and reads it. NOT_FOUND if it has been deleted, CONFLICT if it has another revision than
 * the caller expects. Objects within a component are locked after it.
 */
export const locked = <M extends Identified>(
  write: Bulk,
  model: M,
  id: Row<M>['id'],
  expecting: Expecting = {},
  noun: string = nounOf(model),
): Promise<Row<M>> => lockedWith(write, model, id, { expecting, noun, lock: true });

/** As `locked`, for an object that will be deleted: until the commit, nothing can be added that refers to it. */
export const lockedForDelete = <M extends Identified>(
  write: Bulk,
  model: M,
  id: Row<M>['id'],
  expecting: Expecting = {},
): Promise<Row<M>> => lockedWith(write, model, id, { expecting, noun: nounOf(model), lock: 'delete' });

async function lockedWith<M extends Identified>(
  write: Bulk,
  model: M,
  id: Row<M>['id'],
  { expecting, noun, lock }: { expecting: Expecting; noun: string; lock: true | 'delete' },
): Promise<Row<M>> {
  const [row] = await findByKeys(write, model, 'id', [id], ['id'], { lock });
  if (!row) throw new NotFoundError(noun);
  const { revision } = row as { revision?: number };
  if (revision !== undefined) requireRevision({ id, revision }, expecting, noun);
  return row;
}
