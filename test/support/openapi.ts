import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import { routes } from '../../src/api.ts';
import { openapiOf } from '../../src/rest/openapi/document.ts';
import { restPath } from '../../src/rest/route.ts';
import { type Answer, type Sent, send } from './send.ts';
import type { Trellis } from './trellis.ts';

/** The OpenAPI document, loosely typed: tests walk it. */
export const document = JSON.parse(JSON.stringify(openapiOf(routes))) as any;

const pointer = (steps: (string | number)[]) =>
  steps
    .map((step) => `/${encodeURIComponent(String(step).replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('');

/** A function that says what a value breaks of the schema at a place of an OpenAPI document. */
export function validatorOf(openapi: object) {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'openapi', ...openapi });
  return (steps: (string | number)[], value: unknown): string[] => {
    const validate = ajv.getSchema(`openapi#${pointer(steps)}`);
    if (!validate) throw new Error(`The document has no schema at ${steps.join(' ')}`);
    if (validate(value)) return [];
    return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  };
}

/** What a value breaks of the schema at a place of the document of the contract. */
export const violations = validatorOf(document);

const paths = Object.keys(document.paths).map((template) => ({
  template,
  pattern: new RegExp(`^${restPath}${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** The path of the document that an address is of. */
function pathOf(address: string): string | undefined {
  const [path] = address.split(/[?#]/);
  return paths.find(({ pattern }) => pattern.test(path!))?.template;
}

/** Fails unless the document tells of such an answer: its status, its media type and its body. */
export function expectDocumented(method: string, address: string, answer: Answer): void {
  const where = `${method} ${address} → ${answer.status} ${answer.text}`;
  expect(answer.headers['x-request-id'], where).toMatch(/^[\w.:-]{1,128}$/);
  const path = pathOf(address);
  const isHead = method === 'HEAD';
  const operation = path && document.paths[path][isHead ? 'get' : method.toLowerCase()];
  const type = answer.headers['content-type']?.replace(/; charset=utf-8$/, '');
  if (method === 'OPTIONS' && path) {
    expect([answer.status, answer.text], where).toEqual([204, '']);
    return;
  }
  let content = document.components.responses.Failure404.content;
  let steps: string[] = ['components', 'responses', 'Failure404'];
  if (!operation) {
    expect(answer.status, where).toBe(path ? 405 : 404);
  } else {
    let documented = operation.responses[answer.status];
    expect(documented, where).toBeDefined();
    steps = ['paths', path, isHead ? 'get' : method.toLowerCase(), 'responses', String(answer.status)];
    if (documented.$ref) {
      steps = documented.$ref.slice(2).split('/');
      documented = steps.reduce((value, step) => value[step], document);
    }
    content = documented.content;
  }
  if (!content) {
    expect([type, answer.text], where).toEqual([undefined, '']);
    return;
  }
  expect(Object.keys(content), where).toContain(type);
  if (isHead) {
    expect(answer.text).toBe('');
    return;
  }
  expect(violations([...steps, 'content', type!, 'schema'], answer.body), where).toEqual([]);
  if (answer.status >= 400) {
    expect(answer.body.status, where).toBe(answer.status);
    expect(answer.body.requestId, where).toBe(answer.headers['x-request-id']);
    expect(answer.body.issues !== undefined, where).toBe(answer.body.code === 'INVALID_INPUT');
  }
}

/** A request to REST: `'get /teams?page=2'`; a body that is no text is sent as JSON. Every answer is checked. */
export async function rest(
  trellis: Pick<Trellis, 'url' | 'adminToken'> & Partial<Pick<Trellis, 'agent'>>,
  at: string,
  { body, ...sent }: Omit<Sent, 'body' | 'method' | 'path'> & { body?: unknown } = {},
): Promise<Answer> {
  const [method, below] = [at.split(' ', 1)[0]!.toUpperCase(), at.slice(at.indexOf(' ') + 1)];
  const path = `${restPath}${below}`;
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body) || body === undefined;
  const answer = await send(trellis, {
    agent: trellis.agent,
    ...sent,
    method,
    path,
    ...(body !== undefined && { body: isRaw ? (body as string) : JSON.stringify(body) }),
  });
  expectDocumented(method, path, answer);
  return answer;
}
