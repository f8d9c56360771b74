import { describe, expect, it } from 'vitest';
import { type Fields, RowParser } from '../../src/db/postgres/row-parser.ts';

function message(code: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(code);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

function row(fields: Fields): Buffer {
  const count = Buffer.alloc(2);
  count.writeInt16BE(fields.length);
  const values = fields.map((field) => {
    const bytes = Buffer.from(field ?? '');
    const length = Buffer.alloc(4);
    length.writeInt32BE(field === null ? -1 : bytes.length);
    return Buffer.concat([length, bytes]);
  });
  return message('D', Buffer.concat([count, ...values]));
}

const rows: Fields[] = [
  [],
  [''],
  [null],
  ['1', 'web', 't', null, ''],
  ['ä', 'plain', '日本', '😀', null],
  ['x'.repeat(127), 'x'.repeat(128), 'x'.repeat(300), 'é'.repeat(200)],
  ['x'.repeat(100_000), 'after'],
];

/** What a parser tells of the messages that arrive in pieces of this size. */
function parsed(messages: Buffer[], size: number): (Fields | string)[] {
  const found: (Fields | string)[] = [];
  const parser = new RowParser(
    (fields) => found.push(fields),
    (others) => found.push(others.toString('latin1')),
  );
  const all = Buffer.concat(messages);
  for (let at = 0; at < all.length; at += size) parser.read(all.subarray(at, at + size));
  return found;
}

describe('the parser of rows', () => {
  it('finds the values of each row, however it arrives', () => {
    for (const size of [1, 2, 3, 5, 7, 64, 1_000, 65_536, 1_000_000]) {
      expect(parsed(rows.map(row), size), `pieces of ${size} bytes`).toEqual(rows);
    }
  });

  it('waits for the end of a message, whatever its length says', () => {
    const foreign = Buffer.from([0x44, 0xff, 0xff, 0xff, 0xf0, 0, 1, 2, 3]);
    expect(parsed([foreign], 4)).toEqual([]);
  });

  it('passes other messages on whole and in order', () => {
    const [bind, complete, ready] = ['2', 'C', 'Z'].map((code) =>
      message(code, Buffer.from(`body of ${code}`)),
    );
    const given = [bind!, row(['1']), row(['2']), complete!, ready!, bind!, row(['3']), complete!];
    for (const size of [1, 4, 6, 11, 50, 1_000]) {
      const found = parsed(given, size);
      expect(found.filter((each) => Array.isArray(each))).toEqual([['1'], ['2'], ['3']]);
      const others = [bind, complete, ready, bind, complete].map((each) => each!.toString('latin1'));
      expect(found.filter((each) => typeof each === 'string').join('')).toBe(others.join(''));
      const places = found.flatMap((each, index) => (Array.isArray(each) ? [index] : []));
      expect(places[0]).toBe(1);
      expect(found.at(-1)).toContain('body of C');
    }
  });
});
