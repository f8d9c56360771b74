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

it('a document with many mistakes is not read to its end', async () => {
  // The values of the rest would be too many, which is not found out.
  const mistakes = 'a b\n:\n'.repeat(200) + 'a: b\n'.repeat(100_000);
  const answer = await parseYaml(mistakes, callerOf(1));
  expect(answer).toMatchObject({ problems: { length: 100, 0: { line: 2, column: 1 } } });
});

it('an alias stands for the last value with its anchor before it', async () => {
  const answer = await parseYaml('a: &x 1\nb: *x\nc: &x [2, &y 3]\nd: [*x, *y]\n', callerOf(1));
  expect(answer).toEqual({ json: '{"a":1,"b":1,"c":[2,3],"d":[[2,3],3]}' });
  const unknown = await parseYaml('a: *x\nb: &x 1\n', callerOf(1));
  expect(unknown).toEqual({ problems: [{ message: 'Unknown anchor x', line: 1, column: 4 }] });
});
