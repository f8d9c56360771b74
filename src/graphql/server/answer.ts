import type { ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';
import { type FetchAPI, processRegularResult } from 'graphql-yoga';
import type { Context } from '../../context.ts';
import { answerOnce } from '../../http/idempotency.ts';
import { requireTextInTurns, sendAnswer } from '../../http/large-answer.ts';
import type { StoredAnswer } from '../../idempotency/held-keys.ts';
import type { IdempotentRequest } from '../../idempotency/request.ts';
import type { RequestBudget } from '../../kernel/budget.ts';
import { withBytes } from './explained.ts';

/** Headers that `send` sets itself. */
const lengths = new Set(['content-length', 'transfer-encoding']);

/** Receives Yoga's response, instead of a fetch Response. */
class Answer {
  readonly body: string;
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(body: string, { status, headers }: { status: number; headers: Record<string, string> }) {
    this.body = body;
    this.status = status;
    this.headers = headers;
  }
}
/** Yoga asks for all of fetch, but only creates the Response. */
const answers = { Response: Answer } as unknown as FetchAPI;

export const answerOf = (result: ExecutionResult, mediaType: string) =>
  processRegularResult(result, answers, mediaType) as unknown as Answer;

export function sendResult(
  res: ServerResponse,
  mediaType: string,
  result: ExecutionResult,
  context: Context,
): void | Promise<void> {
  const { body, status, headers } = answerOf(result, mediaType);
  return send(res, status, headers, body, context);
}

/** Sends Yoga's fetch Response. */
export async function sendResponse(res: ServerResponse, response: Response, context: Context): Promise<void> {
  const headers = [...response.headers].filter(([name]) => !lengths.has(name.toLowerCase()));
  return send(res, response.status, Object.fromEntries(headers), await response.text(), context);
}

/** Sends the response, with an Idempotency-Key after it was stored. */
function send(
  res: ServerResponse,
  status: number,
  headers: Record<string, string>,
  serialized: string,
  context: Context,
): void | Promise<void> {
  const { budget, idempotency } = context;
  const text = withBytes(serialized, context);
  if (!idempotency?.hasBegun) return sendAnswer(res, { status, headers, text }, budget);
  return sendOnce(res, { status, mediaType: mediaTypeIn(headers), body: text }, idempotency, budget);
}

async function sendOnce(
  res: ServerResponse,
  made: StoredAnswer,
  idempotency: IdempotentRequest,
  budget: RequestBudget | undefined,
): Promise<void> {
  const counted = requireTextInTurns(made.body, budget);
  if (counted) await counted;
  const { status, mediaType, body } = await answerOnce(res, idempotency, made);
  const answer = { status, headers: { 'Content-Type': mediaType }, text: body };
  // A stored response was within the limit when it was made.
  await sendAnswer(res, answer, idempotency.stored ? undefined : budget);
}

const mediaTypeIn = (headers: Record<string, string>) =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
