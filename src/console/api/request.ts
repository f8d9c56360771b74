import { stringifyDocument, type TypedDocumentNode } from 'urql';
import type { Failure } from '../form/failure.ts';
import { strings } from '../strings.ts';
import { authorization, rejected } from './session.ts';

interface Answer<Data> {
  data?: Data | null;
  errors?: readonly {
    message: string;
    extensions?: { code?: string; issues?: Failure['issues'] };
  }[];
}

export type Requested<Data> = { data: Data; failure?: undefined } | { data?: undefined; failure: Failure };

/**
 * Sends a query past the cache, which would keep the answer to every text that was typed until the user signs out.
 * Rejects only if the signal is aborted.
 */
export async function request<Data, Variables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  signal: AbortSignal,
): Promise<Requested<Data>> {
  let answer: Answer<Data>;
  try {
    const response = await fetch('/graphql', {
      method: 'POST',
      headers: {
        Accept: 'application/json',
        ...authorization(),
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ query: stringifyDocument(document), variables }),
      signal,
    });
    answer = await response.json();
  } catch {
    signal.throwIfAborted();
    return { failure: { code: 'NETWORK', message: strings.errors.network, issues: [] } };
  }
  const isRead = Object.values(answer.data ?? {}).some((value) => value !== null);
  if (answer.data && (isRead || !answer.errors)) return { data: answer.data };
  const [error] = answer.errors ?? [];
  const { code = 'INTERNAL', issues = [] } = error?.extensions ?? {};
  if (code === 'UNAUTHENTICATED') void rejected();
  return { failure: { code, message: error?.message ?? strings.errors.unexpected, issues } };
}
