/** The processes that are measured: started, watched through /proc, and ended by their id, whatever happens. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';

export interface Running {
  pid: number;
  port: number;
  /** Milliseconds from the start of the process to its first answer. */
  startMs: number;
  stop(): Promise<void>;
}

export interface Command {
  /** The program and its arguments. */
  command: readonly [string, ...string[]];
  env: Record<string, string>;
  cwd: string;
}

const running = new Map<ChildProcess, Promise<void>>();
const readyMs = 180_000;

/** Starts a server; resolves when `ask` has had its answer from it. */
export async function start(
  { command: [program, ...args], env, cwd }: Command,
  ask: (port: number) => Promise<unknown>,
): Promise<Running> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(program, args, {
    cwd,
    // Nothing of the caller's settings: every contestant gets its own and no other.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, HOST: '127.0.0.1', PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said = (said + chunk).slice(-4000);
    });
  }
  let hasEnded = false;
  child.once('error', (error) => {
    said += error.message;
  });
  const ended = tracked(child).then(() => {
    hasEnded = true;
  });
  const stop = async () => {
    if (!hasEnded) child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), 5_000);
    await ended;
    clearTimeout(late);
  };
  const what = [program, ...args].join(' ');
  for (;;) {
    try {
      await ask(port);
      return { pid: child.pid!, port, startMs: performance.now() - startedAt, stop };
    } catch (error) {
      if (hasEnded) throw new Error(`${what} ended:\n${said}`);
      if (performance.now() - startedAt > readyMs) {
        await stop();
        throw new Error(`${what} does not answer: ${(error as Error).message}\n${said}`);
      }
      await sleep(2);
    }
  }
}

/** Remembers a process until it has ended, which is when this resolves. */
export function tracked(child: ChildProcess): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      running.delete(child);
      resolve();
    };
    child.once('close', end);
    child.once('error', end);
  });
  running.set(child, ended);
  return ended;
}

/** Ends all that still runs. */
export async function stopAll(): Promise<void> {
  await Promise.all(
    [...running].map(([child, ended]) => {
      child.kill('SIGKILL');
      return ended;
    }),
  );
}

/** Clock ticks of /proc a second: the same on every Linux that Node.js runs on. */
const ticks = 100;

function stat(pid: number): number[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // Its second field is a name in brackets, which may hold blanks.
    return text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
  } catch {
    return undefined;
  }
}

/** Processor seconds of a process so far; not a number where there is no /proc. */
export function cpuOf(pid: number): number {
  const fields = stat(pid);
  return fields ? (fields[11]! + fields[12]!) / ticks : Number.NaN;
}

/** Processor seconds of a process and all the children it ever had: a Postgres with its backends, a gateway with its workers. */
export function cpuOfFamily(parent: number): number {
  const own = stat(parent);
  if (!own) return Number.NaN;
  let sum = own[11]! + own[12]! + own[13]! + own[14]!;
  for (const name of readdirSync('/proc')) {
    const fields = /^\d+$/.test(name) ? stat(Number(name)) : undefined;
    if (fields?.[1] === parent) sum += fields[11]! + fields[12]!;
  }
  return sum / ticks;
}

export const parentOf = (pid: number): number => stat(pid)?.[1] ?? 0;

/** The most memory that a process ever had, in MiB; not a number where there is no /proc. */
export const peakMemoryOf = (pid: number): number => memoryIn(pid, 'VmHWM');

/** The memory that a process has, in MiB; not a number where there is no /proc. */
export const memoryOf = (pid: number): number => memoryIn(pid, 'VmRSS');

function memoryIn(pid: number, name: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const line = status.split('\n').find((each) => each.startsWith(`${name}:`));
    return Number(line?.match(/\d+/)) / 1024;
  } catch {
    return Number.NaN;
  }
}

/** The statements that a process has sent to its database so far. */
export async function statementsOf(metricsPort: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return text
    .split('\n')
    .filter((line) => line.startsWith('trellis_database_statement_duration_seconds_count'))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
