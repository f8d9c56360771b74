import { describe, expect, it } from 'vitest';
import { createSeal } from '../../src/kernel/seal.ts';
import { closeLarge, openLarge } from '../../src/kernel/seal-large.ts';

const [seal, other] = [createSeal(Buffer.alloc(32, 1)), createSeal(Buffer.alloc(32, 2))];
const json = JSON.stringify(Array.from({ length: 5_000 }, (_, index) => ({ index, name: 'Größe' })));

describe('a large sealed text', () => {
  it('is compressed, and read as it was', async () => {
    const sealed = await closeLarge(seal, json);
    expect(sealed.length).toBeLessThan(json.length / 5);
    expect(await openLarge(seal, sealed)).toBe(json);
    await expect(openLarge(other, sealed)).rejects.toThrow();
  });

  it('is read with another key after a rotation', async () => {
    const rotated = other.close(seal.open(await closeLarge(seal, json)));
    expect(await openLarge(other, rotated)).toBe(json);
  });

  it('is read if it was stored without compression', async () => {
    expect(await openLarge(seal, seal.close(json))).toBe(json);
  });
});
