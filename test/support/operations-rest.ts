import { schema } from '../../src/api.ts';
import { createEventExport } from '../../src/domain/event/export/rest.ts';
import { operationsDocument } from '../../src/operations/openapi/document.ts';
import { type Operation, operationsPath } from '../../src/operations/operation.ts';
import { validatorOf } from './openapi.ts';
import { type Answer, type Sent, send } from './send.ts';
import type { Trellis } from './trellis.ts';

/** The OpenAPI document of all operations, loosely typed: tests walk it. */
export const operationsOpenapi = JSON.parse(
  JSON.stringify(operationsDocument(schema, [createEventExport({} as never)])),
) as any;

/** What a value breaks of the schema at a place of the document of all operations. */
export const operationViolations = validatorOf(operationsOpenapi);

/** The address of a read: objects and lists are JSON. */
export const addressOf = ({ path }: Pick<Operation, 'path'>, given: object): string => {
  const parameters = Object.entries(given).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const query = String(new URLSearchParams(parameters));
  return `${operationsPath}/${path}${query && `?${query}`}`;
};

/** Calls an operation with its arguments over REST. The answer is one that the document tells of. */
export async function callRest(
  trellis: Pick<Trellis, 'url' | 'adminToken'> & Partial<Pick<Trellis, 'agent'>>,
  operation: Operation,
  given: object,
  sent: Sent = {},
): Promise<Answer> {
  const { isChange, path } = operation;
  const request = isChange
    ? { path: `${operationsPath}/${path}`, body: JSON.stringify(given) }
    : { path: addressOf(operation, given) };
  const answer = await send(trellis, { agent: trellis.agent, ...request, ...sent });
  const problems = undocumented(operation, answer);
  if (problems.length > 0)
    throw new Error(`${path} → ${answer.status} ${answer.text.slice(0, 2_000)}: ${problems.join('; ')}`);
  return answer;
}

/** What is wrong with an answer, as the document tells of it. */
export function undocumented({ isChange, path }: Operation, { status, headers, body }: Answer): string[] {
  const at = ['paths', `/${path}`, isChange ? 'post' : 'get', 'responses', String(status)];
  const type = status === 200 ? 'application/json' : 'application/problem+json';
  if (headers['content-type']?.replace(/; charset=utf-8$/, '') !== type) return ['The media type is wrong'];
  if (!headers['x-request-id']) return ['There is no request id'];
  const steps = status === 200 ? at : ['components', 'responses', `Failure${status}`];
  return operationViolations([...steps, 'content', type, 'schema'], body);
}
