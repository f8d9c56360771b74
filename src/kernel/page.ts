import { timeOf } from './time.ts';
import { invalid } from './validate.ts';

/** The default and maximum number of items in a GraphQL page. */
export const pageSize = { default: 20, max: 100 } as const;

/** The paging arguments of a Relay connection. */
export interface ConnectionArgs {
  first?: number | null;
  last?: number | null;
  after?: string | null;
  before?: string | null;
}

/** A page to read: `limit` rows between two positions of an order, counted from its start or its end. */
export interface Window {
  limit: number;
  fromEnd: boolean;
  after?: unknown[];
  before?: unknown[];
}

/** Encodes a cursor: the name of the order, and the row's values of the order's columns. */
export function encodeCursor(order: string, values: unknown[]): string {
  return Buffer.from(JSON.stringify([order, ...values])).toString('base64url');
}

/** The order that a cursor belongs to: its name, and the types of its columns. */
export interface CursorShape {
  order: string;
  types: ('String' | 'Int' | 'DateTime' | 'Float' | 'Boolean')[];
}

/** The longest cursor, in characters: more than the longest names take. Parsing a longer one would block. */
const maxCursor = 4_096;

function decodeCursor(cursor: string, shape: CursorShape, argument: string): unknown[] {
  let decoded: unknown;
  if (cursor.length > maxCursor) throw invalid([argument], 'Invalid cursor for this list');
  try {
    decoded = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw invalid([argument], 'Invalid cursor for this list');
  }
  if (!Array.isArray(decoded) || decoded[0] !== shape.order || decoded.length !== shape.types.length + 1) {
    throw invalid([argument], 'Invalid cursor for this list and sort order');
  }
  return decoded.slice(1).map((value, index) => {
    const type = shape.types[index];
    const fits =
      type === 'Int'
        ? Number.isInteger(value) && Math.abs(value as number) <= 0x7fff_ffff
        : type === 'Float'
          ? Number.isFinite(value)
          : type === 'Boolean'
            ? typeof value === 'boolean'
            : typeof value === 'string' && !value.includes('\u0000');
    if (!fits) throw invalid([argument], 'Invalid cursor for this list');
    if (type !== 'DateTime') return value;
    const time = timeOf(value);
    if (!time) throw invalid([argument], 'Invalid cursor for this list');
    return time;
  });
}

function size(value: number, argument: string): number {
  if (value < 0 || value > pageSize.max) throw invalid([argument], `Must be between 0 and ${pageSize.max}`);
  return value;
}

/** The most items of a page. Throws INVALID_INPUT. */
export function requirePageSize({ first, last }: ConnectionArgs): number {
  if (first != null && last != null) throw invalid(['last'], 'Set either first or last, not both');
  if (last != null) return size(last, 'last');
  return first != null ? size(first, 'first') : pageSize.default;
}

/** Converts paging arguments to the window to read. Throws INVALID_INPUT if an argument is out of range. */
export function windowOf(args: ConnectionArgs, shape: CursorShape): Window {
  const { first, last, after, before } = args;
  return {
    limit: requirePageSize(args),
    fromEnd: last != null || (first == null && before != null && after == null),
    ...(after != null && { after: decodeCursor(after, shape, 'after') }),
    ...(before != null && { before: decodeCursor(before, shape, 'before') }),
  };
}
