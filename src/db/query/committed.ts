import { type Field, type Model, type Row, tableOf } from '../tables.ts';
import { findManyByKeys } from './find.ts';
import type { Reader } from './reader.ts';
import { name } from './statement.ts';

/**
 * A position in the list of the rows of one parent, in the order in which they are committed. On Postgres, ids are given
 * before the commit, so that a row can appear after others with higher ids. A position therefore says which
 * transactions are over by a snapshot, and not by an id.
 *
 * The rows that are visible in `before` are behind the position. With `during`, so are those of its rows up to `id`.
 */
export interface Position {
  /** The rows ahead have higher ids. Narrows the search only. */
  floor: number;
  before: string;
  during?: string;
  id?: number;
}

/** The text of a position, for an HTTP header. */
export const positionText = ({ floor, before, during, id }: Position): string =>
  during === undefined ? `${floor}/${before}` : `${floor}/${before}/${during}/${id}`;

const maxId = 2 ** 31 - 1;
const number = String.raw`\d{1,10}`;
const snapshot = String.raw`(\d{1,19}:\d{1,19}:(?:\d{1,19}(?:,\d{1,19}){0,2000})?)`;
const pattern = new RegExp(`^(${number})/${snapshot}(?:/${snapshot}/(${number}))?$`);

/** Parses the text of a position. Undefined if it is none. */
export function positionOf(text: string): Position | undefined {
  const [, floor, before, during, id] = pattern.exec(text) ?? [];
  if (floor === undefined || before === undefined || !isSnapshot(before)) return undefined;
  if (Number(floor) > maxId || Number(id ?? 0) > maxId) return undefined;
  if (during === undefined) return { floor: Number(floor), before };
  return isSnapshot(during) ? { floor: Number(floor), before, during, id: Number(id) } : undefined;
}

const maxTransactionId = 2n ** 63n;

/** Whether Postgres accepts the snapshot: `xmin:xmax:` and the transactions between them that are not over. */
function isSnapshot(text: string): boolean {
  const { xmin, xmax, open } = partsOf(text);
  if (xmin < 1n || xmin > xmax || xmax >= maxTransactionId) return false;
  return open.every((id, index) => id >= xmin && id < xmax && (index === 0 || id > open[index - 1]!));
}

function partsOf(text: string): { xmin: bigint; xmax: bigint; open: bigint[] } {
  const [xmin, xmax, open] = text.split(':') as [string, string, string];
  return { xmin: BigInt(xmin), xmax: BigInt(xmax), open: open === '' ? [] : open.split(',').map(BigInt) };
}

/** Whether a position is ahead of a snapshot, so that the database cannot have made it. */
export const isAhead = ({ before, during }: Position, now: string): boolean =>
  partsOf(during ?? before).xmax > partsOf(now).xmax || partsOf(before).xmax > partsOf(now).xmax;

/** The rows of all parents in the order of their ids, and the snapshot in which they were read. */
export interface Committed<M extends Model> {
  rows: Row<M>[];
  now: string;
  /** Whether there are more rows, with higher ids than `lastId`. */
  isCut: boolean;
  lastId: number | undefined;
}

/** How much the large texts of the rows of a read have together, in bytes, unless that of the first one alone is longer. */
const mostBytes = 2 * 2 ** 20;

/** Reads the rows ahead of positions. */
export class CommittedReader<M extends Model> {
  readonly #reader: Reader;
  readonly #model: M;
  readonly #sql: string;
  readonly #limit: number;

  /** `large` is the column whose texts can be long. */
  constructor(reader: Reader, model: M, parent: Field<M>, large: Field<M>, limit = 1_000) {
    const { dialect } = reader;
    const { table } = tableOf(model);
    const [key, floor, before, during, id] = (['String', 'Int', 'String', 'String', 'Int'] as const).map(
      (type, index) => dialect.jsonValue(index, type),
    ) as [string, string, string, string, string];
    const rowId = name(model, 'id', 't');
    const isNew = `NOT ${dialect.isSeen('t', rowId, before)}`;
    const isLeft = `${during} IS NULL OR (${dialect.isSeen('t', rowId, during)} AND ${rowId} > ${id})`;
    this.#reader = reader;
    this.#model = model;
    this.#limit = limit;
    const each = dialect.eachOf({
      from: `"${table}" t`,
      where: `${name(model, parent, 't')} = ${key} AND ${rowId} > ${floor} AND ${isNew} AND (${isLeft})`,
      order: rowId,
      limit: limit + 1,
    });
    // Databases know the sizes without reading the texts.
    const size = `octet_length(${name(model, large, 't')})`;
    const ids = `SELECT ${rowId} AS id, ${size} AS size FROM ${each} ORDER BY ${rowId} LIMIT ${limit + 1}`;
    const now = `SELECT ${dialect.snapshot(table)} AS snapshot`;
    // Also has a row, with the snapshot, if nothing is new.
    this.#sql = `SELECT now.snapshot, found.id, found.size FROM (${now}) now LEFT JOIN (${ids}) found ON 1 = 1 ORDER BY found.id`;
  }

  /** The rows of these parents that are ahead of their positions, lowest ids first, up to a limit. Reads for a caller, if there is one. */
  async read(from: readonly { key: string; position: Position }[], caller?: string): Promise<Committed<M>> {
    const reader: Reader = {
      dialect: this.#reader.dialect,
      query: (text, params, options) => this.#reader.query(text, params, { ...options, caller }),
    };
    const json = JSON.stringify(
      from.map(({ key, position: { floor, before, during = null, id = null } }) => [
        key,
        // The rest of `during` has higher ids: a record that is read in batches is not searched from its start for each.
        during === null ? floor : Math.max(floor, id ?? 0),
        before,
        during,
        id,
      ]),
    );
    const found = await reader.query(this.#sql, [json]);
    const [now] = found[0] as [string];
    const sizes = found.filter(([, foundId]) => foundId !== null) as [string, number, number][];
    const keys = this.#fitting(sizes);
    const query = { by: 'id' as Field<M>, keys };
    const rows = (await findManyByKeys(reader, this.#model, query)) as unknown as Row<M>[];
    rows.sort((one, other) => idOf(one) - idOf(other));
    return { rows, now, isCut: sizes.length > keys.length, lastId: keys.at(-1) };
  }

  /** The ids of the rows that are read now. */
  #fitting(sizes: readonly [string, number, number][]): number[] {
    const ids: number[] = [];
    let bytes = 0;
    for (const [, id, size] of sizes.slice(0, this.#limit)) {
      bytes += Number(size);
      if (ids.length > 0 && bytes > mostBytes) break;
      ids.push(Number(id));
    }
    return ids;
  }
}

const idOf = (row: unknown): number => (row as { id: number }).id;
