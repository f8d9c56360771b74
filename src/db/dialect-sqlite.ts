import type { Dialect } from './dialect.ts';

/** The format in which the Prisma adapter stores times. Sorts as text. */
const isoOf = (time: Date) => time.toISOString().replace('Z', '+00:00');

export const sqlite: Dialect = {
  kind: 'sqlite',
  placeholder: () => '?',
  keyTable: (placeholder) => `(SELECT value AS key FROM json_each(${placeholder}))`,
  contains: (column, placeholder) => `instr(${column}, ${placeholder}) > 0`,
  float: 'REAL',
  // SQLite has no LATERAL, so the rows of each list are numbered.
  pages: (keys, { columns, from, parent, where, order, limit }) =>
    `SELECT * FROM (SELECT ${parent} AS parent_key, ${columns}, ROW_NUMBER() OVER (PARTITION BY ${parent} ORDER BY ${order}) AS place FROM ${from} WHERE ${parent} IN (SELECT key FROM ${keys})${where}) WHERE place <= ${limit} ORDER BY parent_key, place`,
  // A single list needs no numbering, so the index stops the read at the limit.
  pageOfOne: (key, { columns, from, parent, where, order, limit }) =>
    `SELECT ${key}, ${columns} FROM ${from} WHERE ${parent} = ${key}${where} ORDER BY ${order} LIMIT ${limit}`,
  counts: (keys, { from, parent, where }) =>
    `SELECT ${parent}, count(*) FROM ${from} WHERE ${parent} IN (SELECT key FROM ${keys})${where} GROUP BY ${parent}`,
  nowMs: "(unixepoch('subsec') * 1000)",
  milliseconds: (column) => `(unixepoch(${column}, 'subsec') * 1000)`,
  nestsWrites: false,
  jsonRows: 'json_each(?) AS r',
  jsonValue: (index) => `(r.value->>${index})`,
  jsonOf: (columns, order) =>
    `json_group_array(json_array(${columns.join(', ')}) ORDER BY ${order.join(', ')})`,
  encode: (value) =>
    value instanceof Date ? isoOf(value) : typeof value === 'boolean' ? Number(value) : value,
  encodeList: (values) => JSON.stringify(values),
  converts: (type) => type === 'Boolean' || type === 'DateTime',
  decode(value, type) {
    if (value === null) return null;
    if (type === 'Boolean') return value === 1;
    if (type === 'DateTime') return new Date(value as string);
    return value;
  },
};
