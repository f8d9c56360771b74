import { expect } from 'vitest';
import type { Answer } from './send.ts';

/** What both surfaces say when the database fails. */
export const databaseUnavailable = 'The database cannot handle the request at the moment. Try again later.';

/** Expects a REST response to be the problem document of a database that is unavailable. */
export function expectUnavailableProblem({ status, headers, body }: Answer): void {
  expect(status).toBe(503);
  expect(headers['content-type']).toBe('application/problem+json');
  expect(headers['retry-after']).toBe('1');
  expect(body).toEqual({
    type: 'about:blank',
    title: 'Temporarily unavailable',
    status: 503,
    detail: databaseUnavailable,
    code: 'UNAVAILABLE',
    requestId: headers['x-request-id'],
  });
}
