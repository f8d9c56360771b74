import type { Reporter, TestCase, Vitest } from 'vitest/node';

const shown = 10;

/** Prints the slowest tests at the end of a run of several files. */
export default class Slowest implements Reporter {
  private readonly tests: { durationMs: number; name: string }[] = [];
  private readonly files = new Map<string, number>();
  private vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  onTestCaseResult(test: TestCase): void {
    const file = `${test.project.name} ${test.module.relativeModuleId}`;
    const durationMs = test.diagnostic()?.duration ?? 0;
    this.tests.push({ durationMs, name: `${file} > ${test.fullName}` });
    this.files.set(file, (this.files.get(file) ?? 0) + durationMs);
  }

  onTestRunEnd(): void {
    if (this.files.size < 2) return;
    const print = (title: string, lines: { durationMs: number; name: string }[]) => {
      this.vitest?.logger.log(`\n ${title}`);
      for (const { durationMs, name } of lines.sort((a, b) => b.durationMs - a.durationMs).slice(0, shown)) {
        this.vitest?.logger.log(`${(durationMs / 1_000).toFixed(1).padStart(7)} s  ${name}`);
      }
    };
    print('Slowest tests', this.tests);
    print(
      'Slowest files',
      [...this.files].map(([name, durationMs]) => ({ name, durationMs })),
    );
  }
}
