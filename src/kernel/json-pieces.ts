/** About how much is written without a look at the clock: values, of which long strings count as several. */
const most = 1_000;

/** The characters of a string that count as one value. */
const charactersOfValue = 100;

/** The length of a piece, in characters. */
const pieceLength = 32_768;

/** How the values of a JSON text are written. */
export interface JsonForm {
  /** Whether the items of a value are written one after the other. Any other value is written at once. */
  isOpened(value: unknown): value is object;
  /** The fields of an object, in the order in which they are written. */
  keysOf(value: object): readonly string[];
  /** The JSON of a value that is written at once. Undefined, as in `JSON.stringify`, if it has none. */
  textOf(value: unknown): string | undefined;
}

/** A list or an object whose items are being written. */
interface Open {
  of: Readonly<Record<string, unknown>> | readonly unknown[];
  /** The keys of an object. */
  keys: readonly string[] | undefined;
  next: number;
  isEmpty: boolean;
}

/** The JSON of a value in pieces that together are what `JSON.stringify` returns. That would block while it writes a large value. */
export const jsonPieces = (value: unknown): Generator<string, void> => piecesOf(value, asStringified);

/** The JSON of a value in a form, in pieces. Without recursion, because JSON can nest as deeply as it is long. */
export function* piecesOf(value: unknown, form: JsonForm): Generator<string, void> {
  if (!form.isOpened(value)) return yield form.textOf(value) ?? '';
  const opened = (of: object): Open => ({
    of: of as Open['of'],
    keys: Array.isArray(of) ? undefined : form.keysOf(of),
    next: 0,
    isEmpty: true,
  });
  const stack = [opened(value)];
  let text = opening(stack[0]!);
  for (let open = stack.at(-1); open; open = stack.at(-1)) {
    const { of, keys } = open;
    const { length } = keys ?? (of as readonly unknown[]);
    if (open.next === length) {
      text += keys ? '}' : ']';
      stack.pop();
      continue;
    }
    const key = keys ? keys[open.next]! : open.next;
    open.next++;
    const item = (of as Record<string | number, unknown>)[key];
    const inside = form.isOpened(item) ? opened(item) : undefined;
    const written = inside ? opening(inside) : form.textOf(item);
    // As in `JSON.stringify`, an object has no field without a value, and a list has null in its place.
    if (written === undefined && keys) continue;
    text += `${open.isEmpty ? '' : ','}${keys ? `${JSON.stringify(key)}:` : ''}${written ?? 'null'}`;
    open.isEmpty = false;
    if (inside) stack.push(inside);
    if (text.length >= pieceLength) {
      yield text;
      text = '';
    }
  }
  yield text;
}

const opening = ({ keys }: Open) => (keys ? '{' : '[');

/** Whether it is a list or an object with so many values that it is not written at once. */
const isLarge = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !hasOwnJson(value) && left(value, most) < 0;

const hasOwnJson = (value: object) => typeof (value as { toJSON?: unknown }).toJSON === 'function';

/** What is left of a number of values after those of a value. Negative as soon as there are more, which it does not count. */
function left(value: unknown, of: number): number {
  if (typeof value === 'string') return of - 1 - Math.floor(value.length / charactersOfValue);
  if (typeof value !== 'object' || value === null || hasOwnJson(value)) return of - 1;
  let rest = of - 1;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (rest < 0) break;
      rest = left(item, rest);
    }
    return rest;
  }
  for (const key in value) {
    if (rest < 0) break;
    rest = left((value as Record<string, unknown>)[key], rest);
  }
  return rest;
}

const asStringified: JsonForm = {
  isOpened: isLarge,
  keysOf: Object.keys,
  textOf: (value): string | undefined => JSON.stringify(value),
};
