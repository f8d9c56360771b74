import { expect, it } from 'vitest';
import { columnsOf, lonely, rangeOf } from '../../src/console/usage/points.ts';

const at = (minute: number, value: number) => ({ at: `2026-01-01T00:0${minute}:00.000Z`, value });
const span = { from: at(0, 0).at, to: at(5, 0).at, stepSeconds: 60 };

it('has a gap where nothing was recorded', () => {
  const { times, values } = columnsOf([at(1, 10), at(2, 0), at(5, 30)], span);
  const start = Date.parse(span.from) / 1000;
  expect(times).toEqual([0, 1, 2, 3, 4, 5].map((minute) => start + minute * 60));
  expect(values).toEqual([null, 10, 0, null, null, 30]);
});

it('finds the values that no line leads to', () => {
  expect(lonely([null, 10, 0, null, null, 30])).toEqual([5]);
  expect(lonely([7])).toEqual([0]);
  expect(lonely([1, null, 0, null, 2])).toEqual([0, 2, 4]);
  expect(lonely([1, 2, 3])).toEqual([]);
});

it('has the least, the greatest and the last value', () => {
  expect(rangeOf([at(1, 10), at(2, 0), at(5, 3)])).toEqual({ least: 0, most: 10, last: 3 });
  expect(rangeOf([])).toBeUndefined();
});
