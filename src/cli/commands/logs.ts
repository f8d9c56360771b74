import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../api.ts';
import { type Connection, connection } from '../connection.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { pollMs } from '../follow.ts';
import { componentNamed } from '../named.ts';
import { type CommonOptions, count } from '../options.ts';
import { jsonOf, note, plain, print, style } from '../show.ts';

export interface LogLine {
  instance: string;
  text: string;
  at: string | null;
}

export interface Logs {
  isTruncated: boolean;
  lines: LogLine[];
}

/** Reads logs again and again, and returns the lines that are new. `ask` gets the time after which there may be some. */
export class NewLines {
  #since: string | undefined;
  /** The lines of the last moment, which the next answer repeats. */
  #seen = new Set<string>();

  async read(logsSince: (since: string | undefined) => Promise<Logs>): Promise<Logs> {
    const { lines, isTruncated } = await logsSince(this.#since);
    return { lines: lines.filter((line) => this.#isNew(line)), isTruncated };
  }

  #isNew({ instance, text, at }: LogLine): boolean {
    const key = `${instance} ${at} ${text}`;
    if (this.#seen.has(key)) return false;
    if (at && at !== this.#since) [this.#since, this.#seen] = [at, new Set()];
    this.#seen.add(key);
    return true;
  }
}

const logsQuery = `query L($by: ComponentRef!, $tail: Int, $since: DateTime, $search: String, $source: LogSource) {
  component(by: $by) {
    logs(tail: $tail, since: $since, search: $search, source: $source) { isTruncated lines { instance text at } }
  }
}`;

interface LogsOptions extends CommonOptions {
  follow?: boolean;
  tail?: string;
  search?: string;
}

/** Prints what the instances of a component have written and, with `--follow`, what they write. */
export async function logs(context: Context, path: string, options: LogsOptions): Promise<void> {
  const at = await connection(context);
  const { uid } = await componentNamed(context, at, path, options);
  const newLines = new NewLines();
  for (;;) {
    const { lines, isTruncated } = await newLines.read((since) => logsOf(at, uid, options, since));
    for (const line of lines) {
      const text = `${style(context, 'dim', plain(line.instance))} ${plain(line.text)}`;
      print(context, options.json ? jsonOf(line) : text);
    }
    if (!options.follow) {
      if (isTruncated) note(context, 'Older lines were left out.');
      return;
    }
    await sleep(pollMs(context));
  }
}

async function logsOf(at: Connection, componentId: string, options: LogsOptions, since: string | undefined) {
  const { component } = await ask<{ component: { logs: Logs | null } }>(at, logsQuery, {
    by: { componentId },
    search: options.search,
    // A log store has lines later than the instances, which the next answer would leave out.
    source: options.follow ? 'INSTANCES' : undefined,
    tail: since ? undefined : count('--tail', options.tail),
    since,
  });
  if (!component.logs) throw new Failure('No logs are available in this region.');
  return component.logs;
}
