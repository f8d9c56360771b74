import { parseEnv } from '../../formats/env-file.ts';
import { type Files, pathIn } from '../files.ts';

/**
 * The variables of an environment file, or undefined if there is none. Of a name that is set twice, the last value counts. `refuse`
 * gets what is wrong with a line.
 */
export function readEnvironmentFile(
  files: Files,
  name: string,
  refuse: (reason: string) => void,
): Record<string, string> | undefined {
  const path = pathIn('.', name);
  const text = path === undefined ? undefined : files.get(path);
  if (typeof text !== 'string') return undefined;
  const { entries, errors } = parseEnv(text);
  for (const { line, message } of errors) refuse(`${name}, line ${line}: ${message}`);
  return Object.fromEntries(entries.map((entry) => [entry.name, entry.value]));
}

/** The document with the values of `${NAME:-default}` and the like in all its texts. */
export function interpolate(
  value: unknown,
  environment: Record<string, string>,
  unset: Set<string>,
): unknown {
  if (typeof value === 'string') return filled(value, environment, unset);
  if (Array.isArray(value)) return value.map((each) => interpolate(each, environment, unset));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, interpolate(each, environment, unset)]),
  );
}

const pattern = /\$(?:\$|(\w+)|\{(\w+)(?:(:?[-?+])((?:[^{}]|\$\{[^{}]*\})*))?\})/g;

function filled(text: string, environment: Record<string, string>, unset: Set<string>): string {
  return text.replace(pattern, (all, short?: string, name = short, operator?: string, rest = '') => {
    if (all === '$$') return '$';
    const value = environment[name!];
    const isThere = value !== undefined && (!operator?.startsWith(':') || value !== '');
    if (operator?.endsWith('+')) return isThere ? filled(rest, environment, unset) : '';
    if (isThere) return value!;
    if (operator?.endsWith('-')) return filled(rest, environment, unset);
    unset.add(name!);
    return '';
  });
}
