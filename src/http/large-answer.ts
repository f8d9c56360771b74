import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { RequestBudget } from '../kernel/budget.ts';
import { responses, responseTurns } from '../kernel/event-loop.ts';
import { jsonPieces } from '../kernel/json-pieces.ts';

/**
 * The values of a response, its text in characters, and the memory of its request, up to which it is serialized at once: it takes a few
 * milliseconds. What JSON values contain counts as memory alone.
 */
const few = { values: 20_000, text: 512 * 1024, bytes: 8 * 2 ** 20 };

/** The JSON of a large response, which is written in turns with other responses. Undefined for one that is not large. */
export function jsonInTurns(value: unknown, budget: RequestBudget | undefined): Promise<string> | undefined {
  if (!budget) return undefined;
  const { values, text, bytes } = budget.used;
  return values > few.values || text > few.text || bytes > few.bytes ? write(value, budget) : undefined;
}

async function write(value: unknown, budget: RequestBudget): Promise<string> {
  const pieces: string[] = [];
  for (const piece of jsonPieces(value)) {
    pieces.push(piece);
    if (responses.isOver()) await responseTurns.next(budget.caller, true);
    if (budget.failure) throw budget.failure;
  }
  return pieces.join('');
}

/** Whether a text is so long that it is sent in turns: its bytes are counted and written, which takes a few milliseconds. */
export const isSentInTurns = (text: string): boolean => text.length > few.text;

/** The length of a part of a text, in characters. */
const partLength = 128 * 1024;

/** The parts of a text, none of which ends between the two halves of a character. */
function* partsOf(text: string): Generator<string, void> {
  for (let start = 0; start < text.length; ) {
    let end = start + partLength;
    if ((text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++;
    yield text.slice(start, end);
    start = end;
  }
}

/** Sends a long text as `sendText` does, in turns with other responses. Throws before it is sent if it has too many bytes. */
export async function sendInTurns(
  res: ServerResponse,
  { status, headers, text }: { status: number; headers: OutgoingHttpHeaders; text: string },
  budget: RequestBudget | undefined,
): Promise<void> {
  const yields = async () => {
    if (responses.isOver()) await responseTurns.next(budget?.caller, true);
  };
  let length = 0;
  for (const part of partsOf(text)) {
    length += Buffer.byteLength(part);
    await yields();
  }
  budget?.requireText(length);
  if (res.destroyed) return;
  res.writeHead(status, { ...headers, 'Content-Length': length });
  for (const part of partsOf(text)) {
    res.write(part);
    await yields();
    if (res.destroyed) return;
  }
  res.end();
}
