import { afterAll, afterEach, type RunnerTask } from 'vitest';
import { forgetWitnesses, writeFailureLog } from './failure-log.ts';

/** Of a test `test/api/x.test.ts > the suite > the test`, and the database that it ran on. */
function nameOf(task: RunnerTask): string {
  const names: string[] = [];
  for (let each: RunnerTask | undefined = task; each; each = each.suite) names.unshift(each.name);
  const database = process.env.TEST_DATABASE ?? 'sqlite';
  return [task.file.name, ...(task === task.file ? [] : names), database].join(' > ');
}

async function report(task: RunnerTask): Promise<void> {
  const errors = task.result?.errors ?? [];
  if (errors.length > 0) {
    const file = await writeFailureLog({ name: nameOf(task), errors });
    process.stderr.write(`The log of the failed test is in ${file}\n`);
  }
  forgetWitnesses();
}

// A setup file: it runs for each test file, and its hooks run after those of the file.
afterEach(({ task }) => report(task));
// The hooks of a file can fail as well.
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads the fixtures of a hook from its first parameter.
afterAll(({}, file) => report(file));
