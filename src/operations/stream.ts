import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from '../context.ts';
import { preferencesOf } from '../http/accept.ts';
import { NotAcceptableError, UnavailableError } from '../kernel/errors.ts';
import type { JsonSchema } from './json-schema.ts';

/** An operation below `/api/v1` whose response is a stream of JSON lines, and which is no GraphQL document. */
export interface StreamOperation {
  path: string;
  title: string;
  description: string;
  inputSchema: JsonSchema;
  /** The schema of a line, and an example. */
  line: { schema: object; example: string };
  /** Checks the rights and the arguments. The lines are read as fast as the client reads them. */
  run(context: Context, given: Record<string, unknown>): Promise<AsyncIterable<string>>;
}

export const linesType = 'application/x-ndjson';

/** The most such responses of a process at once. Each takes the place of a request until it ends. */
const maxStreams = 4;
let streams = 0;

export function requireAcceptsLines({ headers }: IncomingMessage): void {
  const preference = preferencesOf(headers.accept);
  const isAccepted = [linesType, 'application/json'].some((type) => preference(type).weight > 0);
  if (!isAccepted) throw new NotAcceptableError(linesType);
}

/** Sends lines until there are no more, or the client closes the connection. */
export async function sendLines(
  res: ServerResponse,
  context: Context,
  { run }: StreamOperation,
  given: Record<string, unknown>,
  isHead: boolean,
): Promise<void> {
  const headers = { 'Content-Type': `${linesType}; charset=utf-8`, 'Cache-Control': 'no-store' };
  const lines = await run(context, given);
  if (isHead) return void res.writeHead(200, headers).end();
  if (streams >= maxStreams)
    throw new UnavailableError(`${maxStreams} exports are in progress. Try again later.`, {
      retryAfterSeconds: 10,
    });
  streams++;
  // It takes as long as the client reads, and only a page is in memory.
  context.budget?.end(true);
  const closed = new AbortController();
  res.once('close', () => closed.abort());
  try {
    res.writeHead(200, headers);
    for await (const text of lines) {
      if (res.destroyed) return;
      if (!res.write(text)) await once(res, 'drain', { signal: closed.signal });
    }
    res.end();
  } catch (error) {
    // The client sees that the end is missing.
    if (!closed.signal.aborted) {
      res.destroy();
      throw error;
    }
  } finally {
    streams--;
  }
}
