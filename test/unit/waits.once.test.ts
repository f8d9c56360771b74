import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
/** Programs that measure time: they decide nothing. */
const apart = ['bench/', 'soak/'];

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

/** Files that are not converted yet. No file may be added, and a file without an offence has to be removed. */
const debts = {
  waits: [
    'api/access-token/accepted-tokens.test.ts',
    'api/app-store/client.once.test.ts',
    'api/app-store/faults.test.ts',
    'api/job/worker.test.ts',
    'api/region/kubernetes-autoscaling.test.ts',
    'api/webhook/delivery-order.test.ts',
    'clients/live.ts',
    'process/demo-and-token.once.test.ts',
    'process/jobs.test.ts',
    'process/kill.test.ts',
    'process/migrate-kill.test.ts',
    'process/migrate.once.test.ts',
    'process/outage.test.ts',
    'process/pipeline.test.ts',
    'process/pooler.test.ts',
    'process/process.once.test.ts',
    'process/subscription-outage.once.test.ts',
    'process/unavailable.test.ts',
    'process/webhook-kill.test.ts',
    'surfaces/console/live-reads.once.test.ts',
    'surfaces/console/live-tabs.once.test.ts',
    'surfaces/console/live.once.test.ts',
  ],
  durations: [
    'api/event/record.test.ts',
    'api/trust/form.once.test.ts',
    'process/outage.test.ts',
    'process/shutdown.test.ts',
    'robustness/large-templates.once.test.ts',
    'robustness/manifests.once.test.ts',
    'surfaces/console/live.once.test.ts',
  ],
};

describe('a test', () => {
  it('waits on events: where it sets a timer, the line before says why, as in "// Waits on time: …"', () => {
    const found = files.filter((name) => waitsOf(name).length > 0 && !debts.waits.includes(name));
    expect(Object.fromEntries(found.map((name) => [name, waitsOf(name)]))).toEqual({});
  });

  it('compares no duration with a constant', () => {
    const found = files.filter((name) => durationsOf(name).length > 0 && !debts.durations.includes(name));
    expect(Object.fromEntries(found.map((name) => [name, durationsOf(name)]))).toEqual({});
  });

  it('is in the list of debts only while it has one', () => {
    expect(debts.waits.filter((name) => !files.includes(name) || waitsOf(name).length === 0)).toEqual([]);
    expect(debts.durations.filter((name) => !files.includes(name) || durationsOf(name).length === 0)).toEqual(
      [],
    );
  });
});
