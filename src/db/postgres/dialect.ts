import { type Dialect, pageOfOne } from '../query/dialect.ts';
import type { ColumnType } from '../tables.ts';

const typeNames: Record<ColumnType, string> = {
  String: 'text',
  Int: 'int',
  Float: 'float8',
  Boolean: 'boolean',
  DateTime: 'timestamp',
};

/** The name of the channel in the database that processes listen to. */
export const channelName = 'trellis';

/** Not `json`, of which each access to a value parses its row again. */
const jsonRows = 'jsonb_array_elements($1::jsonb) AS r(value)';
const xmax = 'pg_snapshot_xmax(pg_current_snapshot())::text::bigint';

export const postgres: Dialect = {
  kind: 'postgres',
  isOnThread: false,
  placeholder: (number) => `$${number}`,
  keyTable: (placeholder, type) => `unnest(${placeholder}::${typeNames[type]}[]) AS keys(key)`,
  placedKeyTable: (placeholder, type) =>
    `unnest(${placeholder}::${typeNames[type]}[]) WITH ORDINALITY AS keys(key, place)`,
  contains: (column, placeholder) => `strpos(${column}, ${placeholder}) > 0`,
  isNull: (column) => `${column} IS NULL`,
  position: (text, part) => `strpos(${text}, ${part})`,
  randomId: "replace(gen_random_uuid()::text, '-', '')",
  float: 'float8',
  pages: (keys, { columns, from, parent, where, order, limit }) =>
    `SELECT keys.place, page.* FROM ${keys} CROSS JOIN LATERAL (SELECT ${columns} FROM ${from} WHERE ${parent} = keys.key${where} ORDER BY ${order} LIMIT ${limit}) page`,
  pageOfOne,
  // With conditions, the index alone shows which rows meet them. The OFFSET keeps Postgres from reading the whole table to
  // join it with what is found.
  pageOfJoined: (key, { columns, table, parent, join, on, where, order, limit, mergedLimit }) => {
    const first = (selected: string) =>
      `CROSS JOIN LATERAL (SELECT ${selected} FROM ${table} WHERE ${on}${where} ORDER BY ${order} LIMIT ${limit})`;
    const rows = where
      ? `${first('t.id')} found CROSS JOIN LATERAL (SELECT t.* FROM ${table} WHERE t.id = found.id OFFSET 0) t`
      : `${first('t.*')} t`;
    return `SELECT 1, ${columns} FROM ${join} ${rows} WHERE ${parent} = ${key} ORDER BY ${order} LIMIT ${mergedLimit}`;
  },
  counts: (keys, { from, table, parent, where, isUnion, joined }) => {
    // Row by row of the join table, because Postgres would otherwise read the whole table.
    if (joined)
      return `SELECT keys.key, sum(counted.count) FROM ${keys} JOIN ${joined.join} ON ${parent} = keys.key CROSS JOIN LATERAL (SELECT count(*) AS count FROM ${table} WHERE ${joined.on}${where}) counted GROUP BY keys.key`;
    return isUnion
      ? // Postgres does not look for many keys at once in the parts of a UNION, but for one after the other.
        `SELECT keys.key, counted.count FROM ${keys} CROSS JOIN LATERAL (SELECT count(*) AS count FROM ${from} WHERE ${parent} = keys.key${where}) counted`
      : `SELECT ${parent}, count(*) FROM ${from} WHERE ${parent} IN (SELECT key FROM ${keys})${where} GROUP BY ${parent}`;
  },
  eachOf: ({ from, where, order, limit }) =>
    `${jsonRows} CROSS JOIN LATERAL (SELECT t.* FROM ${from} WHERE ${where} ORDER BY ${order} LIMIT ${limit}) t`,
  snapshot: () => 'pg_current_snapshot()::text',
  // The transaction id of a row has 32 bits, and is that of the last time that it could have been given.
  isSeen: (alias, _, snapshot) =>
    `pg_visible_in_snapshot((${xmax} - ((${xmax} - ${alias}.xmin::text::bigint) & 4294967295))::text::xid8, (${snapshot})::pg_snapshot)`,
  lastId: (table) =>
    `(SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM ${table}_id_seq)`,
  takeIds: (table) =>
    `SELECT nextval(pg_get_serial_sequence('${table}', 'id'))::int FROM generate_series(1, $1::int)`,
  // Whoever inserts has this lock before the first id is taken, and until the rows can be seen.
  writersOf: (table) =>
    `SELECT DISTINCT virtualtransaction FROM pg_locks WHERE locktype = 'relation' AND granted AND mode = 'RowExclusiveLock' AND relation = '${table}'::regclass AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  notifying: (placeholder) => ` CROSS JOIN (SELECT pg_notify('${channelName}', ${placeholder})) AS notified`,
  notify: `SELECT pg_notify('${channelName}', $1)::text`,
  nowMs: '(extract(epoch FROM clock_timestamp()) * 1000)::float8',
  now: "(clock_timestamp() AT TIME ZONE 'UTC')",
  earliest: (one, other) => `LEAST(${one}, ${other})`,
  milliseconds: (column) => `(extract(epoch FROM ${column}) * 1000)::float8`,
  rowLock: ' FOR NO KEY UPDATE',
  deleteLock: ' FOR UPDATE',
  referenceLock: (alias) => ` FOR KEY SHARE OF ${alias}`,
  nestsWrites: true,
  jsonRows,
  jsonValue: (index, type) =>
    type === 'String' ? `(r.value->>${index})` : `(r.value->>${index})::${typeNames[type]}`,
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
