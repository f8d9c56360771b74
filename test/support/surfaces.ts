import { randomUUID } from 'node:crypto';
import { type Answer, send } from './send.ts';
import type { Trellis } from './trellis.ts';

/** A REST request: `POST /teams/resource`, and what is sent. */
export interface RestCall {
  at: string;
  body?: unknown;
  token?: string | null;
}

/** A GraphQL request: a document, or the name of a mutation with its input. */
export type GraphqlCall = { token?: string | null } & (
  | { query: string; variables?: object }
  | { mutation: string; input: object; selection?: string }
);

/** Every request has an id of its own, by which its events are found. */
interface Sent {
  answer: Answer;
  requestId: string;
}

export async function sendRest(trellis: Trellis, { at, body, token }: RestCall): Promise<Sent> {
  const [method, path] = at.split(' ') as [string, string];
  const requestId = randomUUID();
  const answer = await send(trellis, {
    method,
    path: `/openapi/v1${path}`,
    token,
    headers: { 'X-Request-Id': requestId },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { answer, requestId };
}

export async function sendGraphql(trellis: Trellis, call: GraphqlCall): Promise<Sent> {
  const requestId = randomUUID();
  const answer = await send(trellis, {
    token: call.token,
    headers: { 'X-Request-Id': requestId },
    body: JSON.stringify(
      'mutation' in call ? mutationOf(call) : { query: call.query, variables: call.variables },
    ),
  });
  return { answer, requestId };
}

function mutationOf({ mutation, input, selection }: { mutation: string; input: object; selection?: string }) {
  const title = `${mutation[0]!.toUpperCase()}${mutation.slice(1)}`;
  const query = `mutation M($input: ${title}Input!) { result: ${mutation}(input: $input) { __typename
    ${selection ? `... on ${title}Payload { ${selection} }` : ''}
    ... on Error { code message } ... on InvalidInputError { issues { path message } } } }`;
  return { query, variables: { input } };
}

/** What REST answers; anything but the contract's 200 makes it throw. */
export async function byRest(trellis: Trellis, at: string, options: Omit<RestCall, 'at'> = {}): Promise<any> {
  const { answer } = await sendRest(trellis, { at, ...options });
  if (answer.status !== 200) throw new Error(`${at}: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** A refusal, whichever surface it came from. */
export interface Refusal {
  code: string;
  message: string;
  /** The fields that are wrong, in the words of the surface: `http.domain_name`. */
  fields: string[];
}

const fieldsOf = (issues: { path: (string | number)[] }[] = []) =>
  [...new Set(issues.map(({ path }) => path.join('.')))].sort();

const statusOf: Record<string, number[]> = {
  INVALID_INPUT: [400],
  UNAUTHENTICATED: [401],
  FORBIDDEN: [403],
  NOT_FOUND: [404],
  CONFLICT: [409],
  STORE_REFUSED: [502],
  STORE_UNAVAILABLE: [502, 504],
  REGISTRY_REFUSED: [502],
  REGISTRY_UNAVAILABLE: [502, 504],
};

/** How REST refuses, its status being that of the code; an answer that is none makes it throw. */
export async function refusedByRest(trellis: Trellis, call: RestCall): Promise<Refusal> {
  const { answer, requestId } = await sendRest(trellis, call);
  const { body } = answer;
  const isProblem =
    statusOf[body?.code]?.includes(answer.status) &&
    body.status === answer.status &&
    body.requestId === requestId;
  if (!isProblem) throw new Error(`${call.at} is no such refusal: ${answer.status} ${answer.text}`);
  return { code: body.code, message: body.detail, fields: fieldsOf(body.issues) };
}

/** How GraphQL refuses, by an error or by a typed one; an answer that is none makes it throw. */
export async function refusedByGraphql(trellis: Trellis, call: GraphqlCall): Promise<Refusal> {
  const { answer } = await sendGraphql(trellis, call);
  const [error] = answer.body?.errors ?? [];
  if (error) {
    const { code, issues } = error.extensions;
    const all = answer.body.errors.flatMap((each: any) => each.extensions.issues ?? []);
    return { code, message: error.message, fields: fieldsOf(issues && all) };
  }
  const result = answer.body?.data?.result;
  if (!result?.code) throw new Error(`This is no refusal: ${answer.status} ${answer.text}`);
  return { code: result.code, message: result.message, fields: fieldsOf(result.issues) };
}
