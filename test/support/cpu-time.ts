import { readFileSync } from 'node:fs';
import { afterAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** CPU seconds of a test file: of the worker while it ran the file, and of the processes that it started. */
    cpuSeconds?: number;
  }
}

/** Linux counts in hundredths of a second whatever the kernel's own clock is. */
const ticksPerSecond = 100;

/** CPU seconds of the processes that this one has started and that have ended. Linux alone reports them. */
function ofChildren(): number {
  try {
    // The name of the program is in parentheses, and may contain spaces.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)!.split(' ');
    return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
  } catch {
    return 0;
  }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + ofChildren();
}

/** Where the file before ended: what importing a file costs is counted for it as well. */
const worker = globalThis as { cpuSecondsOfTests?: number };

// A setup file: it runs for each test file, and its hook runs after those of the file.
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads the fixtures of a hook from its first parameter.
afterAll(({}, file) => {
  const now = cpuSeconds();
  file.meta.cpuSeconds = now - (worker.cpuSecondsOfTests ?? 0);
  worker.cpuSecondsOfTests = now;
});
