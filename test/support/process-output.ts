import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll } from 'vitest';

export interface Output {
  stdout: string;
  stderr: string;
}

interface Started {
  name: string;
  output(): Output;
}

const folder = 'test-results/failed';
const started: Started[] = [];

/** Keeps what a process writes until the end of the test file that started it. */
export function keepOutput(name: string, output: () => Output): void {
  started.push({ name, output });
}

const fileName = (title: string) => title.replaceAll(/[^\w.]+/g, '-').slice(0, 150);

function write(title: string): void {
  const texts = started.map(({ name, output }, index) => {
    const { stdout, stderr } = output();
    return `=== ${index + 1}. ${name}\n${stdout}\n--- standard error\n${stderr}\n`;
  });
  if (texts.length === 0) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/${fileName(title)}.log`, texts.join('\n'));
}

/** After a test that failed, writes to `test-results/failed` what the processes of its file have written so far. */
export function writeOutputOfFailures(): void {
  beforeAll(() => void started.splice(0));
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') write(`${task.file.name} ${process.env.TEST_DATABASE} ${task.name}`);
  });
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the fixtures of a hook from its first parameter.
  afterAll(({}, file) => {
    // No test has run when what comes before all of them has failed.
    if (file.result?.state === 'fail') write(`${file.file.name} ${process.env.TEST_DATABASE}`);
    started.splice(0);
  });
}
