import { expect, it } from 'vitest';
import { parseYaml } from '../../src/domain/manifest/yaml-reads.ts';

const callerOf = (userId: number) =>
  ({ actor: { userId }, budget: undefined, signal: undefined }) as unknown as Parameters<typeof parseYaml>[1];
const large = (text: string) =>
  Array.from({ length: 20_000 }, (_, index) => `a${index}: &b${index} ${text}\n`).join('');

it('a small document does not wait for a large one of another user', async () => {
  // Both threads have started.
  await Promise.all([parseYaml('a: 1', callerOf(1)), parseYaml(large('x'), callerOf(2))]);
  const first = await Promise.race([
    parseYaml(large('y'), callerOf(2)).then(() => 'large'),
    parseYaml('a: 2', callerOf(1)).then(() => 'small'),
  ]);
  expect(first).toBe('small');
});
