import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { useTrellis } from '../support/trellis.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const trellis = useTrellis();

/** MiB that are in use. */
async function inUse(): Promise<number> {
  // Waits on time: connections and timers of finished requests are released a moment later.
  await sleep(100);
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

/** MiB that remain of the documents of these numbers, of which no two are the same. */
async function remainingOf([from, to]: [number, number], documentOf: (nth: number) => string) {
  const ask = async (nth: number) => {
    const { data, errors } = await trellis.graphql(documentOf(nth));
    expect(errors).toBeUndefined();
    expect(data).toHaveProperty(`field${nth}`);
  };
  for (let nth = from; nth < from + 5; nth++) await ask(nth);
  const before = await inUse();
  for (let nth = from + 5; nth < to; nth++) await ask(nth);
  return (await inUse()) - before;
}

describe('the memory used by cached documents', () => {
  it('is zero for documents that are too large', async () => {
    const text = '#'.repeat(900_000);
    // Together 90 MB.
    const remaining = await remainingOf([0, 100], (nth) => `{ field${nth}: __typename }\n${text}${nth}`);
    expect(remaining).toBeLessThan(10);
  });

  it('is limited by their length', async () => {
    const text = '#'.repeat(90_000);
    // Together 72 MB.
    const remaining = await remainingOf([0, 800], (nth) => `{ field${nth}: __typename }\n${text}${nth}`);
    expect(remaining).toBeLessThan(10);
  });

  it('is limited by their number', async () => {
    // Enough that a thousand of them stand out, and no more: most of the time goes into validating them.
    const fields = Array.from({ length: 25 }, (_, each) => `a${each}: isAdministrator`).join(' ');
    const documentOf = (nth: number) => `{ field${nth}: __typename viewer { ${fields} } }`;
    const first = await remainingOf([0, 1_050], documentOf);
    const next = await remainingOf([1_050, 2_500], documentOf);
    expect(next).toBeLessThan(first / 4);
  });
});
