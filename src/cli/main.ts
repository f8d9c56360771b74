import { homedir } from 'node:os';
import type { Context } from './context.ts';
import { Failure } from './failure.ts';
import { run } from './program.ts';
import { failureText } from './show.ts';

const { env, stdout, stderr } = process;
const context: Context = {
  env,
  stdout,
  stderr,
  // Not every user has a home, and not every command needs one.
  get home() {
    return homedir();
  },
  get stdin() {
    return process.stdin;
  },
};

// A reader that has enough, such as `head`, is no error.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    if (stream === stdout) {
      const failure = new Failure(`The output cannot be written: ${error.message}`);
      stderr.write(`${failureText(context, failure)}\n`);
    }
    process.exit(1);
  });
}

process.exitCode = await run(process.argv.slice(2), context);
