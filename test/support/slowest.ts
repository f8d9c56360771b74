import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

const shown = 10;
const folder = 'test-results';

interface Cost {
  name: string;
  seconds: number;
}

const slowest = (costs: Cost[]) => [...costs].sort((a, b) => b.seconds - a.seconds).slice(0, shown);

/**
 * Prints the slowest tests and the files that took the most CPU at the end of a run of several files, and writes what every
 * file took to `test-results/times.json`.
 */
export default class Slowest implements Reporter {
  private readonly tests: Cost[] = [];
  private readonly files: (Cost & {
    cpuSeconds: number | undefined;
    browserCpuSeconds: number | undefined;
    tests: number;
  })[] = [];
  private readonly startedMs = performance.now();
  private vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  onTestCaseResult(test: TestCase): void {
    const name = `${test.project.name} ${test.module.relativeModuleId} > ${test.fullName}`;
    this.tests.push({ name, seconds: (test.diagnostic()?.duration ?? 0) / 1_000 });
  }

  onTestModuleEnd(file: TestModule): void {
    const { duration, collectDuration, setupDuration } = file.diagnostic();
    this.files.push({
      name: `${file.project.name} ${file.relativeModuleId}`,
      seconds: (duration + collectDuration + setupDuration) / 1_000,
      cpuSeconds: file.meta().cpuSeconds,
      browserCpuSeconds: file.meta().browserCpuSeconds,
      tests: [...file.children.allTests()].length,
    });
  }

  onTestRunEnd(): void {
    if (this.files.length < 2) return;
    const wallSeconds = (performance.now() - this.startedMs) / 1_000;
    const cpuOf = ({ cpuSeconds = 0 }: { cpuSeconds?: number }) => cpuSeconds;
    const cpuSeconds = this.files.reduce((sum, file) => sum + cpuOf(file), 0);
    const browserCpuSeconds = this.files.reduce((sum, file) => sum + (file.browserCpuSeconds ?? 0), 0);
    const byCpu = this.files.map((file) => ({ name: file.name, seconds: cpuOf(file) }));
    this.print('Slowest tests', slowest(this.tests));
    this.print('Slowest files', slowest(this.files));
    this.print('Files with the most CPU time', slowest(byCpu));
    this.vitest?.logger.log(
      `\n The files took ${cpuSeconds.toFixed(0)} CPU seconds, and browsers ${browserCpuSeconds.toFixed(0)}, in ${wallSeconds.toFixed(0)} s, on ${cpus().length} cores.`,
    );
    mkdirSync(folder, { recursive: true });
    const machine = {
      node: process.version,
      cores: cpus().length,
      memoryMiB: Math.round(totalmem() / 2 ** 20),
    };
    const files = [...this.files].sort((a, b) => cpuOf(b) - cpuOf(a));
    writeFileSync(
      `${folder}/times.json`,
      `${JSON.stringify({ machine, wallSeconds, cpuSeconds, browserCpuSeconds, slowestFiles: slowest(this.files), files }, null, 2)}\n`,
    );
  }

  private print(title: string, costs: Cost[]): void {
    this.vitest?.logger.log(`\n ${title}`);
    for (const { name, seconds } of costs) {
      this.vitest?.logger.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`);
    }
  }
}
