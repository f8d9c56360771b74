import { afterEach, describe, expect, it, vi } from 'vitest';
import { canonicalJson } from '../../src/kernel/canonical-json.ts';
import { type Random, randomOf } from '../support/random.ts';

afterEach(() => vi.restoreAllMocks());

/** A value, and an equal one whose fields have another order. */
function equals(random: Random, depth: number): [unknown, unknown] {
  if (depth === 0 || random.chance(0.2)) {
    const leaf = random.pick([null, true, 1.5, -0, 'text', '"\\\n\u2028\ud800', '', {}, []]);
    return [leaf, leaf];
  }
  const items = Array.from({ length: random.below(6) }, () => equals(random, depth - 1));
  if (random.chance(0.5)) return [items.map(([one]) => one), items.map(([, other]) => other)];
  const names = items.map((_, index) => random.pick(['a', '"', '__proto__', 'long name', '']) + index);
  const fields = names.map((name, index) => [name, ...items[index]!] as const);
  return [
    Object.fromEntries(fields.map(([name, one]) => [name, one])),
    Object.fromEntries(fields.reverse().map(([name, , other]) => [name, other])),
  ];
}

describe('canonicalJson', () => {
  it('writes the same for equal values, and what they are', () => {
    const random = randomOf(1);
    for (let round = 0; round < 300; round++) {
      const [one, other] = equals(random, 5);
      expect(canonicalJson(other)).toBe(canonicalJson(one));
      expect(JSON.parse(canonicalJson(one))).toEqual(JSON.parse(JSON.stringify(one)));
    }
  });

  it('sorts fields at every depth, and omits those without a value', () => {
    expect(canonicalJson({ b: [{ d: 1, c: undefined }, 2], a: { f: '', e: null } })).toBe(
      '{"a":{"e":null,"f":""},"b":[{"d":1},2]}',
    );
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"d":[{}],"c":2}}'))).toBe(
      '{"__proto__":{"c":2,"d":[{}]},"b":1}',
    );
  });

  it('writes values that nest deeply', () => {
    const text = `${'[{"a":'.repeat(20_000)}1${'}]'.repeat(20_000)}`;
    expect(canonicalJson(JSON.parse(text)).length).toBe(text.length);
  });

  it('calls nothing for each value of a long list', () => {
    const stringify = vi.spyOn(JSON, 'stringify');
    canonicalJson({ lists: Array.from({ length: 10 }, () => Array(10_000).fill(1)) });
    expect(stringify.mock.calls.length).toBeLessThan(20);
    expect(stringify.mock.calls.filter((call) => call.length > 1)).toEqual([]);
  });
});
