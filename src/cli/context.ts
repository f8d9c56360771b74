import type { Readable, Writable } from 'node:stream';

export type Output = Writable & { isTTY?: boolean; columns?: number };

/** The parts of its process that a command uses. Several commands can run in one process, each with its own context. */
export interface Context {
  env: Readonly<Record<string, string | undefined>>;
  /** The folder of the user's settings, if XDG_CONFIG_HOME does not name another. */
  home: string;
  stdin: Readable & { isTTY?: boolean };
  stdout: Output;
  stderr: Output;
}

/** The environment from which files can name variables. Without the token of the command line, which would be in what is written. */
export const environmentForFiles = ({ env }: Context): Context['env'] => ({
  ...env,
  TRELLIS_TOKEN: undefined,
});

/** Whether somebody can be asked. */
export const isTerminal = ({ stdin, stdout }: Context) => Boolean(stdin.isTTY && stdout.isTTY);

/** Where a question is asked, and its answer read. */
export const dialog = ({ stdin, stdout }: Context) => ({ input: stdin, output: stdout });
