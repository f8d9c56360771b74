/** A list or an object whose items are being written. */
interface Open {
  of: Readonly<Record<string, unknown>> | readonly unknown[];
  /** The keys of an object, in order. */
  keys: readonly string[] | undefined;
  next: number;
}

/**
 * Equal texts for equal JSON values, whatever the order of their fields. Without recursion, because JSON can nest as deeply as it is
 * long, and without a function that `JSON.stringify` would call for each value, because there can be many.
 */
export function canonicalJson(value: unknown): string {
  if (!isNested(value)) return flatJson(value);
  const stack = [opened(value)];
  let text = opening(stack[0]!);
  for (let open = stack.at(-1); open; open = stack.at(-1)) {
    const { of, keys, next } = open;
    if (next === (keys ?? (of as readonly unknown[])).length) {
      text += keys ? '}' : ']';
      stack.pop();
      continue;
    }
    open.next++;
    if (next > 0) text += ',';
    if (keys) text += `${JSON.stringify(keys[next])}:`;
    const item = (of as Record<string | number, unknown>)[keys ? keys[next]! : next];
    if (isNested(item)) {
      const inside = opened(item);
      text += opening(inside);
      stack.push(inside);
    } else text += flatJson(item);
  }
  return text;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether it is a list or an object that contains another one. */
const isNested = (value: unknown): value is object =>
  isObject(value) && (Array.isArray(value) ? value : Object.values(value)).some(isObject);

/** The JSON of a value that is not nested. */
const flatJson = (value: unknown): string =>
  JSON.stringify(
    isObject(value) && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );

const opening = ({ keys }: Open) => (keys ? '{' : '[');

function opened(value: object): Open {
  if (Array.isArray(value)) return { of: value, keys: undefined, next: 0 };
  const of = value as Record<string, unknown>;
  const keys = Object.keys(of).filter((key) => of[key] !== undefined);
  return { of, keys: keys.sort(), next: 0 };
}
