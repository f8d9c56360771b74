import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { failureHeaders } from '../http/failure-headers.ts';
import { sendText } from '../http/send.ts';
import { type ErrorCode, errorStatus } from '../kernel/error-codes.ts';
import { type ApiError, InvalidInputError, type Issue } from '../kernel/errors.ts';
import { answer, described } from './view.ts';

const titles: Record<ErrorCode, string> = {
  INVALID_INPUT: 'Invalid input',
  UNAUTHENTICATED: 'Not authenticated',
  FORBIDDEN: 'Forbidden',
  NOT_FOUND: 'Not found',
  METHOD_NOT_ALLOWED: 'Method not allowed',
  NOT_ACCEPTABLE: 'Not acceptable',
  CONFLICT: 'Conflict',
  QUOTA_EXCEEDED: 'Quota exceeded',
  LIMIT_EXCEEDED: 'Limit exceeded',
  PAYLOAD_TOO_LARGE: 'Payload too large',
  UNSUPPORTED_MEDIA_TYPE: 'Unsupported media type',
  RATE_LIMITED: 'Too many requests',
  UNAVAILABLE: 'Temporarily unavailable',
  STORE_REFUSED: 'Rejected by the app store',
  STORE_UNAVAILABLE: 'App store unavailable',
  REGISTRY_REFUSED: 'Rejected by the registry',
  REGISTRY_UNAVAILABLE: 'Registry unavailable',
  REGION_UNAVAILABLE: 'Region unavailable',
  INTERNAL: 'Internal error',
};

export const problemType = 'application/problem+json';

/** The schema of an error response. @see https://www.rfc-editor.org/rfc/rfc9457 */
export const problemSchema = answer(
  'Problem',
  'An error, as RFC 9457 problem details.',
  z.object({
    type: described(z.string(), 'The type of the problem. Always `about:blank`.', 'about:blank'),
    title: described(z.string(), 'A short human-readable summary of the error code.', 'Invalid input'),
    status: described(z.int(), 'The HTTP status code of the response.', 400),
    detail: described(
      z.string(),
      'A human-readable message: what is wrong and, where possible, how to fix it.',
      'page: Must be a whole number from 1',
    ),
    code: described(
      z.enum(Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]]),
      'The error code, for programs. The codes are the same as in the GraphQL API.',
      'INVALID_INPUT',
    ),
    requestId: described(z.string(), 'The id of the request, for finding it in the server log.', 'a1b2c3'),
    issues: described(
      z
        .array(
          z.object({
            path: described(
              z.array(z.union([z.string(), z.int()])),
              'The name of a parameter, or the path of a field of the body. Empty for the body itself.',
              ['page'],
            ),
            message: described(z.string(), 'What is wrong with the value.', 'Must be a whole number from 1'),
          }),
        )
        .optional(),
      'All problems of the input. Only present with `INVALID_INPUT`.',
    ),
  }),
);

export function problem(
  code: ErrorCode,
  detail: string,
  requestId: string,
  issues?: Issue[],
  status: number = errorStatus[code],
): z.output<typeof problemSchema> {
  return {
    type: 'about:blank',
    title: titles[code],
    status,
    detail,
    code,
    requestId,
    ...(issues && { issues }),
  };
}

export const problemOf = (error: ApiError, requestId: string) =>
  problem(
    error.code,
    error.message,
    requestId,
    error instanceof InvalidInputError ? error.issues : undefined,
    error.status,
  );

export function sendProblem(res: ServerResponse, error: ApiError): void {
  const text = JSON.stringify(problemOf(error, String(res.getHeader('x-request-id'))));
  const headers = { 'Content-Type': problemType, 'Cache-Control': 'no-store', ...failureHeaders(error) };
  sendText(res, error.status, headers, text);
}
