import { readdirSync, readFileSync } from 'node:fs';
import { afterAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** CPU seconds of a test file: of the worker while it ran the file, and of the processes that it started. */
    cpuSeconds?: number;
    /** CPU seconds of the browser while it showed the pages of the file. */
    browserCpuSeconds?: number;
  }
}

/** Linux counts in hundredths of a second whatever the kernel's own clock is. */
const ticksPerSecond = 100;

/** CPU seconds of a process, and of those that it has started and that have ended. Linux alone reports them. */
function secondsOf(pid: number | string) {
  try {
    // The name of the program is in parentheses, and may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
    const [own, system, children, systemOfChildren] = fields.slice(11, 15).map(Number) as [
      number,
      number,
      number,
      number,
    ];
    return { own: (own + system) / ticksPerSecond, ended: (children + systemOfChildren) / ticksPerSecond };
  } catch {
    return { own: 0, ended: 0 };
  }
}

const ofChildren = () => secondsOf('self').ended;

function childrenOf(pid: number | string): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
    );
  } catch {
    return [];
  }
}

/** CPU seconds of a process and everything below it. */
function secondsOfTree(pid: string): number {
  const { own, ended } = secondsOf(pid);
  return childrenOf(pid).reduce((sum, child) => sum + secondsOfTree(child), own + ended);
}

const isBrowser = (pid: string) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--remote-debugging-pipe');
  } catch {
    return false;
  }
};

const ofBrowser = () =>
  childrenOf('self')
    .filter(isBrowser)
    .reduce((sum, pid) => sum + secondsOfTree(pid), 0);

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + ofChildren();
}

/** Where the file before ended: what importing a file costs is counted for it as well. */
const worker = globalThis as { cpuSecondsOfTests?: number; browserSecondsOfTests?: number };

// A setup file: it runs for each test file, and its hook runs after those of the file.
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads the fixtures of a hook from its first parameter.
afterAll(({}, file) => {
  const now = cpuSeconds();
  file.meta.cpuSeconds = now - (worker.cpuSecondsOfTests ?? 0);
  worker.cpuSecondsOfTests = now;
  const ofPages = ofBrowser();
  file.meta.browserCpuSeconds = ofPages - (worker.browserSecondsOfTests ?? 0);
  worker.browserSecondsOfTests = ofPages;
});
