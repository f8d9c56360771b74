import { describe, expect, it } from 'vitest';
import { Claims, changed, none, some, to } from '../../../src/convert/claims.ts';
import { composeClaims } from '../../../src/convert/compose/convert.ts';
import { composeRules } from '../../../src/convert/compose/rules.ts';
import { linesOf, needDecision, summaryOf } from '../../../src/convert/notes.ts';
import { readYaml } from '../../../src/convert/yaml.ts';
import { pathsOf } from '../../support/schema-paths.ts';
import schema from './compose-spec.json' with { type: 'json' };

const claims = new Claims({
  'items.*.size': to('`size`'),
  'items.*.color': changed('There are no colors.'),
  'items.*.shape': some(
    [{ grade: 'LOST', reason: 'Nothing is round.', when: (value) => value === 'round' }],
    'Everything is a square.',
  ),
  'items.*.comment': none('Nobody reads it.'),
  'items.*.parts[]': to('`parts`'),
  'items.*.parts[].name': to('`parts`'),
});

const told = (text: string) => {
  const notes: string[] = [];
  claims.walk(readYaml(text, 'text')[0]!, ({ keys }, grade, reason) =>
    notes.push(`${grade} ${keys.join('.')}: ${reason}`),
  );
  return notes;
};

describe('claims', () => {
  it('tell what is told, and nothing that is converted or without meaning', () => {
    expect(
      told('items: { a: { size: 1, color: red, shape: round, comment: x }, b: { shape: square, color: } }'),
    ).toEqual(['CHANGED items.a.color: There are no colors.', 'LOST items.a.shape: Nothing is round.']);
  });

  it('tell what no rule claims, except for extensions and what is empty', () => {
    const unknown = 'CHANGED items.a.weight: Is not known, and was left out.';
    expect(told('items: { a: { weight: 1, x-mine: 1, height: , depth: false } }\nx-all: 1')).toEqual([
      unknown,
    ]);
    expect(told('others: [1]')).toEqual(['CHANGED others: Is not known, and was left out.']);
  });

  it('hold for the short form of what has rules for its parts', () => {
    expect(told('items: { a: { parts: [one, { name: two, weight: 1 }] } }')).toEqual([
      'CHANGED items.a.parts.[].weight: Is not known, and was left out.',
    ]);
    expect(told('items: { a: one }')).toEqual([
      'CHANGED items.a: Is not in the form that it should have, and was left out.',
    ]);
  });
});

describe('the rules of Compose files', () => {
  const paths = pathsOf(schema);

  it('claim each key of the Compose specification', () => {
    expect(paths.size).toBeGreaterThan(300);
    expect([...paths].filter((path) => !composeClaims.has(path))).toEqual([]);
    for (const path of ['services.*.colour', 'services.*.healthcheck.colour', 'colour'])
      expect(composeClaims.has(path), path).toBe(false);
  });

  it('are about keys of the Compose specification', () => {
    const isWritten = (rule: string) =>
      [...paths].some((path) => path === rule || path.startsWith(`${rule}.`) || path.startsWith(`${rule}[`));
    expect(Object.keys(composeRules).filter((rule) => !isWritten(rule))).toEqual([]);
  });
});

describe('notes', () => {
  const note = (
    grade: 'LOST' | 'CHANGED' | 'INFO',
    subject: string | null,
    reason: string,
    detail?: string,
  ) => ({
    grade,
    subject,
    key: 'key',
    reason,
    ...(detail && { detail }),
  });

  it('are one line for each reason, the weightiest first', () => {
    const notes = [
      note('INFO', 'a', 'Good to know.'),
      note('LOST', 'b', 'Is gone.', 'x'),
      note('INFO', 'b', 'Good to know.'),
      note('LOST', 'c', 'Is gone.', 'y'),
      note('CHANGED', null, 'Is other.'),
    ];
    expect(linesOf(notes)).toEqual([
      'LOST     b, c: key: Is gone. (x, y)',
      'CHANGED  key: Is other.',
      'INFO     a, b: key: Good to know.',
    ]);
    expect(summaryOf(notes, 13, 'service')).toBe('13 services, 2 need a decision: b, c');
    expect(summaryOf(notes.slice(0, 1), 1, 'service')).toBe('1 service, none needs a decision');
    expect([needDecision(notes), needDecision(notes.slice(0, 1))]).toEqual([true, false]);
  });

  it('are at most 30 lines with the first one, which say what else there is', () => {
    const many = Array.from({ length: 50 }, (_, index) =>
      note(index < 5 ? 'LOST' : 'INFO', `s${index}`, `Reason ${index}.`),
    );
    const lines = linesOf(many);
    expect(lines.length).toBe(29);
    expect(lines.at(-1)).toBe('INFO     22 more, which --json shows: key');
    const long = linesOf(Array.from({ length: 500 }, (_, index) => note('LOST', `s${index}`, 'Is gone.')));
    expect(long).toEqual(['LOST     s0, s1, s2, s3, s4, s5, s6, s7 and 492 more: key: Is gone.']);
  });
});
