import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { vi } from 'vitest';
import { built } from './built.ts';
import { succeed } from './fixtures.ts';
import type { Trellis } from './trellis.ts';

export const cliFile = () => join(built(), 'cli/trellis.mjs');

export interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

interface CliOptions {
  env?: Record<string, string>;
  input?: string;
  cwd?: string;
}

/** Runs a program to its end. */
export function run(
  command: string,
  args: string[],
  { env = {}, input, cwd }: CliOptions = {},
): Promise<Ended> {
  const { PATH, HOME } = process.env;
  const child = spawn(command, args, {
    cwd,
    env: { PATH, HOME, TRELLIS_POLL_MS: '20', ...env } as NodeJS.ProcessEnv,
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdin.end(input ?? '');
  return new Promise((resolve) => {
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });
}

/** A token that only the command line has, and what its requests have used that is deprecated. `trellis` has to count that. */
export async function watchedToken(trellis: Trellis): Promise<{ token: string; deprecated(): string[] }> {
  const count = vi.spyOn(trellis.services.deprecatedUses!, 'count');
  const input = { name: 'command line' };
  const made = await succeed(trellis, 'createAccessToken', input, 'secret accessToken { uid }');
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

/** Runs the command line for a gateway. */
export const cliFor =
  (trellis: Pick<Trellis, 'url' | 'adminToken'>, fixed: Record<string, string> = {}) =>
  (args: string[], options: CliOptions = {}): Promise<Ended> =>
    run(process.execPath, [cliFile(), ...args], {
      ...options,
      env: { ...gatewayOf(trellis), ...fixed, ...options.env },
    });
