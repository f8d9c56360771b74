import type { ObjectRef } from '@pothos/core';
import type { Context } from '../../context.ts';
import { readsOf } from '../../db/client.ts';
import { type Model, type Row, tableOf } from '../../db/tables.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { decodeGlobalId, encodeGlobalId } from '../../kernel/global-id.ts';
import { getOrCompute, memoizeByIdentity } from '../../kernel/memo.ts';
import { invalid } from '../../kernel/validate.ts';
import { builder, type Types } from './builder.ts';
import { exposed } from './exposed.ts';
import type { ObjectOptions } from './object-type.ts';

interface Readers {
  model: Model;
  read(context: Context, id: string): Promise<object | null>;
  load?(context: Context, id: unknown): Promise<object>;
}

const readers = new Map<string, Readers>();

/** How objects of an entity are read. */
export const readersOf = ({ name }: { name: string }): Readers => readers.get(name)!;

/** The types of the rows that `node` has found, because rows have no type name. */
const typeNames = new WeakMap<object, string>();

export const Node = builder.interfaceRef<object>('Node').implement({
  description: 'An object with a global id, which `node` looks up.',
  resolveType: (value) => typeNames.get(value),
  fields: (t) => ({
    id: t.id({ description: 'Opaque global id of the object.', resolve: () => '' }),
  }),
});

interface EntityOptions<R extends object> extends ObjectOptions<R> {
  /** Reads the entity by its id. Null if it does not exist or is not visible to the actor. */
  read: (context: Context, id: string) => Promise<R | null>;
  /** Reads the entity for an object that the actor may see and that refers to it. */
  load?: (context: Context, id: never) => Promise<R>;
  /** The id, if it is not that of the row. */
  id?: (row: R) => string | number;
  /** The description of `uid`, the identifier in references. */
  uid?: string;
  /** The changes that its `revision` counts, if not only those of its fields. */
  revision?: string;
}

const idOf = (row: object) => (row as { id: string | number }).id;

const revisionText = 'The revision of the object: 1 at first, and one higher after each change.';

/** An object type for the rows of a model, with a global id. */
export function entity<M extends Model, R extends object = Row<M>>(
  name: string,
  model: M,
  { description, exposes, fields, read, load, id = idOf, uid, revision }: EntityOptions<R>,
): ObjectRef<Types, R> {
  readers.set(name, { model, read, load: load as Readers['load'] });
  const { columns } = tableOf(model);
  return builder.objectRef<R>(name).implement({
    description,
    // Every row is an object, as the interface requires, but TypeScript cannot tell for the row of any model.
    interfaces: [Node as never],
    fields: (t) => ({
      id: t.using('id' as keyof R & string).id({
        description: 'Opaque global id, for `node` and for references by `id`.',
        resolve: (row) => encodeGlobalId(name, id(row as R)),
      }),
      ...(uid && {
        uid: t.expose(
          'id' as never,
          { type: columns.id!.type === 'Int' ? 'Int' : 'ID', description: uid } as never,
        ),
      }),
      ...exposed<R>(t, exposes),
      ...(fields?.(t) as Record<string, never>),
      ...('revision' in columns && {
        revision: t.using('revision' as keyof R & string).int({
          description: revision ? `${revisionText} ${revision}` : revisionText,
          resolve: (row) => (row as unknown as { revision: number }).revision,
        }),
      }),
    }),
  });
}

/** NOT_FOUND if objects of a type are there and hidden from the actor. Those that were deleted are not. */
export async function requireNoneHidden(
  context: Context,
  type: string,
  rows: readonly object[],
): Promise<void> {
  const reader = readers.get(type)!;
  const ids = rows.map(idOf);
  const found = await Promise.all(ids.map((id) => reader.read(context, String(id))));
  const missing = ids.filter((_, index) => found[index] === null);
  if (missing.length === 0) return;
  const query = { by: 'id' as never, keys: missing, fields: ['id' as never] };
  const there = await readsOf(context.db, reader.model).findManyByKeys(query);
  if (there.length > 0) throw new NotFoundError('object');
}

/** The object by its type and id. Null if it does not exist or is not visible to the actor, and for other types. */
export async function findObject(context: Context, type: string, id: string): Promise<object | null> {
  const found = (await readers.get(type)?.read(context, id)) ?? null;
  if (found) typeNames.set(found, type);
  return found;
}

async function find(context: Context, id: string): Promise<object | null> {
  const decoded = decodeGlobalId(id);
  return decoded ? findObject(context, decoded.type, decoded.id) : null;
}

/** The lookups of each request. A document can have the same id under hundreds of aliases. */
const lookups = memoizeByIdentity((_: Context) => new Map<string, Promise<object | null>>());

/** As `find`, but once per id and request. Only for queries: what they read does not change in between. */
const findOnce = (context: Context, id: string): Promise<object | null> =>
  getOrCompute(lookups(context), id, () => find(context, id));

const maxNodes = 100;

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description:
      'Looks up an object by its global id. Fails with NOT_FOUND if it does not exist or is not visible to the caller.',
    args: { id: t.arg.id({ required: true, description: 'The global id of the object.' }) },
    resolve: async (_, { id }, context) => {
      const found = await findOnce(context, String(id));
      if (!found) throw new NotFoundError('object');
      return found;
    },
  }),
  nodes: t.field({
    type: [Node],
    nullable: { list: false, items: true },
    description:
      'Looks up objects by their global ids. The result has the order of `ids`, with null for each object that does not exist or is not visible to the caller.',
    args: {
      ids: t.arg.idList({
        required: true,
        description: `The global ids of the objects, at most ${maxNodes}.`,
      }),
    },
    resolve: (_, { ids }, context) => {
      if (ids.length > maxNodes) throw invalid(['ids'], `Too many ids. Send at most ${maxNodes}.`);
      return ids.map((id) => findOnce(context, String(id)));
    },
  }),
}));
