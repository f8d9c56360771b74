import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { failureHeaders } from '../http/failure-headers.ts';
import {
  type ApiError,
  type ErrorCode,
  errorStatus,
  InvalidInputError,
  type Issue,
} from '../kernel/errors.ts';
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
  STORE_REFUSED: 'The app store refused',
  STORE_UNAVAILABLE: 'The app store is not available',
  REGION_UNAVAILABLE: 'The region is not available',
  INTERNAL: 'Internal error',
};

export const problemType = 'application/problem+json';

/** What a failure answers. @see https://www.rfc-editor.org/rfc/rfc9457 */
export const problemSchema = answer(
  'Problem',
  'A failure, as RFC 9457 has it.',
  z.object({
    type: described(z.string(), 'A kind of problem with a page of its own; there is none.', 'about:blank'),
    title: described(z.string(), 'The kind of failure, for people.', 'Invalid input'),
    status: described(z.int(), 'The status of the answer.', 400),
    detail: described(z.string(), 'What is wrong, for people.', 'page: Must be a whole number from 1'),
    code: described(
      z.enum(Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]]),
      'The kind of failure, for programs; the codes are those of GraphQL.',
      'INVALID_INPUT',
    ),
    requestId: described(z.string(), 'The id that finds the request in the log.', 'a1b2c3'),
    issues: described(
      z
        .array(
          z.object({
            path: described(
              z.array(z.union([z.string(), z.int()])),
              'Where: the name of a parameter, or the way to a field of the body; empty for the body itself.',
              ['page'],
            ),
            message: described(z.string(), 'What is wrong there.', 'Must be a whole number from 1'),
          }),
        )
        .optional(),
      'Everything that is wrong with the input: with `INVALID_INPUT` alone.',
    ),
  }),
);

/** A problem document. */
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

/** The problem document of an error that callers are told of. */
export const problemOf = (error: ApiError, requestId: string) =>
  problem(
    error.code,
    error.message,
    requestId,
    error instanceof InvalidInputError ? error.issues : undefined,
    error.status,
  );

/** Answers with a problem document. */
export function sendProblem(res: ServerResponse, error: ApiError): void {
  const text = JSON.stringify(problemOf(error, String(res.getHeader('x-request-id'))));
  res.writeHead(error.status, {
    'Content-Type': problemType,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    ...failureHeaders(error),
  });
  res.end(text);
}
