import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { built } from './built.ts';
import { addProcess } from './failure-log.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface TrellisProcess {
  child: ChildProcess;
  /** All that it wrote so far. */
  output(): { stdout: string; stderr: string };
  /** The lines of the log, parsed. */
  log(): Record<string, any>[];
  /** The first administrator's token, if it was printed. */
  printedToken(): string | undefined;
  /** Resolves with `http://127.0.0.1:PORT` once it listens; rejects when it ends before. */
  listening: Promise<string>;
  /** Resolves with its exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>;
}

/** Whether a registry elsewhere can be reached makes no difference to a test. */
const noRegistry = { REGISTRY_DIGEST_TIMEOUT_MS: '0' };

const running = new Set<ChildProcess>();

/** Trellis as an own process, with these settings and no others. */
export function startProcess(
  settings: Record<string, string>,
  program = join(built(), 'main.js'),
): TrellisProcess {
  const child = spawn(process.execPath, [program], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', ...noRegistry, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let stdout = '';
  let stderr = '';
  addProcess(child, 'main.js', () => ({ stdout, stderr }));
  const log = () =>
    stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve(code ?? signal!);
    });
  });
  const listening = new Promise<string>((resolve, reject) => {
    let isListening = false;
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
      if (isListening || !stdout.endsWith('\n')) return;
      const line = log().find(({ msg }) => msg === 'listening');
      isListening = line !== undefined;
      if (line) resolve(new URL(line.url).origin);
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    ended.then((code) => reject(new Error(`ended with ${code}\n${stdout}\n${stderr}`)));
  });
  // Whoever waits for the end need not wait for this.
  listening.catch(() => undefined);
  return {
    child,
    output: () => ({ stdout, stderr }),
    log,
    printedToken: () => /access token, shown this once: (\S+)/.exec(stdout)?.[1],
    listening,
    ended,
  };
}

/** Ends what a test left behind. */
export async function endProcesses(): Promise<void> {
  await Promise.all(
    [...running].map((child) => {
      const closed = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGKILL');
      return closed;
    }),
  );
}
