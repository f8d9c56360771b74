import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Something that a test has started, and what it has to say when the test fails. */
export interface Witness {
  /** Whether it has ended: it is forgotten after the test. */
  isOver: boolean;
  report(): Promise<string> | string;
}

/** Setup files are loaded for each test file, other modules once for each worker: both reach the same lists. */
const shared = globalThis as { witnesses?: Set<Witness>; seeds?: Set<number> };
shared.witnesses ??= new Set();
shared.seeds ??= new Set();
const { witnesses, seeds } = shared as Required<typeof shared>;

const mostSeeds = 20;

export function addWitness(report: Witness['report']): Witness {
  const witness = { isOver: false, report };
  witnesses.add(witness);
  return witness;
}

/** What a process has written is reported until the end of the test in which it ends. */
export function addProcess(
  child: ChildProcess,
  name: string,
  output: () => { stdout: string; stderr: string },
): void {
  const witness = addWitness(() => {
    const { stdout, stderr } = output();
    return `=== ${name}, process ${child.pid}\n${stdout}\n--- standard error\n${stderr}`;
  });
  child.once('close', () => {
    witness.isOver = true;
  });
}

/** Remembers a seed, of which the last ones are written when the test fails. */
export function noteSeed(seed: number): void {
  seeds.delete(seed);
  seeds.add(seed);
  if (seeds.size > mostSeeds) seeds.delete(seeds.values().next().value!);
}

/** Forgets what has ended, and the seeds of the test before. */
export function forgetWitnesses(): void {
  for (const witness of witnesses) if (witness.isOver) witnesses.delete(witness);
  seeds.clear();
}

export interface Failure {
  name: string;
  errors: readonly { message?: string; stack?: string }[];
}

/** Writes what a person needs to understand a failed test, and returns the file. */
export async function writeFailureLog({ name, errors }: Failure, folder = 'test-results'): Promise<string> {
  const reports = await Promise.all(
    [...witnesses].map(async ({ report }) => {
      try {
        return await report();
      } catch (error) {
        return `No report: ${error}`;
      }
    }),
  );
  const parts = [
    name,
    ...errors.map(({ stack, message }) => stack ?? message ?? ''),
    ...(seeds.size > 0 ? [`Seeds, the last one at the end: ${[...seeds].join(' ')}`] : []),
    ...reports,
  ];
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name.replaceAll(/[^\w.-]+/g, '-').slice(0, 180)}.log`);
  writeFileSync(file, `${parts.join('\n\n')}\n`);
  return file;
}
