/** A variable in an `.env` file. */
export interface EnvEntry {
  name: string;
  value: string;
  /** The line that it begins in, from 1. */
  line: number;
  /** Where its value is in the text, with its quotes. */
  from: number;
  to: number;
  /** The quotes around its value. Undefined for a name alone, which has none. */
  quote: "'" | '"' | '' | undefined;
  /** What is between the quotes, as it is written. */
  written: string;
}
export interface EnvError {
  line: number;
  message: string;
}

const declaration = /[^\S\n]*(?:export[^\S\n]+)?([^\s=#'"]+)[^\S\n]*=[^\S\n]*/y;
/** Compose also reads `NAME: value`, and a name alone. */
const declarationOrName = /[^\S\n]*(?:export[^\S\n]+)?([^\s=:#'"]+)[^\S\n]*(?:[=:][^\S\n]*|(?=\n))/y;
const skipped = /(?:[^\S\n]*(?:#[^\n]*)?\n)+/y;
/** The rest of a line after a value. */
const rest = /[^\S\n]*(?:#[^\n]*)?(?=\n|$)/y;
const unquoted = /[^\n]*/y;
const quoted = { "'": /'([^']*)'/y, '"': /"((?:[^"\\]|\\[\s\S])*)"/y } as const;
const escapes: { [letter: string]: string | undefined } = {
  n: '\n',
  r: '\r',
  t: '\t',
  '"': '"',
  '\\': '\\',
  $: '$',
};

/**
 * Reads an `.env` file: `NAME=value` in each line, with an optional `export` before it. Values in quotes can have several
 * lines, and in double quotes escapes. A `#` begins a comment, in a value without quotes after a space. A name that is set
 * twice has two entries. With `hasNames`, a name can be alone.
 */
export function parseEnv(
  source: string,
  { hasNames = false } = {},
): { entries: EnvEntry[]; errors: EnvError[] } {
  // A byte order mark and carriage returns are replaced by as many characters, so that places stay the same.
  const file = `${source.replace(/^\uFEFF/, ' ').replaceAll('\r\n', ' \n')}\n`;
  const entries: EnvEntry[] = [];
  const errors: EnvError[] = [];
  let at = 0;
  let line = 1;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(file);
    if (!found) return undefined;
    at = pattern.lastIndex;
    line += found[0].split('\n').length - 1;
    return found;
  };
  const fail = (message: string) => {
    errors.push({ line, message });
    take(unquoted);
  };
  for (take(skipped); at < file.length - 1; take(skipped)) {
    const start = line;
    const declared = take(hasNames ? declarationOrName : declaration);
    if (!declared) {
      fail('Expected NAME=value.');
      continue;
    }
    const from = at;
    const name = declared[1]!;
    const quote = file[at];
    if (hasNames && !/[=:][^\S\n]*$/.test(declared[0])) {
      entries.push({ name, value: '', line: start, from, to: from, quote: undefined, written: '' });
    } else if (quote === "'" || quote === '"') {
      const found = take(quoted[quote]);
      if (!found) {
        fail('The quote is not closed.');
        continue;
      }
      // The carriage returns that were replaced were at ends of lines.
      const inner = source.slice(from + 1, at - 1).replaceAll('\r\n', '\n');
      const value = quote === "'" ? inner : unescaped(inner);
      const to = at;
      if (!take(rest)) {
        fail('Only a comment can follow the closing quote.');
        continue;
      }
      entries.push({ name, value, line: start, from, to, quote, written: inner });
    } else {
      const [all] = take(unquoted)!;
      const comment = /(?:^|\s)#/.exec(all);
      const value = all.slice(0, comment?.index).trimEnd();
      entries.push({ name, value, line: start, from, to: from + value.length, quote: '', written: value });
    }
  }
  return { entries, errors };
}

const unescaped = (inner: string) =>
  inner.replace(/\\([\s\S])/g, (all, letter: string) => escapes[letter] ?? all);

/** A value as it is written in an `.env` file, in quotes if it needs them. */
export function envValue(value: string): string {
  if (/^[\w@%+=:,./-]*$/.test(value)) return value;
  if (!/['\r]/.test(value)) return `'${value}'`;
  const escaped = value.replace(/[\\"$]/g, '\\$&').replaceAll('\r', '\\r');
  return `"${escaped}"`;
}
