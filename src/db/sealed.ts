import { type Seal, sealedPrefix } from '../kernel/seal.ts';
import type { Database, Transaction } from './open.ts';
import type { Dialect } from './query/dialect.ts';
import { tables } from './tables.ts';

interface SealedColumn {
  table: string;
  column: string;
  keyColumn: string;
  keyType: 'String' | 'Int';
}

/** All columns with encrypted values: those whose names start with `sealed`. */
export const sealedColumns: readonly SealedColumn[] = Object.values(tables).flatMap(({ table, columns }) =>
  Object.entries(columns)
    .filter(([field]) => field.startsWith('sealed'))
    .map(([, { column }]) => {
      if (!('id' in columns)) throw new Error(`The table ${table} has sealed columns, but no column id.`);
      const { column: keyColumn, type: keyType } = columns.id;
      return { table, column, keyColumn, keyType };
    }),
);

/** Longer values are not read to find out whether they can be decrypted, which the first start stores a short one for. */
const maxTried = 1_000_000;

/** An encrypted value in the database, or undefined if there is none. */
export async function anySealed(db: Database): Promise<string | undefined> {
  for (const { table, column } of sealedColumns) {
    const [row] = await db.query(
      `SELECT "${column}" FROM "${table}" WHERE octet_length("${column}") <= ${maxTried} LIMIT 1`,
      [],
    );
    if (row) return row[0] as string;
  }
  return undefined;
}

/** The most values, and the most characters of them, that are read at once. */
const slice = { values: 500, characters: 4_000_000 };

/** A value that cannot be decrypted with the given keys. */
export class UnreadableValueError extends Error {}

/** Values of a column that are not encrypted with a key, in the order of their ids. */
class OldValues {
  readonly column: SealedColumn;
  readonly #dialect: Dialect;
  readonly #prefix: string;
  #last: string | number | undefined;

  constructor(column: SealedColumn, dialect: Dialect, newKeyId: string) {
    this.column = column;
    this.#dialect = dialect;
    this.#prefix = sealedPrefix(newKeyId);
  }

  /** Reads of how many values the next slice is, and its last id. Undefined if there are none. */
  async next(db: Pick<Database, 'query'>): Promise<{ text: string; params: unknown[] } | undefined> {
    const { column, keyColumn } = this.column;
    const [after, params] = this.#after();
    const rows = await db.query(
      `SELECT "${keyColumn}", octet_length("${column}") ${this.#where(after)} ORDER BY "${keyColumn}" LIMIT ${slice.values}`,
      params,
    );
    if (rows.length === 0) return undefined;
    let [count, characters] = [1, Number(rows[0]![1])];
    while (count < rows.length && characters + Number(rows[count]![1]) <= slice.characters) {
      characters += Number(rows[count++]![1]);
    }
    const last = rows[count - 1]![0] as string | number;
    const upTo = `"${keyColumn}" <= ${this.#key(params.length + 1)}`;
    this.#last = last;
    return {
      text: `SELECT "${keyColumn}", "${column}" ${this.#where(after)} AND ${upTo} ORDER BY "${keyColumn}"`,
      params: [...params, last],
    };
  }

  #after(): [string, unknown[]] {
    if (this.#last === undefined) return ['', []];
    return [`AND "${this.column.keyColumn}" > ${this.#key(1)}`, [this.#last]];
  }

  #where(after: string): string {
    const { table, column } = this.column;
    const isOld = `substr("${column}", 1, ${this.#prefix.length}) <> '${this.#prefix}'`;
    return `FROM "${table}" WHERE "${column}" IS NOT NULL AND ${isOld} ${after}`;
  }

  #key(place: number): string {
    return `CAST(${this.#dialect.placeholder(place)} AS ${this.column.keyType === 'Int' ? 'INTEGER' : 'TEXT'})`;
  }
}

/** Decrypts all values. Throws an UnreadableValueError if one cannot be decrypted. */
export async function requireReadable(db: Database, seal: Seal, newKeyId: string): Promise<void> {
  for (const column of sealedColumns) {
    const values = new OldValues(column, db.dialect, newKeyId);
    for (let read = await values.next(db); read; read = await values.next(db)) {
      for (const [id, value] of await db.query(read.text, read.params)) openAt(seal, column, id, value);
    }
  }
}

/**
 * Encrypts the values anew that are not encrypted with the first key of a seal, in slices with a transaction each. `counted` runs in
 * these transactions, and `pause` after each. Returns the number of values. Values that are written meanwhile may be left.
 */
export async function resealAll(
  db: Database,
  seal: Seal,
  {
    counted,
    pause,
  }: { counted(tx: Transaction, count: number): Promise<unknown>; pause(tookMs: number): Promise<unknown> },
): Promise<number> {
  const { dialect } = db;
  let count = 0;
  for (const column of sealedColumns) {
    const values = new OldValues(column, dialect, seal.keyIds[0]!);
    for (let read = await values.next(db); read; read = await values.next(db)) {
      const { text, params } = read;
      const begunAt = performance.now();
      count += await db.transaction(async (tx) => {
        const rows = await tx.$read(`${text}${dialect.rowLock ?? ''}`, params);
        const resealed = rows.map(([id, value]) => [id, seal.close(openAt(seal, column, id, value))]);
        await tx.$write(writeText(column, dialect), [JSON.stringify(resealed)]);
        await counted(tx, rows.length);
        return rows.length;
      });
      await pause(performance.now() - begunAt);
    }
  }
  return count;
}

function writeText({ table, column, keyColumn, keyType }: SealedColumn, dialect: Dialect): string {
  const [key, value] = [dialect.jsonValue(0, keyType), dialect.jsonValue(1, 'String')];
  return `UPDATE "${table}" SET "${column}" = resealed.value FROM (SELECT ${key} AS key, ${value} AS value FROM ${dialect.jsonRows}) resealed WHERE "${table}"."${keyColumn}" = resealed.key`;
}

function openAt(seal: Seal, { table, column }: SealedColumn, id: unknown, value: unknown): string {
  try {
    return seal.open(value as string);
  } catch {
    throw new UnreadableValueError(`${table}.${column} of id ${id}`);
  }
}
