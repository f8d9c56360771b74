import { setTimeout as sleep } from 'node:timers/promises';
import { ask, change } from '../api.ts';
import { type Connection, connection } from '../connection.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { pollMs } from '../follow.ts';
import { componentNamed } from '../named.ts';
import { type CommonOptions, count } from '../options.ts';
import { note, plain, print, printJson } from '../show.ts';
import { type Logs, NewLines } from './logs.ts';

const selection = 'uid status exitCode reason';

interface Run {
  uid: string;
  status: string;
  exitCode: number | null;
  reason: string | null;
}

const runQuery = `query ($by: RunRef!) { run(by: $by) { ${selection} } }`;
const logsQuery = `query ($by: RunRef!, $since: DateTime) {
  run(by: $by) { logs(since: $since, tail: 1000) { isTruncated lines { instance text at } } }
}`;

export interface RunOptions extends CommonOptions {
  timeout?: string;
}

/** Runs a command in an instance of its own. Returns its exit code. */
export async function runCommand(
  context: Context,
  path: string,
  command: string[],
  options: RunOptions,
): Promise<number> {
  const timeoutSeconds = count('--timeout', options.timeout);
  const at = await connection(context);
  const { uid } = await componentNamed(context, at, path, options);
  const input = { component: { componentId: uid }, command, timeoutSeconds };
  let { run } = await change<{ run: Run }>(at, 'runComponent', input, `run { ${selection} }`);
  if (options.wait !== false) run = await followRun(context, at, run.uid, options);
  if (options.json) printJson(context, { run });
  else if (options.wait === false) print(context, `Started run ${run.uid}.`);
  if (run.exitCode === null && !isActive(run)) {
    const reason = run.reason === null ? '' : `: ${run.reason}`;
    throw new Failure(`The run ended without an exit code${reason}`, { code: run.status });
  }
  return run.exitCode ?? 0;
}

const isActive = ({ status }: Run) => ['PENDING', 'RUNNING', 'CANCELLING'].includes(status);

/** Prints the lines of a run until it has ended. */
async function followRun(
  context: Context,
  at: Connection,
  runId: string,
  { json }: RunOptions,
): Promise<Run> {
  const by = { runId };
  const newLines = new NewLines();
  const read = async () => {
    const { lines } = await newLines.read(async (since) => {
      const { run } = await ask<{ run: { logs: Logs } }>(at, logsQuery, { by, since });
      return run.logs;
    });
    for (const { text } of lines) (json ? note : print)(context, plain(text));
  };
  let unreadable: string | undefined;
  for (;;) {
    const { run } = await ask<{ run: Run }>(at, runQuery, { by });
    unreadable = undefined;
    // The run goes on where its log cannot be read, or not yet.
    if (run.status !== 'PENDING') {
      await read().catch((error: Error) => {
        unreadable = error.message;
      });
    }
    if (!isActive(run)) {
      if (unreadable !== undefined) note(context, `The log of the run could not be read: ${unreadable}`);
      return run;
    }
    await sleep(pollMs(context));
  }
}
