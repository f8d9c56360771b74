import { describe, expect, it } from 'vitest';
import { createSeal } from '../../src/kernel/seal.ts';
import { readStoredValue, storedValue } from '../../src/kernel/stored-value.ts';

const [before, after] = [1, 2].map((byte) => createSeal(Buffer.alloc(32, byte))) as [
  ReturnType<typeof createSeal>,
  ReturnType<typeof createSeal>,
];

describe('a stored value', () => {
  it('is read as it was, and is encrypted', () => {
    const value = { row: { id: 1, name: null, at: new Date(5) }, list: [true, { text: 'plain' }] };
    const stored = storedValue(before, value);
    expect(stored).not.toContain('plain');
    expect(readStoredValue(before, stored)).toEqual(value);
    expect(readStoredValue(before, storedValue(before, undefined))).toBeNull();
  });

  it('takes its encrypted columns along when it is encrypted with another key', () => {
    const stored = storedValue(before, { row: { sealedKey: before.close('secret'), sealedToken: null } });
    const rotated = after.close(before.open(stored));
    const { row } = readStoredValue(after, rotated) as { row: { sealedKey: string; sealedToken: null } };
    expect(after.open(row.sealedKey)).toBe('secret');
    expect(row.sealedToken).toBeNull();
  });
});
