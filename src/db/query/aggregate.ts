import type { Field, Model } from '../tables.ts';
import { type ByKeys, byKeys } from './by-keys.ts';
import type { Dialect } from './dialect.ts';
import { type Reader, run } from './reader.ts';
import { inPart, isScanned, listsToScan, type PartOfWindow, type Scanned, slicesOf } from './scan.ts';
import {
  columnsOf,
  conditions,
  type Filter,
  type Key,
  type ListSpec,
  listsOf,
  name,
  Params,
  type Statement,
} from './statement.ts';

export interface CountByKeys<M extends Model> extends Pick<ListSpec<M>, 'source' | 'parent' | 'where'> {
  keys: readonly Key[];
}

export async function countByKeys<M extends Model, K extends Key>(
  reader: Reader,
  model: M,
  query: CountByKeys<M> & { keys: readonly K[]; part?: PartOfWindow },
): Promise<Map<K, number>> {
  if (query.keys.length === 0) return new Map();
  const rows = await run(reader, countStatement(reader.dialect, model, query));
  return new Map(rows.map(([key, count]) => [key as K, Number(count)]));
}

/** The number of rows of a list. There can be more if it is not exact. */
export interface Count {
  count: number;
  isExact: boolean;
}

/** The most rows of a list without an end that are counted. */
const mostCounted = 10_000;

/** The lengths of lists that can have millions of rows. */
export async function countGrowing<M extends Model, K extends Key>(
  reader: Reader,
  spec: Scanned<M>,
  keys: readonly K[],
): Promise<Map<K, Count>> {
  const counts = new Map<K, Count>();
  if (!isScanned(spec)) {
    const rows = await run(reader, boundedCountStatement(reader.dialect, spec, keys));
    for (const [index, [length]] of rows.entries()) {
      const count = Math.min(Number(length), mostCounted);
      counts.set(keys[index]!, { count, isExact: Number(length) === count });
    }
    return counts;
  }
  const { short, long } = await listsToScan(reader, spec, keys);
  const countIn = (part: readonly K[], window?: PartOfWindow) =>
    countByKeys(reader, spec.model, { ...spec, keys: part, ...(window && { part: window }) });
  for (const part of short)
    for (const [key, count] of await countIn(part)) counts.set(key, { count, isExact: true });
  for (const key of long) {
    const counted: Count = { count: 0, isExact: true };
    for await (const { end, ...part } of slicesOf(reader, spec, key, { fromEnd: false })) {
      counted.count += (await countIn([key], part)).get(key) ?? 0;
      counted.isExact = end === undefined;
    }
    counts.set(key, counted);
  }
  return counts;
}

/** The length of each list, in the order of the keys, or one more than is counted. */
function boundedCountStatement<M extends Model>(
  dialect: Dialect,
  spec: Scanned<M>,
  keys: readonly Key[],
): Statement {
  const { from, parent, keyModel, keyField } = listsOf(dialect, spec);
  const params = new Params(dialect);
  // In the order of the text.
  const where = `${parent} = keys.key${conditions(dialect, params, spec)}`;
  const among = params.placedKeys(keys, keyModel, keyField);
  const rows = `SELECT 1 FROM ${from} WHERE ${where} LIMIT ${mostCounted + 1}`;
  const sql = `SELECT (SELECT count(*) FROM (${rows}) r) FROM ${among} ORDER BY keys.place`;
  return { sql, params: params.values };
}

function countStatement<M extends Model>(
  dialect: Dialect,
  model: M,
  {
    source,
    parent,
    where,
    keys,
    part,
    order = [],
    descending,
  }: CountByKeys<M> & Partial<Pick<ListSpec<M>, 'order' | 'descending'>> & { part?: PartOfWindow },
): Statement {
  const lists = listsOf(dialect, { model, source, parent }, Boolean(where?.length));
  const params = new Params(dialect);
  const among = params.keys(keys, lists.keyModel, lists.keyField);
  const parts = {
    from: lists.from,
    table: lists.table,
    parent: lists.parent,
    joined: lists.joined,
    where:
      conditions(dialect, params, { model, where }) +
      (part ? inPart(params, { model, order, descending }, part) : ''),
    isUnion: source !== undefined,
  };
  return { sql: dialect.counts(among, parts), params: params.values };
}

export interface SumByKeys<M extends Model, S extends string> {
  /** The fields to group by; the keys are values of the first. */
  by: readonly [Field<M>, ...Field<M>[]];
  keys: readonly Key[];
  /** The sums: each is a product of fields. A factor of several fields is the first of them that is not null. */
  sums: Record<S, readonly (Field<M> | readonly Field<M>[])[]>;
  where?: readonly Filter<M>[];
}

export interface Sums<S extends string> {
  by: Key[];
  sums: Record<S, number>;
}

export async function sumByKeys<M extends Model, S extends string>(
  reader: Reader,
  model: M,
  query: SumByKeys<M, S>,
): Promise<Sums<S>[]> {
  if (query.keys.length === 0) return [];
  const names = Object.keys(query.sums) as S[];
  const width = query.by.length;
  const sumsOf = (values: unknown[]) =>
    Object.fromEntries(names.map((each, index) => [each, Number(values[width + index])]));
  const rows = await run(reader, sumStatement(reader.dialect, model, query));
  return rows.map((values) => ({
    by: values.slice(0, width) as Key[],
    sums: sumsOf(values) as Record<S, number>,
  }));
}

function sumStatement<M extends Model, S extends string>(
  dialect: Dialect,
  model: M,
  { by, keys, sums, where }: SumByKeys<M, S>,
): Statement {
  const groups = columnsOf(model, by);
  // Floating point, because the product of two 32-bit integers can overflow.
  const factor = (field: Field<M> | readonly Field<M>[]) => {
    const columns = [field].flat().map((each) => name(model, each as Field<M>, 't'));
    const value = columns.length > 1 ? `coalesce(${columns.join(', ')})` : columns[0];
    return `CAST(${value} AS ${dialect.float})`;
  };
  const factors = Object.values(sums) as (Field<M> | readonly Field<M>[])[][];
  const products = factors.map((fields) => fields.map(factor).join(' * '));
  const selected = [groups, ...products.map((product) => `sum(${product})`)].join(', ');
  const { sql, params } = byKeys(dialect, model, { by: by[0], keys, where }, selected);
  return { sql: `${sql} GROUP BY ${groups}`, params };
}

export interface TextSizeByKeys<M extends Model> extends ByKeys<M> {
  text: Field<M>;
}

export async function textSizeByKeys<M extends Model>(
  reader: Reader,
  model: M,
  query: TextSizeByKeys<M>,
): Promise<number> {
  if (query.keys.length === 0) return 0;
  const size = `sum(length(${name(model, query.text, 't')}))`;
  const [row] = await run(reader, byKeys(reader.dialect, model, query, size));
  return Number(row?.[0] ?? 0);
}
