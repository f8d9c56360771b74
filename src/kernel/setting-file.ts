import { readFileSync } from 'node:fs';

/** Invalid settings. The message lists all problems, one per line. */
export class ConfigError extends Error {
  constructor(problems: string[]) {
    super(['Invalid settings:', ...problems.map((problem) => `  - ${problem}`)].join('\n'));
    this.name = 'ConfigError';
  }
}

/**
 * The environment, with settings read from files such as mounted secrets: for each of `names`,
 * NAME_FILE can be the path of a file with the value. Problems are passed to `problem`.
 */
export function withSettingFiles(
  env: Record<string, string | undefined>,
  names: readonly string[],
  problem: (text: string) => void,
): Record<string, string | undefined> {
  const settings = { ...env };
  for (const name of names) {
    const path = settings[`${name}_FILE`];
    if (!path) continue;
    if (settings[name]) {
      problem(`${name} and ${name}_FILE are both set. Set one of them`);
      continue;
    }
    try {
      // Editors and `echo` end a file with a line break.
      const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
      if (!text) throw new Error('it is empty');
      settings[name] = text;
    } catch (error) {
      problem(`${name}_FILE names ${path}, which cannot be used: ${(error as Error).message}`);
    }
  }
  return settings;
}
