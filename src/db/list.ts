import { batched, type LoaderScope } from '../kernel/batch.ts';
import { groupBy } from '../kernel/group.ts';
import { memoizeByIdentity } from '../kernel/memo.ts';
import type { Window } from '../kernel/page.ts';
import { type Reads, readsOf } from './client.ts';
import type { Count } from './query/aggregate.ts';
import type { Slice } from './query/pages.ts';
import type { Range } from './query/range.ts';
import type { Filter, ListSpec } from './query/statement.ts';
import { type ColumnType, columnOf, type Field, type Model, type Part, type Row } from './tables.ts';

interface ReadScope extends LoaderScope {
  db: Reads;
}

/** The list of one parent, before it is read. The caller chooses the page, or counts the rows. */
export interface List<M extends Model, F extends Field<M> = Field<M>> {
  key: string | number;
  spec: ListSpec<M, F>;
}

const emptySlice: Slice<never> = { rows: [], more: false };

const pages = batched(
  (
    context: ReadScope,
    keys: (string | number)[],
    { spec, window }: { spec: ListSpec<Model>; window: Window },
  ) => readsOf(context.db, spec.model).findPagesByKeys({ keys, spec, window }),
  emptySlice as Slice<Row<Model>>,
  'pages',
);

/** The part of a list spec that its count depends on. */
type Counted = Pick<
  ListSpec<Model>,
  'model' | 'source' | 'parent' | 'where' | 'order' | 'descending' | 'growing'
>;

const counts = batched(
  async (
    context: ReadScope,
    keys: (string | number)[],
    counted: Counted,
  ): Promise<Map<string | number, Count>> => {
    const reads = readsOf(context.db, counted.model);
    if (counted.growing) return reads.countGrowing({ keys, spec: counted });
    const { source, parent, where } = counted;
    const lengths = await reads.countByKeys({ keys, source, parent, where });
    return new Map([...lengths].map(([key, count]) => [key, { count, isExact: true }]));
  },
  { count: 0, isExact: true } as Count,
  'counts',
);

/** The cache key of a read: the same text for the same two objects, so that comparing keys is cheap. */
const nameOf = memoizeByIdentity((spec: object) =>
  memoizeByIdentity((window: object) => JSON.stringify([spec, window])),
);

/** The spec, limited to these fields. */
const narrowed = memoizeByIdentity((spec: ListSpec<Model>) =>
  memoizeByIdentity((fields: readonly string[]) => ({ ...spec, fields }) as ListSpec<Model>),
);

/**
 * A page of the list, with these fields of its rows. Batched with the same page of other parents' lists. Specs, windows
 * and fields are compared by identity, so callers should reuse the objects.
 */
export function pageOf<M extends Model, F extends Field<M> = Field<M>>(
  context: ReadScope,
  list: List<M>,
  window: Window,
  fields?: readonly F[],
) {
  const whole = list.spec as unknown as ListSpec<Model>;
  const spec = fields ? narrowed(whole)(fields) : whole;
  return pages(context, list.key, { spec, window }, nameOf(spec)(window)) as unknown as Promise<
    Slice<Part<M, F>>
  >;
}

/** With its cache key. */
const countedOf = memoizeByIdentity(
  ({ model, source, parent, where, order, descending, growing }: ListSpec<Model>) => {
    const counted: Counted = {
      model,
      source,
      parent,
      where,
      order: growing ? order : [],
      descending: growing && descending,
      growing,
    };
    return { counted, name: JSON.stringify(counted) };
  },
);

/** The number of rows in the list. Batched with other lists that differ in their parent only. */
export function countOf<M extends Model>(context: ReadScope, list: List<M>): Promise<Count> {
  const { counted, name } = countedOf(list.spec as unknown as ListSpec<Model>);
  return counts(context, list.key, counted, name);
}

/** The rows of the list in its order, all or those of a range. Not batched with other lists. */
export const rangeOf = <M extends Model, F extends Field<M> = Field<M>>(
  { db }: Pick<ReadScope, 'db'>,
  { key, spec }: List<M, F>,
  range?: Range,
): Promise<Part<M, F>[]> => readsOf(db, spec.model).findRange({ key, spec, range });

/** The types of the columns of an order, which are the types of the values in its cursors. */
export const orderTypes = <M extends Model>(spec: ListSpec<M>): ColumnType[] =>
  spec.order.map((field) => columnOf(spec.model, field).type);

/** A batched read of the one row whose `field` is the key. */
export function batchedRow<M extends Model, F extends Field<M> = Field<M>>(
  model: M,
  field: Field<M>,
  fields?: readonly F[],
) {
  return batched(
    async (context: ReadScope, keys: (string | number)[]) => {
      const rows = await readsOf(context.db, model).findManyByKeys({ by: field, keys, fields });
      return new Map(
        rows.map((row) => [(row as { [name: string]: unknown })[field] as string | number, row]),
      );
    },
    null,
    `${model}.${field}`,
  );
}

/**
 * A batched read of a row by its id: of all columns, or of some, if the row was not read before. Equal columns are
 * compared by their names.
 */
export function batchedParent<M extends Model>(model: M) {
  const whole = batchedRow(model, 'id' as Field<M>);
  const narrow = batched(
    async ({ db }: ReadScope, keys: (string | number)[], fields: readonly Field<M>[]) => {
      const rows = await readsOf(db, model).findManyByKeys({
        by: 'id' as Field<M>,
        keys,
        fields: withId(fields) as unknown as readonly Field<M>[],
      });
      return new Map(rows.map((row) => [(row as { id: string | number }).id, row]));
    },
    null,
    `${model}.id`,
  );
  const load = (context: ReadScope, id: string | number, fields?: readonly Field<M>[]) =>
    whole.loaded(context, id) ??
    (fields ? narrow(context, id, fields, nameOfFields(fields)) : whole(context, id));
  return Object.assign(load, { prime: whole.prime });
}

const withId = memoizeByIdentity((fields: readonly string[]) => [...new Set(['id', ...fields])]);
const nameOfFields = memoizeByIdentity((fields: readonly string[]) => fields.join() || 'id');

/** A batched read of all rows whose `field` is the key. For short lists. */
export function batchedRows<M extends Model, F extends Field<M> = Field<M>>(
  model: M,
  field: Field<M>,
  where?: Filter<M>[],
  fields?: readonly F[],
) {
  return batched(
    async (context: ReadScope, keys: (string | number)[]) => {
      const rows = await readsOf(context.db, model).findManyByKeys({ by: field, keys, where, fields });
      return groupBy(rows, (row) => (row as { [name: string]: unknown })[field] as string | number);
    },
    [] as Part<M, F>[],
    `${model}.${field}`,
  );
}
