import type { Settings } from './commands.ts';

let runs = 0;

type Write = typeof process.stdout.write;

/**
 * A command to its end, in this process, with these settings and no others: as `run` of `commands.ts`, without the time that
 * a process takes to load. One runs at a time, since it has the arguments, the environment and the output of the process.
 */
export async function runHere(command: string, args: string[], settings: Settings) {
  const { argv, env, exitCode } = process;
  const { stdout, stderr } = process;
  const writes = [stdout.write, stderr.write] as const;
  const output = { stdout: '', stderr: '' };
  const writeTo = (name: keyof typeof output): Write =>
    ((text: string | Uint8Array) => {
      output[name] += typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
      return true;
    }) as Write;
  process.argv = [...argv.slice(0, 2), ...args];
  process.env = { PATH: env.PATH, HOME: env.HOME, ...settings };
  process.exitCode = undefined;
  stdout.write = writeTo('stdout');
  stderr.write = writeTo('stderr');
  try {
    // A module runs once: each run of a command is another module.
    const module = `../../src/commands/${command}.ts?run=${++runs}`;
    await import(/* @vite-ignore */ module);
    return { code: Number(process.exitCode ?? 0), ...output };
  } finally {
    [stdout.write, stderr.write] = writes;
    Object.assign(process, { argv, env, exitCode });
  }
}
