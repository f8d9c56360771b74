import type { ServerResponse } from 'node:http';
import type { StoredAnswer } from '../idempotency/held-keys.ts';
import type { IdempotentRequest } from '../idempotency/request.ts';

/** The header of answers to requests whose change was made by an earlier request. */
const replayedHeader = 'Idempotent-Replayed';

/** The answer to send: that of an earlier request with the same key, or this one, which is stored before it is sent. */
export async function answerOnce(
  res: ServerResponse,
  idempotency: IdempotentRequest,
  made: StoredAnswer,
): Promise<StoredAnswer> {
  if (!idempotency.stored) await idempotency.finish(made);
  if (idempotency.isRepeated) res.setHeader(replayedHeader, 'true');
  return idempotency.stored ?? made;
}
