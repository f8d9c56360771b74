import { describe, expect, it } from 'vitest';
import { ApiError, InvalidInputError } from '../../src/kernel/errors.ts';

const long = 'x'.repeat(100_000);

describe('the message of an error', () => {
  it.each(['NOT_FOUND', 'CONFLICT', 'STORE_REFUSED', 'REGION_UNAVAILABLE'] as const)(
    'is cut after what names the problem, because callers choose names (%s)',
    (code) => {
      expect(new ApiError(code, `No ${long} found.`).message).toBe(`No ${'x'.repeat(3_997)}…`);
    },
  );

  it('tells every issue, each of which is cut', () => {
    const issues = ['a', 'b'].map((name) => ({ path: [name, long], message: `Invalid ${long}` }));
    const { message } = new InvalidInputError(issues);
    const path = `${'x'.repeat(200)}…`;
    const text = `Invalid ${'x'.repeat(992)}…`;
    expect(message).toBe(`a.${path}: ${text}; b.${path}: ${text}`);
  });
});
