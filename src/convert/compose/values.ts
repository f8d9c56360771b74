import { quotedWords } from '../../formats/command-words.ts';
import { listOf, textIn, type Value } from '../yaml.ts';
import { textOf } from './merge.ts';

/** A number, or undefined for none and for 0, which means none. */
const positive = (value: Value | undefined): number | undefined => {
  const number = Number(textIn(value));
  return number > 0 && Number.isFinite(number) ? number : undefined;
};

export const millicores = (cpus: Value | undefined): number | undefined => {
  const number = positive(cpus);
  return number && Math.max(1, Math.round(number * 1000));
};

const units: Record<string, number> = { b: 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

/** A size such as `512m` in MiB. */
export function mebibytes(value: Value | undefined): number | undefined {
  const [, number, unit] = /^(\d+(?:\.\d+)?)\s*([bkmgt]?)i?b?$/i.exec(textIn(value) ?? '') ?? [];
  const bytes = Number(number) * units[unit?.toLowerCase() || 'b']!;
  return bytes > 0 ? Math.max(1, Math.ceil(bytes / 2 ** 20)) : undefined;
}

const scales: Record<string, number> = { h: 3600, m: 60, s: 1, ms: 0.001, us: 0.000_001, ns: 0 };

/** A duration such as `1m30s` in seconds. */
export function secondsOf(value: Value | undefined): number | undefined {
  const text = textIn(value);
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  if (!/^(\d+(\.\d+)?(h|ms|us|ns|m|s))+$/.test(text)) return undefined;
  let seconds = 0;
  for (const [, number, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|us|ns|m|s)/g)) {
    seconds += Number(number) * scales[unit!]!;
  }
  return seconds;
}

/** A command as one text. Words of a list are quoted where a shell would split them. */
export const commandOf = (value: Value | undefined): string | undefined =>
  (Array.isArray(value) ? quotedWords(listOf(value).map(textOf)) : textIn(value)?.trim()) || undefined;

export const slug = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'app';
