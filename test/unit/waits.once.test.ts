import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
/** Programs that measure time, and examples of clients, which decide nothing. */
const apart = ['bench/', 'soak/', 'clients/'];

const files = (readdirSync(root, { recursive: true }) as string[])
  .filter((name) => /\.(ts|tsx|mjs)$/.test(name) && !name.includes('node_modules'))
  .filter((name) => !apart.some((folder) => name.startsWith(folder)) && name !== 'unit/waits.once.test.ts')
  .sort();

/** A timer is set. `pg_sleep(` is a statement, and fake timers are the clock of the test. */
const timer = /(?<![\w.'])(?:sleep|setTimeout|setInterval)\(/;
const reason = /^\s*\/\/ Waits on time: \S/;

/** An upper bound. */
const bound = /\.toBeLessThan(?:OrEqual)?\(\s*([\w.]+)\s*\)/;
const namesDuration = /(?:\w(?:Ms|Seconds)|\bms|\bduration|\belapsed|performance\.now|Date\.now)\b/;

/** Whether a line compares a duration with a constant: `expect(elapsedMs).toBeLessThan(500)`, `….toBeLessThan(mostMs)`. */
function comparesDuration(line: string): boolean {
  const [found, most] = bound.exec(line) ?? [];
  if (!found) return false;
  return (
    namesDuration.test(most!) ||
    (/^[\d_.]+$/.test(most!) && namesDuration.test(line.slice(0, line.indexOf(found))))
  );
}

/** The lines of a file that set a timer without a reason on the line before. */
function waitsOf(name: string): string[] {
  const lines = readFileSync(join(root, name), 'utf8').split('\n');
  return lines.flatMap((line, index) =>
    timer.test(line) && !reason.test(lines[index - 1] ?? '') ? [`${index + 1}: ${line.trim()}`] : [],
  );
}

/** The lines of a file that compare a duration with a constant. */
function durationsOf(name: string): string[] {
  if (name.includes('.long.')) return [];
  const lines = readFileSync(join(root, name), 'utf8').split('\n');
  return lines.flatMap((line, index) => (comparesDuration(line) ? [`${index + 1}: ${line.trim()}`] : []));
}

/** Files with a comparison that no machine decides, and why. A file without one has to be removed. */
const exceptions: Record<string, string> = {
  'process/migrate.once.test.ts': 'Both are settings.',
  'support/large-templates.ts': 'It is made in the long lane alone, with a bound that only a defect reaches.',
  'surfaces/console/live.once.test.ts': 'The page asks timers for this time: it is not what passed.',
};

describe('a test', () => {
  it('waits on events: where it sets a timer, the line before says why, as in "// Waits on time: …"', () => {
    const found = files.filter((name) => waitsOf(name).length > 0);
    expect(Object.fromEntries(found.map((name) => [name, waitsOf(name)]))).toEqual({});
  });

  it('compares no duration with a constant', () => {
    const found = files.filter((name) => durationsOf(name).length > 0 && !(name in exceptions));
    expect(Object.fromEntries(found.map((name) => [name, durationsOf(name)]))).toEqual({});
  });

  it('is among the exceptions only while it has one', () => {
    const names = Object.keys(exceptions);
    expect(names.filter((name) => !files.includes(name) || durationsOf(name).length === 0)).toEqual([]);
  });
});
