import { afterEach, describe, expect, it, vi } from 'vitest';
import { converted } from '../../support/converted.ts';

afterEach(() => vi.restoreAllMocks());

/** Names that differ only in their case, which domain names do not have. */
const variants = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    [...'abcdefghij'].map((letter, bit) => ((index >> bit) & 1 ? letter.toUpperCase() : letter)).join(''),
  );

const convert = (names: readonly string[], rest = '') =>
  converted({
    'compose.yaml': `services:\n${names.map((name) => `  ${name}: { image: a }\n`).join('')}${rest}`,
  });

/** How often the conversion looks for something in a list or a set. */
function searchesFor(count: number): number {
  const spies = [vi.spyOn(Array.prototype, 'includes'), vi.spyOn(Set.prototype, 'has')];
  const names = variants(count);
  const { components } = convert(names);
  const searches = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
  vi.restoreAllMocks();
  expect(Object.keys(components)).toEqual(names);
  return searches;
}

describe('services with the same domain name', () => {
  it('get numbers, and none that another service has in its name', () => {
    const names = ['my_api', 'my-api-2', 'My_Api', 'my.api'];
    const urls = names.map((name, index) => `U${index}: "http://${name}:80"`);
    const { components } = convert(names, `  web: { image: w, environment: { ${urls.join(', ')} } }\n`);
    expect(names.map((name) => components[name]!.serviceName)).toEqual([
      'my-api',
      'my-api-2',
      'my-api-3',
      'my-api-4',
    ]);
    expect(components.web!.variables).toEqual({
      U0: 'http://my-api:80',
      U1: 'http://my-api-2:80',
      U2: 'http://my-api-3:80',
      U3: 'http://my-api-4:80',
    });
  });

  it('take work that grows with their number, not with its square', () => {
    expect(searchesFor(256)).toBeLessThan(searchesFor(64) * 6);
  });
});
