import { randomUUID } from 'node:crypto';
import type { ExecutionResult } from 'graphql';
import type { Context, Services } from '../../../context.ts';
import { scopedTo } from '../../../db/scoped.ts';
import type { Parameters } from '../../../graphql/server/parameters.ts';
import type { Actor } from '../../../kernel/access.ts';
import { createLoaders } from '../../../kernel/batch.ts';
import { RequestBudget } from '../../../kernel/budget.ts';
import { UnavailableError } from '../../../kernel/errors.ts';
import type { Limits } from '../../../kernel/limits.ts';
import { SharedMemory } from '../../../kernel/memory.ts';
import { documentLimits } from './model.ts';

export interface DocumentOptions {
  limits: Limits;
  /** Executes a document as requests are executed. */
  execute(params: Parameters, context: Context): Promise<ExecutionResult>;
  /** A service account with the rights that it has now. Undefined if it was deleted. */
  actorOf(serviceAccountId: string): Promise<Actor | undefined>;
}

/** The limits of the documents of webhooks: those of requests, where these are not lower. */
export const limitsOfDocuments = (limits: Limits): Limits => ({
  ...limits,
  requestTimeoutMs: Math.min(limits.requestTimeoutMs, documentLimits.requestTimeoutMs),
  textBytes: Math.min(limits.textBytes, documentLimits.textBytes),
  values: Math.min(limits.values, documentLimits.values),
  answersBytes: Math.min(limits.answersBytes, documentLimits.answersBytes),
});

export type ExecuteDocument = NonNullable<Services['executeDocument']>;

/** Executes the documents of webhooks with the rights of their service accounts, which change nothing. */
export function createDocumentExecution(
  services: Services,
  { limits, execute, actorOf }: DocumentOptions,
): ExecuteDocument {
  const memory = new SharedMemory(limits.answersBytes);
  return async ({ document, variables, serviceAccountId, signal }) => {
    const actor = await actorOf(serviceAccountId);
    if (!actor) return refusedDocument(withoutAccount);
    const budget = new RequestBudget(limits, memory);
    const stop = () => budget.stop(new UnavailableError('The server is stopping.'));
    signal?.addEventListener('abort', stop, { once: true });
    const context: Context = {
      ...services,
      db: scopedTo(services.db, budget),
      actor,
      requestId: randomUUID(),
      loaders: createLoaders(),
      budget,
      signal: budget.signal,
      facts: {},
    };
    try {
      const result = await execute({ query: document, variables }, context);
      const text = result.data ? JSON.stringify(result.data) : '';
      if (Buffer.byteLength(text) <= limits.textBytes) return result;
      return refusedDocument(`The result has more than ${limits.textBytes} bytes.`, 'LIMIT_EXCEEDED');
    } finally {
      signal?.removeEventListener('abort', stop);
      budget.end(true);
    }
  };
}

/** The error of a document whose service account was deleted. */
export const withoutAccount = 'The webhook has no service account with rights for the document. Set one.';

/** The result of a document that is not executed, or whose result is not sent. */
export const refusedDocument = (message: string, code = 'FORBIDDEN') =>
  ({ data: null, errors: [{ message, extensions: { code } }] }) as unknown as ExecutionResult;
