import { isMapping, Marked, type Value } from '../yaml.ts';

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

/** A text with the values of `$NAME`, `${NAME:-default}` and the like, also inside of defaults. */
export function filled(text: string, variables: Variables): string {
  let result = '';
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
    const end = isBraced ? closing(text, at) : undefined;
    if (isBraced) at++;
    const variable = take(name);
    const kind = isBraced && variable ? take(operator) : undefined;
    const isClosed = end !== undefined && (kind ? at <= end : at === end);
    if (!variable || (isBraced && !isClosed)) {
      if (isBraced) variables.isWrong(text);
      at = dollar + 1;
      result += '$';
      continue;
    }
    if (!isBraced) {
      result += replacement(variable, undefined, '', variables);
      continue;
    }
    result += replacement(variable, kind, text.slice(at, end), variables);
    at = end! + 1;
  }
  return result + text.slice(at);
}

function replacement(variable: string, kind: string | undefined, rest: string, variables: Variables): string {
  const value = variables.get(variable);
  const isThere = value !== undefined && !(kind?.startsWith(':') && value === '');
  if (kind?.endsWith('+')) return isThere ? filled(rest, variables) : '';
  if (isThere) return value;
  if (kind?.endsWith('-')) return filled(rest, variables);
  variables.isUnset(variable, kind && filled(rest, variables));
  return '';
}

/** Where the brace at a place is closed. */
function closing(text: string, from: number): number | undefined {
  let open = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '{') open++;
    else if (text[at] === '}' && --open === 0) return at;
  }
  return undefined;
}
