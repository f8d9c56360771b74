import type { ColumnType } from './tables.ts';

/** What the two databases say differently. Everything else of a statement is common to both. */
export interface Dialect {
  kind: 'sqlite' | 'postgres';
  /** The placeholder of the parameter with this number, counted from 1 in textual order. */
  placeholder(number: number): string;
  /** A list of keys as one parameter, so that the statement's text does not depend on how many there are. */
  keyTable(placeholder: string, type: ColumnType): string;
  /** Whether `column` holds the text of the parameter. */
  contains(column: string, placeholder: string): string;
  /** A value, or list of values, as the driver takes it. */
  encode(value: unknown): unknown;
  encodeList(values: readonly unknown[]): unknown;
  /** Whether values of this type have to be decoded; the others are as the model types them. */
  converts(type: ColumnType): boolean;
  /** A value that the driver gave, as the model types it. */
  decode(value: unknown, type: ColumnType): unknown;
}

const isoOf = (time: Date) => time.toISOString().replace('Z', '+00:00');

export const sqlite: Dialect = {
  kind: 'sqlite',
  placeholder: () => '?',
  keyTable: (placeholder) => `(SELECT value AS key FROM json_each(${placeholder}))`,
  contains: (column, placeholder) => `instr(${column}, ${placeholder}) > 0`,
  // The format in which the Prisma adapter stores times: it compares as text.
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

const arrayType: Record<ColumnType, string> = {
  String: 'text[]',
  Int: 'int[]',
  Float: 'float8[]',
  Boolean: 'boolean[]',
  DateTime: 'timestamp[]',
};

export const postgres: Dialect = {
  kind: 'postgres',
  placeholder: (number) => `$${number}`,
  keyTable: (placeholder, type) => `unnest(${placeholder}::${arrayType[type]}) AS keys(key)`,
  contains: (column, placeholder) => `strpos(${column}, ${placeholder}) > 0`,
  encode: (value) => (value instanceof Date ? value.toISOString() : value),
  encodeList: (values) => values,
  converts: (type) => type === 'DateTime',
  decode(value, type) {
    if (value === null) return null;
    // Timestamps arrive as text, without a zone: they are UTC.
    if (type === 'DateTime') return new Date(`${(value as string).replace(' ', 'T')}Z`);
    return value;
  },
};
