import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NamedClaims } from '../../src/domain/component/names/claim-model.ts';
import { NamesInUse, withoutGateways } from '../../src/domain/component/names/model.ts';
import {
  claimNameOf,
  isOtherService,
  jobNameOf,
  jobPodPattern,
  podPattern,
  possibleOwnersOf,
  startsOf,
} from '../../src/drivers/region/object-names.ts';

/** Short names that often meet, and long ones that are cut. */
const label = (maxLength: number) =>
  fc
    .tuple(
      fc.constantFrom('', 'b'.repeat(40), 'web'.repeat(15)),
      fc.string({ unit: fc.constantFrom('b', 'c', '2', '-', 'a'), minLength: 1, maxLength: 18 }),
    )
    .map(([start, end]) => `w${start}${end}`.slice(0, maxLength).replace(/-+$/, ''));
const component = fc.record({ clusterName: label(63), extendMethod: fc.constantFrom('stateless', 'state') });
const volume = fc.record({ name: label(50) });

const claimOf = (
  of: { clusterName: string; extendMethod: string },
  name: { name: string },
  ordinal: number,
) => claimNameOf(of, name).replace('#', String(ordinal));

type Claiming = { clusterName: string; extendMethod: string };

/** Whether claims of the volumes of two components can have the same name. */
function claimsMeet(one: Claiming, first: { name: string }, other: Claiming, second: { name: string }) {
  const claims = new NamedClaims();
  claims.add({ id: 'other', ...other }, second);
  return claims.meeting({ id: 'one', ...one }, first).length > 0;
}

/** Whether a component is among those that are looked at for a volume of another one. */
function isFound(other: Claiming, one: Claiming, name: { name: string }) {
  const starts = new Set(startsOf(other));
  return [...possibleOwnersOf(one, name, (part) => starts.has(part))].includes(other.clusterName);
}

