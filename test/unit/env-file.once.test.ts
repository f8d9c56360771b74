import { describe, expect, it } from 'vitest';
import { entriesIn, isSecretName } from '../../src/console/application/component/variables/env-entries.ts';
import { envValue } from '../../src/formats/env-file.ts';
import { randomOf } from '../support/random.ts';

const valuesOf = (text: string) => {
  const { entries, errors } = entriesIn(text);
  expect(errors).toEqual([]);
  return Object.fromEntries(entries.map(({ name, value }) => [name, value]));
};

describe('.env text', () => {
  it('has comments, blank lines, quotes and `export`', () => {
    const text = `# a comment
export LOG_LEVEL=info   # why
  SPACES = around it

EMPTY=
HASH=a#b
ONLY_COMMENT= # nothing
SINGLE='as it is \\n $HOME # too'
DOUBLE="a\\tb \\"c\\" \\$d \\x" # comment
exports=1
EQUALS=a=b==`;
    expect(valuesOf(text)).toEqual({
      LOG_LEVEL: 'info',
      SPACES: 'around it',
      EMPTY: '',
      HASH: 'a#b',
      ONLY_COMMENT: '',
      SINGLE: 'as it is \\n $HOME # too',
      DOUBLE: 'a\tb "c" $d \\x',
      exports: '1',
      EQUALS: 'a=b==',
    });
  });

  it('has values of several lines in quotes, also from Windows', () => {
    const text = '\uFEFFKEY="one\ntwo"\r\nOTHER=\'three\r\nfour\'\r\nLAST=x\r\n';
    expect(valuesOf(text)).toEqual({ KEY: 'one\ntwo', OTHER: 'three\nfour', LAST: 'x' });
  });

  it('says in which line a mistake is, and reads the rest', () => {
    const { entries, errors } = entriesIn(`A=1
nonsense
B="two
lines" more
A=2

C='open
D=4`);
    expect(entries.map(({ name, line }) => [name, line])).toEqual([
      ['A', 1],
      ['D', 8],
    ]);
    expect(errors).toEqual([
      { line: 2, message: 'Expected NAME=value.' },
      { line: 4, message: 'Only a comment can follow the closing quote.' },
      { line: 5, message: 'A is set twice, first in line 1.' },
      { line: 7, message: 'The quote is not closed.' },
    ]);
  });

  it('says where a value is, so that it can be replaced', () => {
    const text = "A = 'x' # secret\nB=plain  # not";
    const [a, b] = entriesIn(text).entries;
    expect([text.slice(a!.from, a!.to), text.slice(b!.from, b!.to)]).toEqual(["'x'", 'plain']);
  });

  it('is read as it was written', () => {
    const random = randomOf(27);
    const letters = ['a', ' ', '#', "'", '"', '\\', '$', '\n', '\r', '\t', '=', 'n', 'é', '`'];
    for (let round = 0; round < 500; round++) {
      const value = Array.from({ length: random.below(12) }, () => random.pick(letters)).join('');
      const { entries, errors } = entriesIn(`A=${envValue(value)}\nB=${envValue('x')}\n`);
      expect(errors, JSON.stringify(value)).toEqual([]);
      expect(
        entries.map((each) => each.value),
        envValue(value),
      ).toEqual([value, 'x']);
    }
  });

  it('proposes secrets by their names', () => {
    const names = ['DB_PASSWORD', 'api_token', 'PRIVATE_KEY_PEM', 'HOST', 'PASS'];
    expect(names.filter(isSecretName)).toEqual(['DB_PASSWORD', 'api_token', 'PRIVATE_KEY_PEM']);
  });
});
