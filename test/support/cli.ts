import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { vi } from 'vitest';
import { schema } from '../../src/api.ts';
import { run as runCommand } from '../../src/cli/program.ts';
import { built } from './built.ts';
import { deprecate } from './deprecations.ts';
import type { Trellis } from './trellis.ts';

/** The command line as it is built, for tests of its process. */
export const cliFile = () => join(built(), 'cli/trellis.mjs');

export interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

interface CliOptions {
  env?: Record<string, string>;
  input?: string | Buffer;
}

const environmentWith = (env: Record<string, string>): Record<string, string> => ({
  PATH: process.env.PATH!,
  HOME: process.env.HOME!,
  TRELLIS_POLL_MS: '20',
  ...env,
});

/** Starts a program. */
export function start(
  command: string,
  args: string[],
  { env = {}, cwd }: CliOptions & { cwd?: string } = {},
) {
  const child = spawn(command, args, { cwd, env: environmentWith(env) });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (output.stderr += text));
  const ended = new Promise<Ended & { signal: NodeJS.Signals | null }>((resolve) => {
    child.on('close', (status, signal) => resolve({ status, signal, ...output }));
  });
  return { child, output, ended };
}

/** Runs a program to its end. */
export async function run(
  command: string,
  args: string[],
  options: CliOptions & { cwd?: string } = {},
): Promise<Ended> {
  const { child, ended } = start(command, args, options);
  child.stdin.end(options.input ?? '');
  const { status, stdout, stderr } = await ended;
  return { status, stdout, stderr };
}

/** Runs the command line in this process. */
export async function runCli(args: string[], { env = {}, input = '' }: CliOptions = {}): Promise<Ended> {
  const output = { stdout: '', stderr: '' };
  const writerTo = (name: keyof typeof output) =>
    new Writable({
      decodeStrings: false,
      write(text: string, _, done) {
        output[name] += text;
        done();
      },
    });
  const environment = environmentWith(env);
  const status = await runCommand(args, {
    env: environment,
    home: environment.HOME!,
    stdin: Readable.from([Buffer.from(input)]),
    stdout: writerTo('stdout'),
    stderr: writerTo('stderr'),
  });
  return { status, ...output };
}

/**
 * A token that only the command line has, and what its requests have used that is deprecated. `trellis` has to count that.
 * `Team.isActive` is deprecated, to show that something would be counted.
 */
export async function watchedToken(trellis: Trellis): Promise<{ token: string; deprecated(): string[] }> {
  deprecate(schema, 'Team.isActive');
  const count = vi.spyOn(trellis.services.deprecatedUses!, 'count');
  const input = { name: 'command line' };
  const made = await trellis.succeed('createAccessToken', input, 'secret accessToken { uid }');
  return {
    token: made.secret,
    deprecated: () =>
      count.mock.calls.flatMap(([tokenId, fields]) => (tokenId === made.accessToken.uid ? fields : [])),
  };
}

/** The environment that names a gateway, for the administrator or another caller. */
export const gatewayOf = ({ url, adminToken }: Pick<Trellis, 'url' | 'adminToken'>, token = adminToken) => ({
  TRELLIS_URL: url,
  TRELLIS_TOKEN: token,
});

/** Runs the command line for a gateway, in this process. */
export const cliFor =
  (trellis: Pick<Trellis, 'url' | 'adminToken'>, fixed: Record<string, string> = {}) =>
  (args: string[], options: CliOptions = {}): Promise<Ended> =>
    runCli(args, { ...options, env: { ...gatewayOf(trellis), ...fixed, ...options.env } });
