import { InputError, isMapping, Marked, type Value } from '../yaml.ts';

export interface Variables {
  get(name: string): string | undefined;
  /** A variable without a value, which is taken as empty, and what the file says about one that must have a value. */
  isUnset(name: string, message?: string): void;
  isWrong(text: string): void;
}

/** A tree with the values of variables in all its texts. Keys stay as they are. */
export function interpolated(value: Value, variables: Variables): Value {
  if (typeof value === 'string') return filled(value, variables);
  if (Array.isArray(value)) return value.map((item) => interpolated(item, variables));
  if (value instanceof Marked) return new Marked(value.tag, interpolated(value.value, variables));
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, interpolated(item, variables)]));
}

const name = /[a-z_]\w*/iy;
const operator = /:?[-?+]/y;

/** Defaults inside of defaults. Each is read once for each that it is in. */
const maxDepth = 50;

/** A text with the values of `$NAME`, `${NAME:-default}` and the like, also inside of defaults. */
export function filled(text: string, variables: Variables, depth = 0): string {
  if (depth > maxDepth) throw new InputError('A variable has too many defaults inside of each other.');
  let closings: ReadonlyMap<number, number> | undefined;
  let result = '';
  let isWrong = false;
  let at = 0;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  for (let dollar = text.indexOf('$'); dollar >= 0; dollar = text.indexOf('$', at)) {
    result += text.slice(at, dollar);
    at = dollar + 1;
    if (text[at] === '$') {
      result += '$';
      at++;
      continue;
    }
    const isBraced = text[at] === '{';
    closings ??= isBraced ? closingsOf(text) : undefined;
    const end = isBraced ? closings!.get(at) : undefined;
    if (isBraced) at++;
    const variable = take(name);
    const kind = isBraced && variable ? take(operator) : undefined;
    const isClosed = end !== undefined && (kind ? at <= end : at === end);
    if (!variable || (isBraced && !isClosed)) {
      isWrong ||= isBraced;
      at = dollar + 1;
      result += '$';
      continue;
    }
    if (!isBraced) {
      result += replacement(variable, undefined, '', variables, depth);
      continue;
    }
    result += replacement(variable, kind, text.slice(at, end), variables, depth);
    at = end! + 1;
  }
  if (isWrong) variables.isWrong(text.slice(0, 80));
  return result + text.slice(at);
}

function replacement(
  variable: string,
  kind: string | undefined,
  rest: string,
  variables: Variables,
  depth: number,
): string {
  const value = variables.get(variable);
  const isThere = value !== undefined && !(kind?.startsWith(':') && value === '');
  const inner = () => filled(rest, variables, depth + 1);
  if (kind?.endsWith('+')) return isThere ? inner() : '';
  if (isThere) return value;
  if (kind?.endsWith('-')) return inner();
  variables.isUnset(variable, kind && inner());
  return '';
}

/** Where each brace of a text is closed. */
function closingsOf(text: string): ReadonlyMap<number, number> {
  const open: number[] = [];
  const closings = new Map<number, number>();
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '{') open.push(at);
    else if (text[at] === '}' && open.length > 0) closings.set(open.pop()!, at);
  }
  return closings;
}
