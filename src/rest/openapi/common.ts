import { type ErrorCode, errorMeaning, errorStatus } from '../../kernel/error-codes.ts';
import { groupBy } from '../../kernel/group.ts';
import { problem, problemSchema, problemType } from '../problem.ts';
import { answerSchemas } from '../view.ts';
import { refOrSchema } from './schema.ts';

/** The parts that the OpenAPI documents of the contract and of all operations have in common. */

/** Error codes of every operation, of operations with path parameters, and of operations with a body. */
export const ofAll: ErrorCode[] = [
  'INVALID_INPUT',
  'UNAUTHENTICATED',
  'NOT_ACCEPTABLE',
  'RATE_LIMITED',
  'INTERNAL',
  'UNAVAILABLE',
];
export const ofPaths: ErrorCode[] = ['NOT_FOUND'];
export const ofBodies: ErrorCode[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

/** Error codes by their status. A status can have several codes. */
export const codesByStatus = (codes: Iterable<ErrorCode>): Map<number, ErrorCode[]> =>
  groupBy(codes, (code) => errorStatus[code] as number);

export const requestIdHeader = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };

export const failureName = (status: number) => `Failure${status}`;

export function failureAnswer(status: number, codes: ErrorCode[]) {
  const issues = [{ path: ['page'], message: 'Must be a whole number' }];
  const examples = codes.map((code) => {
    const detail = code === 'INVALID_INPUT' ? 'page: Must be a whole number' : errorMeaning[code];
    const value = problem(code, detail, 'a1b2c3', code === 'INVALID_INPUT' ? issues : undefined, status);
    return [code, { value }];
  });
  return {
    description: codes.map((code) => `${code}: ${errorMeaning[code]}`).join('\n\n'),
    headers: {
      ...requestIdHeader,
      ...(status === 401 && {
        'WWW-Authenticate': { description: '`Bearer`', schema: { type: 'string' } },
      }),
    },
    content: {
      [problemType]: {
        schema: refOrSchema(answerSchemas, problemSchema),
        examples: Object.fromEntries(examples),
      },
    },
  };
}

export const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An access token, `trl_…`.' },
  bare: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'An access token without a scheme.',
  },
};

export const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A new value for each change, such as a UUID: 1 to 255 visible ASCII characters. If the request is repeated with the same key within 24 hours, nothing is changed again, and the response is the first one. CONFLICT if the key was used for another request.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
};

export const commonHeaders = {
  IdempotentReplayed: {
    description: '`true` if an earlier request with the same `Idempotency-Key` made the change.',
    schema: { type: 'string' },
  },
  RequestId: {
    description:
      'The id of the request, for finding it in the server log. A valid `X-Request-Id` of the caller is kept.',
    schema: { type: 'string' },
  },
};
