import { expect, it, vi } from 'vitest';
import { warnOnce } from '../../src/kernel/log.ts';

it('logs an error once that many fields have', () => {
  const warn = vi.fn();
  const error = new Error('away');
  for (let field = 0; field < 3; field++) warnOnce({ warn }, { field, error }, 'region driver failed');
  warnOnce({ warn }, { error: new Error('away') }, 'region driver failed');
  expect(warn).toHaveBeenCalledTimes(2);
});
