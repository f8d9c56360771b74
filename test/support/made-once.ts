import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { inject } from 'vitest';
import { takes } from './built.ts';

/** What one worker of the run makes, as JSON. The others wait for it, and read its file. */
export async function madeOnce<T>(name: string, make: () => Promise<T>): Promise<T> {
  const file = join(inject('runFolder'), `${name}.json`);
  const lock = `${file}.lock`;
  while (!existsSync(file)) {
    if (!takes(lock)) {
      // Waits on time: another process makes the file, and tells nobody.
      await setTimeout(100);
      continue;
    }
    try {
      if (existsSync(file)) break;
      writeFileSync(`${file}.scratch`, JSON.stringify(await make()));
      renameSync(`${file}.scratch`, file);
    } finally {
      rmSync(lock);
    }
  }
  return JSON.parse(readFileSync(file, 'utf8'));
}
