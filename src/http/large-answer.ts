import { createHash, hash } from 'node:crypto';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { RequestBudget } from '../kernel/budget.ts';
import { responses, responseTurns } from '../kernel/event-loop.ts';
import { jsonPieces } from '../kernel/json-pieces.ts';
import { sendText } from './send.ts';

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
const isLong = (text: string): boolean => text.length > few.text;

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

/** Uses the parts of a long text, in turns with other responses, until `use` returns false. */
async function eachPart(
  text: string,
  budget: RequestBudget | undefined,
  use: (part: string) => unknown,
): Promise<void> {
  for (const part of partsOf(text)) {
    if (use(part) === false) return;
    if (responses.isOver()) await responseTurns.next(budget?.caller, true);
  }
}

/** The SHA-1 of a text in hexadecimal, which is made in turns with other responses if the text is long. */
export function sha1InTurns(text: string, budget: RequestBudget | undefined): string | Promise<string> {
  if (!isLong(text)) return hash('sha1', text);
  const whole = createHash('sha1');
  return eachPart(text, budget, (part) => whole.update(part)).then(() => whole.digest('hex'));
}

/** Throws if the text of a response has too many bytes. Those of a long one are counted in turns with other responses. */
export function requireTextInTurns(text: string, budget: RequestBudget | undefined): void | Promise<void> {
  if (!isLong(text)) return budget?.requireText(Buffer.byteLength(text));
  let length = 0;
  const counted = eachPart(text, budget, (part) => {
    length += Buffer.byteLength(part);
  });
  return counted.then(() => budget?.requireText(length));
}

interface Answer {
  status: number;
  headers: OutgoingHttpHeaders;
  text: string;
}

/** Sends the text of a response, a long one in turns with other responses. Throws before it is sent if it has too many bytes. */
export function sendAnswer(
  res: ServerResponse,
  answer: Answer,
  budget: RequestBudget | undefined,
): void | Promise<void> {
  const { status, headers, text } = answer;
  if (isLong(text)) return sendInTurns(res, answer, budget);
  budget?.requireText(Buffer.byteLength(text));
  sendText(res, status, headers, text);
}

async function sendInTurns(
  res: ServerResponse,
  { status, headers, text }: Answer,
  budget: RequestBudget | undefined,
): Promise<void> {
  let length = 0;
  await eachPart(text, budget, (part) => {
    length += Buffer.byteLength(part);
    return !res.destroyed;
  });
  if (res.destroyed) return;
  budget?.requireText(length);
  res.writeHead(status, { ...headers, 'Content-Length': length });
  await eachPart(text, budget, (part) => {
    if (!res.destroyed) res.write(part);
    return !res.destroyed;
  });
  if (!res.destroyed) res.end();
}
