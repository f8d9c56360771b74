import { randomUUID } from 'node:crypto';
import type { Credentials } from './connection.ts';
import { Failure, type Issue } from './failure.ts';

interface Answer {
  data?: object;
  errors?: { message: string; extensions?: { code?: string; requestId?: string; issues?: Issue[] } }[];
}

/** Sends a query. Throws a Failure if the gateway refuses it or cannot be reached. */
export const ask = <T>(connection: Credentials, query: string, variables: object = {}): Promise<T> =>
  send<T>(connection, { query, variables }, {});

export interface Page<T> {
  nodes: T[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

export async function allNodes<T>(pageAfter: (after: string | null) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = [];
  for (let after: string | null = null; ; ) {
    const { nodes, pageInfo }: Page<T> = await pageAfter(after);
    all.push(...nodes);
    if (!pageInfo.hasNextPage) return all;
    after = pageInfo.endCursor;
  }
}

/** Makes a change. Its key lets the gateway answer the repeated request as the first one. Returns the payload. */
export async function change<T>(
  connection: Credentials,
  mutation: string,
  input: object,
  selection: string,
): Promise<T> {
  const title = `${mutation[0]!.toUpperCase()}${mutation.slice(1)}`;
  const query = `mutation M($input: ${title}Input!) {
  ${mutation}(input: $input) {
    __typename
    ... on ${title}Payload { ${selection} }
    ... on Error { code message }
    ... on InvalidInputError { issues { path message line column } }
  }
}`;
  const request = { query, variables: { input } };
  const headers = { 'Idempotency-Key': randomUUID() };
  const sent = await send<Record<string, Refused>>(connection, request, headers);
  const result = sent[mutation]!;
  if (result.__typename === `${title}Payload`) return result as T;
  throw new Failure(result.message, { ...result, requestId: sent.requestId });
}

interface Refused {
  __typename: string;
  code: string;
  message: string;
  issues?: Issue[];
}

/** The gateway cannot be reached, or the connection broke before the whole answer arrived. */
class Unreachable extends Failure {}

/** Sends a request to GraphQL. */
async function send<T>(
  { url, token }: Credentials,
  body: object,
  headers: Record<string, string>,
): Promise<T & { requestId: string | null }> {
  const init = {
    method: 'POST',
    headers: {
      ...headers,
      'Content-Type': 'application/json',
      Accept: 'application/graphql-response+json, application/json',
      Authorization: `Bearer ${token}`,
    },
    body: JSON.stringify(body),
  };
  const reached = await reach(`${url}/graphql`, init);
  const requestId = reached.headers.get('x-request-id');
  const answer = parsed<Answer>(reached.text);
  const [error] = answer?.errors ?? [];
  if (error) {
    const { code, issues } = error.extensions ?? {};
    throw new Failure(error.message, { code, issues, requestId: error.extensions?.requestId ?? requestId });
  }
  if (!answer?.data)
    throw new Failure(`${url} responded with the status ${reached.status}. Is it a gateway?`, { requestId });
  return { ...(answer.data as T), requestId };
}

/** Sends a request, and repeats it once if the connection breaks. */
export const reach = (url: string, init: RequestInit) =>
  receive(url, init).catch((error) => {
    if (!(error instanceof Unreachable)) throw error;
    return receive(url, init);
  });

async function receive(url: string, init: RequestInit) {
  try {
    const response = await fetch(url, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    const cause = (error as { cause?: { message?: string; code?: string } }).cause;
    throw new Unreachable(
      `${new URL(url).origin} cannot be reached: ${cause?.message || cause?.code || (error as Error).message}`,
    );
  }
}

/** The JSON of an answer. Undefined if it is none. */
export function parsed<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}
