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
 * may run at once. Without the results of an earlier run, Vitest sorts files by their size. The files of a project stay
 * together: a worker ends when the next file is of another one, and the next worker loads the sources again.
 */
export class HeavyFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = new Set(sorted.map(({ project }) => project));
    return [...projects].flatMap((project) => {
      const [heavy, light]: [TestSpecification[], TestSpecification[]] = [[], []];
      for (const file of sorted) {
        if (file.project === project) (startsProcesses(file.moduleId) ? heavy : light).push(file);
      }
      return interleaved(heavy, light, 3);
    });
  }
}
