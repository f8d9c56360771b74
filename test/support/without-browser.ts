import type { TaskMeta } from 'vitest';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import type { FoundChromium } from './chromium.ts';

interface SkippedTest {
  meta: TaskMeta;
  chromium: FoundChromium;
}

/** Says at the end of a run how many tests lacked a browser. With `CI=true`, the run then fails. */
export default class WithoutBrowser implements Reporter {
  private vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap(({ project, children }) => {
      const { chromium } = project.getProvidedContext();
      return [...children.allTests('skipped')].map((test) => ({ meta: test.meta(), chromium }));
    });
    const summary = summarize(skipped);
    if (!summary) return;
    const isFailure = process.env.CI === 'true';
    this.vitest?.logger[isFailure ? 'error' : 'log'](`\n ${summary}`);
    if (isFailure) process.exitCode = 1;
  }
}

/** How many of the skipped tests lacked a browser, and why there is none. */
export function summarize(skipped: readonly SkippedTest[]): string | undefined {
  const lacking = skipped.filter(({ meta, chromium }) => meta.needsBrowser && 'reason' in chromium);
  const [first] = lacking;
  if (!first || !('reason' in first.chromium)) return undefined;
  const tests = lacking.length === 1 ? '1 browser test' : `${lacking.length} browser tests`;
  return `${tests} did not run: ${first.chromium.reason}. Install Chromium or set CHROMIUM_PATH.`;
}
