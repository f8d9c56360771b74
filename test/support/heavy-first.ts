import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** A file that declares that it starts processes: see `starts-processes.ts`. */
const startsProcesses = (source: string) => /^startsProcesses\(/m.test(source);
/** Files in a browser wait for pages, so that one alone at the end of a run would keep one core busy. */
const usesBrowser = (source: string) => /\binBrowser\b/.test(source);

/** Puts the light items between the heavy ones, which come as early as their share allows. */
function interleaved<T>(heavy: T[], light: T[], every: number): T[] {
  const queue: T[] = [];
  const rest = [...light];
  for (const item of heavy) queue.push(item, ...rest.splice(0, every - 1));
  return [...queue, ...rest];
}

/**
 * Files that start processes begin first, because they take longest. Only a few of them may run at once, so that there are
 * others between them: those in a browser, then the rest. Without the results of an earlier run, Vitest sorts files by
 * their size. The files of a project stay together: a worker ends when the next file is of another one, and the next worker
 * loads the sources again.
 */
export class HeavyFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = new Set(sorted.map(({ project }) => project));
    return [...projects].flatMap((project) => {
      const [heavy, pages, light]: TestSpecification[][] = [[], [], []];
      for (const file of sorted.filter((each) => each.project === project)) {
        const source = readFileSync(file.moduleId, 'utf8');
        (startsProcesses(source) ? heavy! : usesBrowser(source) ? pages! : light!).push(file);
      }
      return interleaved(heavy!, [...pages!, ...light!], 3);
    });
  }
}
