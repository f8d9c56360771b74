import type { Seal } from '../kernel/seal.ts';
import type { Database, Transaction } from './open.ts';
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

/** The number of values per statement, a compromise between round trips and memory. */
const sliceSize = 200;

/** A value that cannot be decrypted with the given key. */
export class UnreadableValueError extends Error {}

/** Re-encrypts all values and returns their number. Throws UnreadableValueError if one cannot be decrypted. */
export async function resealAll(
  tx: Transaction,
  { dialect }: Database,
  from: Seal,
  to: Seal,
): Promise<number> {
  let count = 0;
  for (const { table, column, keyColumn, keyType } of sealedColumns) {
    const keyAs = keyType === 'Int' ? 'INTEGER' : 'TEXT';
    let last: string | number | undefined;
    for (;;) {
      const after =
        last === undefined ? '' : `AND "${keyColumn}" > CAST(${dialect.placeholder(1)} AS ${keyAs})`;
      const rows = await tx.$queryRawUnsafe<{ id: string | number; value: string }[]>(
        `SELECT "${keyColumn}" AS id, "${column}" AS value FROM "${table}"
         WHERE "${column}" IS NOT NULL ${after} ORDER BY "${keyColumn}" LIMIT ${sliceSize}`,
        ...(last === undefined ? [] : [last]),
      );
      if (rows.length === 0) break;
      const resealed = rows.flatMap(({ id, value }) => {
        try {
          return [id, to.close(from.open(value))];
        } catch {
          throw new UnreadableValueError(`${table}.${column} of id ${id}`);
        }
      });
      const values = rows.map((_, index) => {
        const [id, value] = [dialect.placeholder(2 * index + 1), dialect.placeholder(2 * index + 2)];
        return `(CAST(${id} AS ${keyAs}), CAST(${value} AS TEXT))`;
      });
      await tx.$executeRawUnsafe(
        `WITH resealed(key, value) AS (VALUES ${values.join(', ')})
         UPDATE "${table}" SET "${column}" = resealed.value FROM resealed WHERE "${table}"."${keyColumn}" = resealed.key`,
        ...resealed,
      );
      count += rows.length;
      last = rows.at(-1)!.id;
    }
  }
  return count;
}
