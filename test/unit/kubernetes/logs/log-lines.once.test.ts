import { expect, it } from 'vitest';
import { linesOf } from '../../../../src/drivers/region/kubernetes/logs/lines.ts';

async function linesIn(...chunks: (string | Buffer)[]) {
  async function* read() {
    for (const chunk of chunks) yield Buffer.from(chunk as string);
  }
  const found = [];
  for await (const line of linesOf(read())) found.push(line);
  return found;
}

const at = '2026-11-22T10:00:00.120000000Z';

it('finds lines whatever pieces they come in, also without an end', async () => {
  const written = [...Buffer.from('2026-11-22T10:00:00.12Z eins ä\n2026-11-22T10:00:00.12Z zwei')];
  const bytes = written.map((byte) => Buffer.from([byte]));
  const lines = [
    { at, text: 'eins ä' },
    { at, text: 'zwei' },
  ];
  expect(await linesIn(...bytes)).toEqual(lines);
  expect(await linesIn(Buffer.from(written))).toEqual(lines);
  expect(await linesIn()).toEqual([]);
});

it.each([
  ['2026-11-22T12:00:00.120000000+02:00 x', at, 'x'],
  ['2026-11-22T10:00:00.120000000Z', at, ''],
  ['2026-11-22T10:00:00.120000000Z ', at, ''],
  ['2026-11-22T10:00:00.120000000Z  x', at, ' x'],
  ['2026-13-45T10:00:00Z x', null, '2026-13-45T10:00:00Z x'],
  ['unable to retrieve logs', null, 'unable to retrieve logs'],
  ['', null, ''],
])('reads the time of "%s"', async (line, time, text) => {
  expect(await linesIn(`${line}\n`)).toEqual([{ at: time, text }]);
});
