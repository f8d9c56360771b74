import { expect, it } from 'vitest';
import { linesIn } from '../../src/kernel/lines.ts';

async function linesOf(bytes: Buffer, size: number, maxBytes?: number): Promise<string[]> {
  async function* chunks() {
    for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
  }
  const lines: string[] = [];
  for await (const line of linesIn(chunks(), maxBytes)) lines.push(line.toString());
  return lines;
}

const text = '{"a":"ä\u2028\u2029\r"}\n\n€\n';

it.each([1, 2, 5, 100])('lines end at newlines alone, in chunks of %d bytes', async (size) => {
  expect(await linesOf(Buffer.from(text), size)).toEqual(['{"a":"ä\u2028\u2029\r"}', '', '€']);
  expect(await linesOf(Buffer.from(`${text}rest`), size)).toEqual([
    '{"a":"ä\u2028\u2029\r"}',
    '',
    '€',
    'rest',
  ]);
  expect(await linesOf(Buffer.from('12345\n67\n89012'), size, 3)).toEqual(['123', '67', '890']);
});
