import type { Seal } from './seal.ts';

/** The names of the only key of an object that stands for what JSON has no type for. No object of ours has them. */
const date = '\u0000date';
const sealed = '\u0000sealed';

/**
 * Encrypts a value that consists of rows, lists and plain objects. Encrypted columns in it are decrypted first, so that a
 * rotation of the key, which encrypts the whole anew, does not leave them with the old key.
 */
export function storedValue(seal: Seal, value: unknown): string {
  const text = JSON.stringify(value, function (this: Record<string, unknown>, key, each) {
    const original = this[key];
    if (original instanceof Date) return { [date]: each };
    if (key.startsWith('sealed') && typeof each === 'string') return { [sealed]: seal.open(each) };
    return each;
  });
  return seal.close(text ?? 'null');
}

export function readStoredValue(seal: Seal, text: string): unknown {
  return JSON.parse(seal.open(text), (_, each) => {
    if (typeof each !== 'object' || each === null) return each;
    if (date in each) return new Date(each[date]);
    return sealed in each ? seal.close(each[sealed]) : each;
  });
}
