import { describe, expect, it } from 'vitest';
import { jsonPieces } from '../../src/kernel/json-pieces.ts';
import { randomOf } from '../support/random.ts';

const written = (value: unknown) => [...jsonPieces(value)].join('');

describe('jsonPieces', () => {
  it('writes what JSON.stringify writes', () => {
    const random = randomOf(1);
    const leaf = () =>
      random.pick([
        null,
        true,
        1.5,
        -0,
        'text',
        '"\\\n\u2028\ud800',
        undefined,
        '',
        new Date(0),
        Number.NaN,
        {},
        [],
      ]);
    const value = (depth: number): unknown => {
      if (depth === 0) return leaf();
      const items = Array.from({ length: random.below(12) }, () => value(depth - 1));
      if (random.below(2) === 0) return items;
      return Object.fromEntries(
        items.map((item, index) => [random.pick(['a', '"', 'long name']) + index, item]),
      );
    };
    let large = 0;
    for (let round = 0; round < 200; round++) {
      const each = [value(5), { data: value(5), more: value(4) }];
      expect(written(each)).toBe(JSON.stringify(each));
      if ([...jsonPieces(each)].length > 1) large++;
    }
    expect(large).toBeGreaterThan(10);
  });

  it('writes large values in short pieces, wherever they are large', () => {
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`a${index}`, { id: 'x' }]));
    const long = Array.from({ length: 20_000 }, (_, index) => ({ index, name: 'name' }));
    const texts = Array.from({ length: 2_000 }, () => 'x'.repeat(1_000));
    for (const each of [wide, long, texts, [[[{ wide }]]], { data: { team: { long } } }]) {
      const pieces = [...jsonPieces(each)];
      expect(pieces.join('')).toBe(JSON.stringify(each));
      for (const piece of pieces) expect(piece.length).toBeLessThan(200_000);
    }
  });
});
