import { decoder, fieldsOf } from '../../../db/query/decode.ts';
import type { Reader } from '../../../db/query/reader.ts';
import { columnsOf } from '../../../db/query/statement.ts';
import { type Model, type Row, tableOf } from '../../../db/tables.ts';
import type { RetiredKey } from './check-model.ts';
import type { Digest, Seal } from './model.ts';

async function find<M extends Model>(
  db: Reader,
  model: M,
  rest: string,
  params: unknown[] = [],
): Promise<Row<M>[]> {
  const fields = fieldsOf(model);
  const text = `SELECT ${columnsOf(model, fields)} FROM "${tableOf(model).table}" t ${rest}`;
  const decode = decoder<Row<M>>(db.dialect, model, fields);
  return (await db.query(text, params)).map((values) => decode(values, 0));
}

const placeholders = (db: Reader) => [1, 2, 3].map((number) => db.dialect.placeholder(number));

export async function lastSeal(db: Reader, enterpriseId: string): Promise<Seal | undefined> {
  const [enterprise] = placeholders(db);
  const where = `WHERE enterprise_id = ${enterprise} ORDER BY number DESC LIMIT 1`;
  return (await find(db, 'RecordSeal', where, [enterpriseId]))[0];
}

export function sealsAfter(db: Reader, enterpriseId: string, number: number, limit: number): Promise<Seal[]> {
  const [enterprise, after] = placeholders(db);
  const where = `WHERE enterprise_id = ${enterprise} AND number > ${after} ORDER BY number LIMIT ${limit}`;
  return find(db, 'RecordSeal', where, [enterpriseId, number]);
}

/** The number of the last seal whose events all have this id or a lower one. 0 if there is none. */
export async function sealNumberUpTo(db: Reader, enterpriseId: string, eventId: number): Promise<number> {
  const [enterprise, id] = placeholders(db);
  const text = `SELECT number FROM record_seal WHERE enterprise_id = ${enterprise} AND last_event_id <= ${id} ORDER BY last_event_id DESC LIMIT 1`;
  const [row] = await db.query(text, [enterpriseId, eventId]);
  return row ? Number(row[0]) : 0;
}

/** The events of an enterprise between two ids, without the first and with the last, in the order of their ids. */
export function eventsBetween(
  db: Reader,
  enterpriseId: string,
  [after, upTo]: readonly [number, number],
  limit: number,
): Promise<Row<'Event'>[]> {
  const [enterprise, from, to] = placeholders(db);
  const where = `WHERE enterprise_id = ${enterprise} AND id > ${from} AND id <= ${to} ORDER BY id LIMIT ${limit}`;
  return find(db, 'Event', where, [enterpriseId, after, upTo]);
}

/**
 * Events between two ids that fit into memory, and can be hashed at once: at most `most.events`, whose changes have at most `most.bytes`
 * together, unless the first one alone has more. Databases know the sizes without reading the texts.
 */
export async function someEventsBetween(
  db: Reader,
  enterpriseId: string,
  [after, upTo]: readonly [number, number],
  most: { events: number; bytes: number },
): Promise<Row<'Event'>[]> {
  const [enterprise, from, to] = placeholders(db);
  const text = `SELECT id, octet_length(changes) FROM event WHERE enterprise_id = ${enterprise} AND id > ${from} AND id <= ${to} ORDER BY id LIMIT ${most.events}`;
  const sizes = await db.query(text, [enterpriseId, after, upTo]);
  let [count, bytes] = [0, 0];
  for (const [, size] of sizes) {
    bytes += Number(size);
    if (count > 0 && bytes > most.bytes) break;
    count++;
  }
  return count === 0 ? [] : eventsBetween(db, enterpriseId, [after, Number(sizes[count - 1]![0])], count);
}

/**
 * The first seal after a number whose events were not all deleted, with the time of its newest event. Not the last seal of all.
 */
export async function nextOldSeal(
  db: Reader,
  enterpriseId: string,
  after: number,
): Promise<{ seal: Seal; newest: Date } | undefined> {
  const [enterprise, number] = placeholders(db);
  const where = `WHERE enterprise_id = ${enterprise} AND number > ${number} AND digests IS NOT NULL ORDER BY number LIMIT 2`;
  const [seal, next] = await find(db, 'RecordSeal', where, [enterpriseId, after]);
  return seal && next && { seal, newest: await newestOf(db, seal) };
}

/** The ids of the events under a seal that are there, in their order. */
export async function eventIdsUnder(
  db: Reader,
  { enterpriseId, firstEventId, lastEventId, digests }: Seal,
): Promise<number[]> {
  const [enterprise, from, to] = placeholders(db);
  const text = `SELECT id FROM event WHERE enterprise_id = ${enterprise} AND id >= ${from} AND id <= ${to}`;
  const found = await db.query(text, [enterpriseId, firstEventId, lastEventId]);
  const there = new Set(found.map(([id]) => Number(id)));
  return (JSON.parse(digests!) as Digest[]).map(([id]) => id).filter((id) => there.has(id));
}

/**
 * The time of the newest event under a seal. All times are read, because databases would look for `max(at)` in the index by
 * time, from the newest event of the enterprise on.
 */
async function newestOf(db: Reader, { enterpriseId, firstEventId, lastEventId, at }: Seal): Promise<Date> {
  const [enterprise, from, to] = placeholders(db);
  const text = `SELECT at FROM event WHERE enterprise_id = ${enterprise} AND id >= ${from} AND id <= ${to}`;
  const rows = await db.query(text, [enterpriseId, firstEventId, lastEventId]);
  const times = rows.map(([value]) => (db.dialect.decode(value, 'DateTime') as Date).getTime());
  return times.length > 0 ? new Date(Math.max(...times)) : at;
}

export async function countAfter(db: Reader, enterpriseId: string, id: number): Promise<number> {
  const [enterprise, after] = placeholders(db);
  const text = `SELECT count(*) FROM event WHERE enterprise_id = ${enterprise} AND id > ${after}`;
  return Number((await db.query(text, [enterpriseId, id]))[0]![0]);
}

export const retiredKeys = (db: Reader): Promise<RetiredKey[]> =>
  find(db, 'RecordKey', 'ORDER BY retired_at DESC, id');

/** All enterprises that have a record or may get one. */
export async function recordedEnterprises(db: Reader): Promise<{ id: string; name: string }[]> {
  const text = 'SELECT id, name FROM enterprise ORDER BY created_at, id';
  return (await db.query(text, [])).map(([id, name]) => ({ id: String(id), name: String(name) }));
}

/** The enterprises with events between two ids, without the first and with the last. */
export async function enterprisesBetween(db: Reader, after: number, upTo: number): Promise<string[]> {
  const [from, to] = placeholders(db);
  const text = `SELECT DISTINCT enterprise_id FROM event WHERE id > ${from} AND id <= ${to}`;
  return (await db.query(text, [after, upTo])).map(([id]) => String(id));
}
