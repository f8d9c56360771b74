import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** A file that declares that it starts processes: see `starts-processes.ts`. */
const startsProcesses = (file: string) => /^startsProcesses\(/m.test(readFileSync(file, 'utf8'));

/** Puts the light items between the heavy ones, which come as early as their share allows. */
function interleaved<T>(heavy: T[], light: T[], every: number): T[] {
  const queue: T[] = [];
  const rest = [...light];
  for (const item of heavy) queue.push(item, ...rest.splice(0, every - 1));
  return [...queue, ...rest];
}

/**
 * Files that start processes begin first, because they take longest, with other files between them: only a few of them
 * may run at once. Without the results of an earlier run, Vitest sorts files by their size.
 */
export class HeavyFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const heavy = sorted.filter(({ moduleId }) => startsProcesses(moduleId));
    const light = sorted.filter((file) => !heavy.includes(file));
    return interleaved(heavy, light, 3);
  }
}
