import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { built } from './built.ts';
import { addProcess } from './failure-log.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const usual =
  /^(TEST_|VITEST|NODE_ENV$|(HOST|PORT|DATABASE_.*|BOOTSTRAP_TOKEN|SECRET_KEY|LOG_LEVEL|GRAPHIQL)$)/;
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !usual.test(name)));

export type Settings = Record<string, string>;

const running = new Set<ChildProcess>();

/** A command as a process of its own, with these settings. */
export function start(command: string, args: string[], settings: Settings) {
  const child = spawn(process.execPath, [join(built(), `commands/${command}.js`), ...args], {
    cwd: root,
    env: { ...environment, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const output = { stdout: '', stderr: '' };
  addProcess(child, [command, ...args].join(' '), () => output);
  child.stdout.setEncoding('utf8').on('data', (text) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (output.stderr += text));
  const ended = once(child, 'close').then(([code]) => {
    running.delete(child);
    return { code: code as number | null, ...output };
  });
  return { child, output, ended };
}

/** A command, to its end. */
export const run = (command: string, args: string[], settings: Settings) =>
  start(command, args, settings).ended;

/** Ends what a test left behind. */
export function endCommands(): void {
  for (const child of running) child.kill('SIGKILL');
}
