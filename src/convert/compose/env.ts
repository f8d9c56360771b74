import { parseEnv } from '../../formats/env-file.ts';
import { filled, type Variables } from './interpolate.ts';

const escapes: { readonly [letter: string]: string | undefined } = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '"': '"',
  '\\': '\\',
  // A dollar with a backslash begins no variable.
  $: '$$',
};

/**
 * The variables of an environment file by the rules of Compose: values without quotes and in double quotes refer to variables of the
 * caller and to those before them, and a name alone has the value of the caller. `refuse` gets what is wrong with a line.
 * @see https://github.com/compose-spec/compose-go/tree/main/dotenv
 */
export function readEnv(
  text: string,
  caller: Variables,
  refuse: (line: number, message: string) => void,
): Record<string, string> {
  const values = new Map<string, string>();
  const variables: Variables = { ...caller, get: (name) => caller.get(name) ?? values.get(name) };
  const { entries, errors } = parseEnv(text, { hasNames: true });
  for (const { line, message } of errors) refuse(line, message);
  for (const { name, quote, written } of entries) {
    if (quote === undefined) {
      const value = caller.get(name);
      if (value === undefined) caller.isUnset(name);
      else values.set(name, value);
    } else if (quote === "'") values.set(name, written.replaceAll("\\'", "'"));
    else values.set(name, filled(quote ? unescaped(written) : written, variables));
  }
  return Object.fromEntries(values);
}

const unescaped = (text: string) =>
  text.replace(/\\(?:0([0-7]{1,3})|([\s\S]))/g, (all, octal?: string, letter?: string) =>
    octal ? String.fromCharCode(Number.parseInt(octal, 8)) : (escapes[letter!] ?? all),
  );
