import {
  type Count,
  type CountByKeys,
  countByKeys,
  countGrowing,
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
import type { Scanned } from './query/scan.ts';
import type { Key } from './query/statement.ts';
import { type Field, type Model, type Part, type Row, tables } from './tables.ts';

/**
 * The reads of a model that Prisma's client lacks. Each is one prepared statement whose parameter is one key or a list of them, so
 * that its text depends on the shape of the query and not on the number of rows.
 */
export class BatchedReads<M extends Model> {
  readonly #reader: Reader;
  readonly #model: M;

  constructor(reader: Reader, model: M) {
    this.#reader = reader;
    this.#model = model;
  }

  /** The rows whose field `by` is one of the keys, in no particular order. */
  findManyByKeys(query: ManyByKeys<M> & { fields?: undefined }): Promise<Row<M>[]>;
  findManyByKeys<F extends Field<M>>(query: ManyByKeys<M, F>): Promise<Part<M, F>[]>;
  findManyByKeys<F extends Field<M> = Field<M>>(query: ManyByKeys<M, F>): Promise<Part<M, F>[]> {
    return findManyByKeys(this.#reader, this.#model, query);
  }

  /** The rows with these ids, each with its parents. */
  findManyWithParents<P extends Model>(query: WithParents<M, P>): Promise<Family<M | P>[]> {
    return findManyWithParents(this.#reader, query);
  }

  /** A page of the list of each key, with equal bounds. Keys without rows are omitted. */
  findPagesByKeys<F extends Field<M> = Field<M>>(
    query: PagesByKeys<M, F>,
  ): Promise<Map<Key, Slice<Part<M, F>>>> {
    return findPagesByKeys(this.#reader, query);
  }

  /** The rows of the list of one key, counted from its start. */
  findRange<F extends Field<M> = Field<M>>(query: RangeOfKey<M, F>): Promise<Part<M, F>[]> {
    return findRange(this.#reader, query);
  }

  /** The number of rows in the list of each key. Keys without rows are omitted. */
  countByKeys<K extends Key>(query: CountByKeys<M> & { keys: readonly K[] }): Promise<Map<K, number>> {
    return countByKeys(this.#reader, this.#model, query);
  }

  /** The lengths of the lists of a spec that says how they are read if they are long. */
  countGrowing<K extends Key>({
    keys,
    spec,
  }: {
    keys: readonly K[];
    spec: Scanned<M>;
  }): Promise<Map<K, Count>> {
    return countGrowing(this.#reader, spec, keys);
  }

  /** Sums of products of fields, grouped: `sums: { cpu: ['replicas', 'cpuMillicores'] }`. */
  sumByKeys<S extends string>(query: SumByKeys<M, S>): Promise<Sums<S>[]> {
    return sumByKeys(this.#reader, this.#model, query);
  }

  /** The total number of characters in the field `text` of all rows. */
  textSizeByKeys(query: TextSizeByKeys<M>): Promise<number> {
    return textSizeByKeys(this.#reader, this.#model, query);
  }
}

/** The batched reads of all models, by the model's name in Prisma's client: `db.component`. */
export type Reads = { readonly [M in Model as Uncapitalize<M>]: BatchedReads<M> };

const delegateName = <M extends Model>(model: M) =>
  (model.charAt(0).toLowerCase() + model.slice(1)) as Uncapitalize<M>;

/** The names of the models in the client, computed once. */
const delegateNames = Object.fromEntries(
  (Object.keys(tables) as Model[]).map((model) => [model, delegateName(model)]),
) as { [M in Model]: Uncapitalize<M> };

export const readsOf = <M extends Model>(db: Reads, model: M) =>
  db[delegateNames[model]] as unknown as BatchedReads<M>;

/**
 * Gives a reader the batched reads of all models. An object whose prototype is the reader, such as the database of a
 * request, has them as well, and sends their statements to its own `query`.
 */
export function withBatchedReads<R extends Reader>(reader: R): R & Reads {
  for (const model of Object.keys(tables) as Model[]) {
    Object.defineProperty(reader, delegateNames[model], {
      get(this: Reader) {
        return new BatchedReads(this, model);
      },
    });
  }
  return reader as R & Reads;
}
