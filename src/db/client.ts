import type { PrismaClient } from './generated/sqlite/client.ts';
import {
  type CountByKeys,
  countByKeys,
  type SumByKeys,
  type Sums,
  sumByKeys,
  type TextSizeByKeys,
  textSizeByKeys,
} from './query/aggregate.ts';
import {
  type Family,
  findManyByKeys,
  findManyWithParents,
  type ManyByKeys,
  type WithParents,
} from './query/find.ts';
import { findPagesByKeys, type PagesByKeys, type Slice } from './query/pages.ts';
import { findRange, type RangeOfKey } from './query/range.ts';
import type { Reader } from './query/reader.ts';
import type { Key } from './query/statement.ts';
import { type Model, type Row, tables } from './tables.ts';

/**
 * The reads of a model that Prisma's client lacks. Each is one prepared statement whose keys are one parameter, so
 * that its text depends on the shape of the query and not on the number of rows.
 */
export interface BatchedReads<M extends Model> {
  /** The rows whose field `by` is one of the keys, in no particular order. */
  findManyByKeys(query: ManyByKeys<M>): Promise<Row<M>[]>;
  /** The rows with these ids, each with its parents. */
  findManyWithParents<P extends Model>(query: WithParents<M, P>): Promise<Family<M | P>[]>;
  /** The same page of the list of each key. Keys without rows are omitted. */
  findPagesByKeys(query: PagesByKeys<M>): Promise<Map<Key, Slice<Row<M>>>>;
  /** The rows of the list of one key, counted from its start. */
  findRange(query: RangeOfKey<M>): Promise<Row<M>[]>;
  /** The number of rows in the list of each key. Keys without rows are omitted. */
  countByKeys<K extends Key>(query: CountByKeys<M> & { keys: readonly K[] }): Promise<Map<K, number>>;
  /** Sums of products of fields, grouped: `sums: { cpu: ['replicas', 'cpuMillicores'] }`. */
  sumByKeys<S extends string>(query: SumByKeys<M, S>): Promise<Sums<S>[]>;
  /** The total number of characters in the field `text` of all rows. */
  textSizeByKeys(query: TextSizeByKeys<M>): Promise<number>;
}

/** The batched reads of all models, by the model's name in Prisma's client: `db.component`. */
export type Reads = { readonly [M in Model as Uncapitalize<M>]: BatchedReads<M> };

/** A model and the reader that its statements are sent to. */
interface BoundModel {
  readonly $name: Model;
  readonly reader: Reader;
}

const extension = {
  name: 'batched reads',
  model: {
    $allModels: {
      findManyByKeys(this: BoundModel, query: ManyByKeys<Model>) {
        return findManyByKeys(this.reader, this.$name, query);
      },
      findManyWithParents(this: BoundModel, query: WithParents<Model, Model>) {
        return findManyWithParents(this.reader, query);
      },
      findPagesByKeys(this: BoundModel, query: PagesByKeys<Model>) {
        return findPagesByKeys(this.reader, query);
      },
      findRange(this: BoundModel, query: RangeOfKey<Model>) {
        return findRange(this.reader, query);
      },
      countByKeys(this: BoundModel, query: CountByKeys<Model>) {
        return countByKeys(this.reader, this.$name, query);
      },
      sumByKeys(this: BoundModel, query: SumByKeys<Model, string>) {
        return sumByKeys(this.reader, this.$name, query);
      },
      textSizeByKeys(this: BoundModel, query: TextSizeByKeys<Model>) {
        return textSizeByKeys(this.reader, this.$name, query);
      },
    },
  },
};
const methods = Object.keys(extension.model.$allModels) as (keyof BatchedReads<Model>)[];

const delegateName = <M extends Model>(model: M) =>
  (model.charAt(0).toLowerCase() + model.slice(1)) as Uncapitalize<M>;

/** The names of the models in the client, computed once. */
const delegateNames = Object.fromEntries(
  (Object.keys(tables) as Model[]).map((model) => [model, delegateName(model)]),
) as { [M in Model]: Uncapitalize<M> };

/** The batched reads of a model, by its name. */
export const readsOf = <M extends Model>(db: Reads, model: M) =>
  db[delegateNames[model]] as unknown as BatchedReads<M>;

/**
 * Extends Prisma's client with the batched reads, and gives them to `database`. A model that is read through an
 * object whose prototype is the database, such as the database of a request, sends its statements through that
 * object.
 *
 * The extended client itself is not what is asked: it is a proxy, which takes 0.7 µs for each method that is looked
 * up, and a client of its own for each request would take 0.4 ms. Its methods are looked up once, here.
 */
export function withBatchedReads<D extends Reader>(database: D, client: PrismaClient): D & Reads {
  const extended = client.$extends(extension as object) as unknown as Reads;
  for (const model of Object.keys(tables) as Model[]) {
    const delegate = readsOf(extended, model);
    class Bound {
      readonly reader: Reader;

      constructor(reader: Reader) {
        this.reader = reader;
      }
    }
    Object.assign(Bound.prototype, { $name: model });
    for (const method of methods) Object.assign(Bound.prototype, { [method]: delegate[method] });
    Object.defineProperty(database, delegateNames[model], {
      get(this: Reader) {
        return new Bound(this);
      },
    });
  }
  return database as D & Reads;
}
