import { type EnvEntry, type EnvError, parseEnv } from '../../../../formats/env-file.ts';
import { text } from './strings.ts';

/** The variables in the text of an `.env` file, of which each has to be set once. */
export function entriesIn(source: string): { entries: EnvEntry[]; errors: EnvError[] } {
  const { entries: all, errors } = parseEnv(source);
  const entries: EnvEntry[] = [];
  for (const entry of all) {
    const before = entries.find(({ name }) => name === entry.name);
    if (before) errors.push({ line: entry.line, message: text.env.twice(entry.name, before.line) });
    else entries.push(entry);
  }
  return { entries, errors: errors.sort((one, other) => one.line - other.line) };
}

/** Whether the value of a variable is a secret by its name. The server decides likewise. */
export const isSecretName = (name: string) => /PASSWORD|SECRET|TOKEN|PRIVATE_KEY|ACCESS_KEY/i.test(name);
