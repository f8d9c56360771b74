import { type Dialect, pageOfOne } from '../query/dialect.ts';

/** The format in which the Prisma adapter stores times. Sorts as text. */
const isoOf = (time: Date): string => {
  const ms = time.getTime();
  if (ms !== last.ms) last = { ms, text: time.toISOString().replace('Z', '+00:00') };
  return last.text;
};

/** The rows of a change have the same times. */
let last = { ms: Number.NaN, text: '' };

const jsonRows = 'json_each(?) AS r';

export const sqlite: Dialect = {
  kind: 'sqlite',
  isOnThread: true,
  placeholder: () => '?',
  keyTable: (placeholder) => `(SELECT value AS key FROM json_each(${placeholder}))`,
  placedKeyTable: (placeholder) =>
    `(SELECT value AS key, key + 1 AS place FROM json_each(${placeholder})) AS keys`,
  contains: (column, placeholder) => `instr(${column}, ${placeholder}) > 0`,
  // Without the plus, an index of the column is read, as if few rows had no value.
  isNull: (column) => `+${column} IS NULL`,
  position: (text, part) => `instr(${text}, ${part})`,
  randomId: 'lower(hex(randomblob(16)))',
  float: 'REAL',
  // SQLite has no LATERAL, but a condition can have a query of its own for each key. Rows of a query have no `rowid`, so
  // that those of each list are numbered. What is sorted is read before the first row, in one step that blocks the thread: of long
  // texts, only their rows are sorted. The query keeps its order because of the limit, and a CROSS JOIN is read from left to right.
  // Of a query with a UNION, all rows would be copied without the condition that does not depend on the one key.
  pages(keys, { columns, from, table, parent, where, order, limit, hasLongTexts }) {
    if (table) {
      const sorted = (selected: string) =>
        `SELECT keys.place, ${selected} FROM ${keys} CROSS JOIN ${table} WHERE t.rowid IN (SELECT t.rowid FROM ${from} WHERE ${parent} = keys.key${where} ORDER BY ${order} LIMIT ${limit}) ORDER BY keys.place, ${order}`;
      return hasLongTexts
        ? `SELECT n.place, ${columns} FROM (${sorted('t.rowid AS id')} LIMIT -1) n CROSS JOIN ${table} WHERE t.rowid = n.id`
        : sorted(columns);
    }
    return `SELECT * FROM (WITH ${keys.replace(/^(.*) AS keys$/, 'keys AS $1')} SELECT keys.place, ${columns}, ROW_NUMBER() OVER (PARTITION BY keys.place ORDER BY ${order}) AS row_number FROM keys CROSS JOIN ${from} WHERE ${parent} = keys.key AND ${parent} IN (SELECT key FROM keys)${where}) WHERE row_number <= ${limit} ORDER BY place, row_number`;
  },
  pageOfOne,
  pageOfJoined: (key, { columns, table, parent, join, on, where, order, limit, mergedLimit }) =>
    `SELECT 1, ${columns} FROM ${join} CROSS JOIN ${table} WHERE ${parent} = ${key} AND t.rowid IN (SELECT t.rowid FROM ${table} WHERE ${on}${where} ORDER BY ${order} LIMIT ${limit}) ORDER BY ${order} LIMIT ${mergedLimit}`,
  counts: (keys, { from, parent, where }) =>
    `SELECT ${parent}, count(*) FROM ${from} WHERE ${parent} IN (SELECT key FROM ${keys})${where} GROUP BY ${parent}`,
  // A CROSS JOIN is read from left to right.
  eachOf: ({ from, where }) => `${jsonRows} CROSS JOIN ${from} WHERE ${where}`,
  // One transaction writes at a time, so that ids take the part of transactions.
  snapshot: (table) =>
    `(SELECT (coalesce(max(id), 0) + 1) || ':' || (coalesce(max(id), 0) + 1) || ':' FROM "${table}")`,
  isSeen: (_, id, snapshot) => `(${id} < CAST(${snapshot} AS INTEGER))`,
  // The next ids, as nobody else writes during a transaction.
  takeIds: (table) =>
    `WITH RECURSIVE n(id) AS (SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = '${table}'), 0) UNION ALL SELECT id + 1 FROM n LIMIT ? + 1) SELECT id FROM n LIMIT -1 OFFSET 1`,
  lastId: (table) => `(SELECT coalesce(max(id), 0) FROM "${table}")`,
  nowMs: "(unixepoch('subsec') * 1000)",
  now: "strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')",
  earliest: (one, other) => `min(${one}, ${other})`,
  milliseconds: (column) => `(unixepoch(${column}, 'subsec') * 1000)`,
  nestsWrites: false,
  // Ids are given in order, and nobody else writes during a transaction.
  lastRows: (table) => `(SELECT * FROM "${table}" WHERE id > (SELECT max(id) FROM "${table}") - ?)`,
  jsonRows,
  jsonValue: (index) => `(r.value->>${index})`,
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