describe('the names of claims', () => {
  it.each([
    ['stateless', 'web', 'db-data', 'stateless', 'web-db', 'data', true],
    ['stateless', 'web', 'data', 'stateless', 'web', 'data', true],
    ['stateless', 'web', 'data', 'stateless', 'api', 'data', false],
    ['state', 'b-c', 'a', 'state', 'c', 'a-b', true],
    ['state', 'web', 'data', 'stateless', 'data', 'web-0', true],
    ['state', 'web', 'data', 'stateless', 'data', 'web-x', false],
    ['state', 'web', 'data', 'stateless', 'web', 'data', false],
  ])('%s %s %s and %s %s %s', (oneMethod, one, first, otherMethod, other, second, meet) => {
    const [left, right] = [
      { clusterName: one, extendMethod: oneMethod },
      { clusterName: other, extendMethod: otherMethod },
    ];
    expect(claimsMeet(left, { name: first }, right, { name: second })).toBe(meet);
    expect(claimsMeet(right, { name: second }, left, { name: first })).toBe(meet);
    if (meet) expect(isFound(right, left, { name: first })).toBe(true);
  });

  it('that are the same are found by the parts that they can have', () => {
    fc.assert(
      fc.property(component, volume, component, volume, fc.nat(12), (one, first, other, second, ordinal) => {
        const isSame = claimOf(one, first, ordinal) === claimOf(other, second, ordinal);
        const isMet = claimsMeet(one, first, other, second);
        if (isSame) expect(isMet).toBe(true);
        if (isMet) expect(isFound(other, one, first)).toBe(true);
      }),
      { numRuns: 5_000 },
    );
    // Parts that are moved make the same name.
    fc.assert(
      fc.property(label(30), label(20), label(20), (a, b, c) => {
        fc.pre(![a, b, c].some((each) => each.includes('--')));
        const [one, other] = [`${a}-${b}`, a].map((clusterName) => ({
          clusterName,
          extendMethod: 'stateless',
        }));
        expect(claimsMeet(one!, { name: c }, other!, { name: `${b}-${c}` })).toBe(true);
        expect(isFound(other!, one!, { name: c })).toBe(true);
        expect(isFound(one!, other!, { name: `${b}-${c}` })).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

/** Whether pods of two components can have names of the same form, compared with each other. */
function meet(one: string, other: string): boolean {
  const [first, second] = [one, other].sort((a, b) => a.length - b.length) as [string, string];
  if (first === second) return true;
  if (second.length <= 46) return false;
  const base = second.slice(0, 58);
  const start = first.length > 46 ? first.slice(0, 58) : `${first}-`;
  const generated = '[bcdfghjklmnpqrstvwxz2456789]*';
  const rest = new RegExp(`^-?${generated}-?${generated}-?$`);
  return base.startsWith(start) && rest.test(base.slice(start.length));
}

describe('the names of pods', () => {
  const hash = fc.string({ unit: fc.constantFrom('b', 'c', '2', '9'), minLength: 1, maxLength: 10 });
  const suffix = fc.string({ unit: fc.constantFrom('b', 'c', '2', '9'), minLength: 5, maxLength: 5 });
  /** Whether two components cannot both have their names. */
  const areRefused = (one: string, other: string) => {
    const names = new NamesInUse<null>(withoutGateways);
    names.addComponent(one, null);
    return names.clusterNameTaken(other) !== undefined;
  };
  const matches = (pattern: string, name: string) => new RegExp(`^(?:${pattern})$`).test(name);

  it('are matched by the pattern of their component alone, unless the two are refused', () => {
    fc.assert(
      fc.property(label(63), label(63), hash, suffix, fc.nat(9_999), (one, other, rs, end, ordinal) => {
        const pods = [`${`${other}-${rs}-`.slice(0, 58)}${end}`, `${other}-${ordinal}`];
        for (const pod of pods) {
          expect(matches(podPattern({ clusterName: other }), pod)).toBe(true);
          if (matches(podPattern({ clusterName: one }), pod)) {
            expect(areRefused(one, other)).toBe(true);
          }
        }
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    ['web', 'web-api', false],
    ['web', 'web-bcdfg', false],
    ['w'.repeat(46), `${'w'.repeat(46)}-bcdfghjklm`, true],
    [`${'w'.repeat(58)}a`, `${'w'.repeat(58)}b`, true],
    ['w'.repeat(50), `${'w'.repeat(50)}-worker`, false],
  ])('%s and %s', (one, other, meet) => {
    expect([areRefused(one, other), areRefused(other, one)]).toEqual([meet, meet]);
  });

  it('are compared in both directions, whatever the lengths', () => {
    const part = fc.string({ unit: fc.constantFrom('b', 'c', '-'), maxLength: 8 });
    const named = fc
      .tuple(fc.integer({ min: 40, max: 58 }), part)
      .map(([length, end]) => `${'w'.repeat(length - 1)}${end}`.slice(0, 62).concat('b'));
    fc.assert(
      fc.property(named, named, (one, other) => {
        expect(areRefused(one, other)).toBe(meet(one, other));
        expect(areRefused(other, one)).toBe(meet(one, other));
      }),
      { numRuns: 2_000 },
    );
  });

  it('of runs are those of one run', () => {
    const id = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(label(63), label(63), id, id, suffix, (one, other, first, second, end) => {
        fc.pre(first.slice(0, 12) !== second.slice(0, 12));
        const name = jobNameOf({ clusterName: other }, { id: second });
        const pod = `${`${name}-`.slice(0, 58)}${end}`;
        expect(matches(jobPodPattern(name), pod)).toBe(true);
        const another = jobNameOf({ clusterName: one }, { id: first });
        expect(another).not.toBe(name);
        expect(matches(jobPodPattern(another), pod)).toBe(false);
        expect(matches(podPattern({ clusterName: one }), pod)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a Service', () => {
  it.each([
    ['web-backend', true],
    ['web-headless', true],
    ['web-tcp-30001', true],
    ['web-tcp-http', false],
    ['web', false],
    ['my-web-backend', false],
  ])('%s of the component web', (name, isOther) => {
    expect(isOtherService({ clusterName: 'web' }, name)).toBe(isOther);
  });
});
