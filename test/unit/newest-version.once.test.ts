import { expect, it } from 'vitest';
import { compareVersions, newestFirst, nextVersion } from '../../src/console/store/newest.ts';
import { compareVersions as asTheServer } from '../../src/kernel/version.ts';
import { randomOf } from '../support/random.ts';

it('orders versions as the server does', () => {
  const random = randomOf(5);
  const part = () => random.pick(['0', '1', '2', '9', '10', '01', 'a', 'rc1', 'final']);
  const dotted = () => Array.from({ length: 1 + random.below(3) }, part).join('.');
  const version = () =>
    `${random.chance(0.3) ? 'v' : ''}${dotted()}${random.chance(0.4) ? `-${dotted()}` : ''}${random.chance(0.2) ? '+build' : ''}`;
  for (let round = 0; round < 2_000; round++) {
    const [one, other] = [version(), version()];
    expect(Math.sign(compareVersions(one, other)), `${one} ${other}`).toBe(
      Math.sign(asTheServer(one, other)),
    );
  }
});

it('lists the newest version first, and proposes the next', () => {
  const versions = ['1.9.0', '1.10.0', '1.10.0-rc.1', '1.2.0'].map((version) => ({ version }));
  expect(newestFirst(versions).map(({ version }) => version)).toEqual([
    '1.10.0',
    '1.10.0-rc.1',
    '1.9.0',
    '1.2.0',
  ]);
  expect(['1.2.3', 'v0.9', '1.0-rc.1'].map(nextVersion)).toEqual(['1.2.4', 'v0.10', '1.0-rc.2']);
});
