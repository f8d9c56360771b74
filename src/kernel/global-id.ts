import { NotFoundError } from './errors.ts';
/** A Relay global id: base64url of the type name and the entity's own identifier. */
export function encodeGlobalId(type: string, id: string | number): string {
  return Buffer.from(`${type}:${id}`).toString('base64url');
}

/** The parts of a global id, or undefined if it is invalid. */
export function decodeGlobalId(id: string): { type: string; id: string } | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Postgres text cannot hold it
  const match = /^([A-Za-z]+):([^\u0000]{1,200})$/.exec(Buffer.from(id, 'base64url').toString('utf8'));
  return match ? { type: match[1]!, id: match[2]! } : undefined;
}

/** The identifier in a global id of this type, or undefined if the id is invalid or of another type. */
export function idOfType(type: string, id: string): string | undefined {
  const decoded = decodeGlobalId(id);
  return decoded?.type === type ? decoded.id : undefined;
}

/** A number that is looked up instead of an id that there is none of. No object has it. */
export const absentId = 0x7fff_ffff;

/** Parses an identifier that is stored as a 32-bit number. */
export function numericId(id: string | undefined): number | undefined {
  if (id === undefined || !/^[1-9]\d{0,9}$/.test(id)) return undefined;
  const number = Number(id);
  return number <= absentId ? number : undefined;
}

/** Reads an object by the text of its numeric id. Null if it is none. */
export const byNumber =
  <C, R>(read: (context: C, id: number) => Promise<R | null>) =>
  async (context: C, id: string | number): Promise<R | null> => {
    const number = numericId(String(id));
    return number === undefined ? null : read(context, number);
  };

/**
 * Reads the object that a reference names by its global id, or by the field `own`. NOT_FOUND if it does not exist or is not
 * visible to the caller.
 */
export const namedBy =
  <C, F extends string, R>(
    noun: string,
    type: string,
    own: F,
    visible: (context: C, id: string) => Promise<R | null>,
  ) =>
  async (context: C, ref: Reference<F>): Promise<R> => {
    const row = await visible(context, String(ref[own] ?? idOfType(type, ref.id ?? '') ?? ''));
    if (!row) throw new NotFoundError(noun);
    return row;
  };

type Reference<F extends string> = { id?: string | null | undefined } & {
  [field in F]?: string | number | null | undefined;
};
