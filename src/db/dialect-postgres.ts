import { type Dialect, pageOfOne } from './dialect.ts';
import type { ColumnType } from './tables.ts';

const typeNames: Record<ColumnType, string> = {
  String: 'text',
  Int: 'int',
  Float: 'float8',
  Boolean: 'boolean',
  DateTime: 'timestamp',
};

export const postgres: Dialect = {
  kind: 'postgres',
  placeholder: (number) => `$${number}`,
  keyTable: (placeholder, type) => `unnest(${placeholder}::${typeNames[type]}[]) AS keys(key)`,
  placedKeyTable: (placeholder, type) =>
    `unnest(${placeholder}::${typeNames[type]}[]) WITH ORDINALITY AS keys(key, place)`,
  contains: (column, placeholder) => `strpos(${column}, ${placeholder}) > 0`,
  float: 'float8',
  pages: (keys, { columns, from, parent, where, order, limit }) =>
    `SELECT keys.place, page.* FROM ${keys} CROSS JOIN LATERAL (SELECT ${columns} FROM ${from} WHERE ${parent} = keys.key${where} ORDER BY ${order} LIMIT ${limit}) page`,
  pageOfOne,
  counts: (keys, { from, parent, where, isUnion }) =>
    isUnion
      ? // Postgres does not look for many keys at once in the parts of a UNION, but for one after the other.
        `SELECT keys.key, counted.count FROM ${keys} CROSS JOIN LATERAL (SELECT count(*) AS count FROM ${from} WHERE ${parent} = keys.key${where}) counted`
      : `SELECT ${parent}, count(*) FROM ${from} WHERE ${parent} IN (SELECT key FROM ${keys})${where} GROUP BY ${parent}`,
  nowMs: '(extract(epoch FROM clock_timestamp()) * 1000)::float8',
  milliseconds: (column) => `(extract(epoch FROM ${column}) * 1000)::float8`,
  rowLock: ' FOR NO KEY UPDATE',
  deleteLock: ' FOR UPDATE',
  nestsWrites: true,
  jsonRows: 'json_array_elements($1::json) AS r(value)',
  jsonValue: (index, type) =>
    type === 'String' ? `(r.value->>${index})` : `(r.value->>${index})::${typeNames[type]}`,
  jsonOf: (columns, order) =>
    `json_agg(json_build_array(${columns.join(', ')}) ORDER BY ${order.join(', ')})`,
  encode: (value) => (value instanceof Date ? value.toISOString() : value),
  encodeList: (values) => values,
  converts: (type) => type === 'DateTime',
  decode(value, type) {
    if (value === null) return null;
    // Timestamps are in UTC and arrive as text without a time zone.
    if (type === 'DateTime') return new Date(`${(value as string).replace(' ', 'T')}Z`);
    return value;
  },
};
