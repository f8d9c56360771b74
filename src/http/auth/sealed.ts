import type { z } from 'zod';
import type { Seal } from '../../kernel/seal.ts';

/** Values that clients hold for a short time, and can neither read nor change. */
export interface Sealed<T> {
  close(value: T): string;
  /** Undefined if it is not one of these values, or is too old. */
  open(text: string): T | undefined;
}

/** The purpose is part of each value, because other values are encrypted with the same key. */
export function createSealed<T>(
  seal: Seal,
  purpose: string,
  { schema, seconds }: { schema: z.ZodType<T>; seconds: number },
): Sealed<T> {
  return {
    close: (value) => seal.close(JSON.stringify({ purpose, until: Date.now() + seconds * 1000, value })),
    open(text) {
      try {
        const held = JSON.parse(seal.open(text));
        if (held.purpose !== purpose || !(held.until > Date.now())) return undefined;
        return schema.parse(held.value);
      } catch {
        // Forged, or encrypted with an earlier key.
        return undefined;
      }
    },
  };
}
