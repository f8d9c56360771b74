import { describe, expect, it } from 'vitest';
import { cronProblem, hasDay, plainCron } from '../../src/domain/component/timing/cron-model.ts';
import { isTimeZone, nextTimes, timesAfter } from '../../src/domain/component/timing/times-model.ts';

const times = (cron: string, after: string, count: number, timeZone = 'UTC') =>
  timesAfter({ cron, timeZone }, new Date(after), count).map((time) => time.toISOString().slice(0, 16));

describe('a cron expression', () => {
  it.each([
    ['* * * * *', '* * * * *'],
    ['  0   3 * * * ', '0 3 * * *'],
    ['5/15 * * * *', '5,20,35,50 * * * *'],
    ['*/90 * * * *', '0 * * * *'],
    ['10-20/5,3 0-6,22 1 */4 *', '3,10,15,20 0,1,2,3,4,5,6,22 1 1,5,9 *'],
    ['0 0 ? jan-mar MON-fri', '0 0 * 1,2,3 1,2,3,4,5'],
    // A day of the week that is listed in full is given, and `*` is not.
    ['0 0 1 * 0-6', '0 0 1 * 0,1,2,3,4,5,6'],
    ['0 0 1 * *,3', '0 0 1 * *'],
  ])('%j is read as Kubernetes reads it', (cron, plain) => {
    expect(cronProblem(cron)).toBeUndefined();
    expect(plainCron(cron)).toBe(plain);
  });

  it.each([
    ['', /five fields/],
    ['* * * *', /five fields/],
    ['0 0 0 * * *', /five fields/],
    ['0 0 1 1 * 2027', /five fields/],
    ['@daily', /five fields/],
    ['@every 1h', /five fields/],
    ['CRON_TZ=UTC 0 * * * *', /five fields/],
    ['60 * * * *', /minute.*from 0 to 59/],
    ['-1 * * * *', /minute/],
    ['5-1 * * * *', /minute/],
    ['*/0 * * * *', /minute/],
    ['1,,2 * * * *', /minute/],
    ['1-2-3 * * * *', /minute/],
    ['+1 * * * *', /minute/],
    ['1.5 * * * *', /minute/],
    ['* 24 * * *', /hour/],
    ['0 0 0 * *', /day of the month/],
    ['0 0 L * *', /day of the month/],
    ['0 0 15W * *', /day of the month/],
    ['0 0 1 13 *', /month/],
    ['0 0 1 january *', /month/],
    ['0 0 * * 7', /day of the week/],
    ['0 0 * * 5#2', /day of the week/],
    ['0 0 * * 5L', /day of the week/],
    ['0 0 * * JAN', /day of the week/],
  ])('%j is refused', (cron, message) => {
    expect(cronProblem(cron)).toMatch(message);
  });

  it('has times after another one, in its time zone', () => {
    expect(times('0 12 * * *', '2026-11-25T12:00:00Z', 2)).toEqual(['2026-11-26T12:00', '2026-11-27T12:00']);
    expect(times('0 12 * * *', '2026-11-25T11:59:59.999Z', 1)).toEqual(['2026-11-25T12:00']);
    expect(times('30 3 * * *', '2026-07-01T00:00:00Z', 1, 'Europe/Berlin')).toEqual(['2026-07-01T01:30']);
    expect(times('30 3 * * *', '2026-12-01T00:00:00Z', 1, 'Europe/Berlin')).toEqual(['2026-12-01T02:30']);
    expect(times('0 0 29 2 *', '2026-01-01T00:00:00Z', 2)).toEqual(['2028-02-29T00:00', '2032-02-29T00:00']);
    expect(times('0 0 30 2 *', '2026-01-01T00:00:00Z', 2)).toEqual([]);
  });

  it.each([
    ['0 0 31 2,4,6,9,11 *', false],
    ['0 0 30 2 *', false],
    ['0 0 30,31 FEB *', false],
    ['0 0 29 2 *', true],
    ['0 0 31 2,3 *', true],
    ['0 0 1,31 2 *', true],
    ['0 0 31 * *', true],
    ['0 0 */31 2 *', true],
    ['0 0 * 2 *', true],
    ['0 0 30 2 MON', true],
    ['0 0 30 2 0-6', true],
  ])('%j has a day: %j', (cron, has) => {
    expect(hasDay(cron)).toBe(has);
    // The rarest day returns within eight years: 1896 and 1904 were leap years, 1900 was not.
    expect(times(cron, '2026-01-01T00:00:00Z', 1)).toHaveLength(has ? 1 : 0);
  });

  it.each(['*/7 3 * * *', '0 0 1 1 *', '0 0 31 2 *'])(
    'has the same next times, however often they are asked for: %s',
    (cron) => {
      const timing = { cron, timeZone: 'Europe/Berlin' };
      const start = Date.UTC(2026, 2, 28, 1);
      // Forward, back, and far away, with one time and with several.
      const asked = [0, 0, 1, 3, 2, 24, 25, 0, 24 * 400, 24 * 401, 1, 24 * 401];
      for (const [index, hours] of asked.entries()) {
        const after = new Date(start + hours * 3_600_000);
        const count = [1, 10, 3][index % 3]!;
        expect(nextTimes(timing, after, count)).toEqual(timesAfter(timing, after, count));
      }
    },
  );

  it('has next times that are computed once', () => {
    const timing = { cron: '13 5 * * *', timeZone: 'Asia/Tokyo' };
    const first = nextTimes(timing, new Date(Date.UTC(2026, 5, 1)), 10);
    const later = nextTimes(timing, new Date(Date.UTC(2026, 5, 2)), 9);
    expect(later.every((time, index) => time === first[index + 1])).toBe(true);
  });

  it('needs one of the two days, unless one of them is any', () => {
    expect(times('0 0 13 * FRI', '2026-11-25T00:00:00Z', 4)).toEqual([
      '2026-11-27T00:00',
      '2026-12-04T00:00',
      '2026-12-11T00:00',
      '2026-12-13T00:00',
    ]);
    expect(times('0 0 * * FRI', '2026-11-25T00:00:00Z', 1)).toEqual(['2026-11-27T00:00']);
    expect(times('0 0 13 * *', '2026-11-25T00:00:00Z', 1)).toEqual(['2026-12-13T00:00']);
  });

  it('has a time once on the days on which clocks are set', () => {
    // 2:30 is no time on 29 March, and two on 25 October.
    expect(times('30 2 * * *', '2026-03-28T12:00:00Z', 2, 'Europe/Berlin')).toEqual([
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ]);
    expect(times('30 2 * * *', '2026-10-24T12:00:00Z', 2, 'Europe/Berlin')).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
    expect(times('30 * * * *', '2026-10-24T23:40:00Z', 3, 'Europe/Berlin')).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T01:30',
      '2026-10-25T02:30',
    ]);
  });

  it('has each time of a day exactly once in every time zone, from 2026 to 2028', () => {
    const hourMs = 3_600_000;
    const first = Date.UTC(2026, 0, 1);
    const days = (Date.UTC(2029, 0, 1) - first) / (24 * hourMs);
    const seen = new Set<string>();
    for (const timeZone of Intl.supportedValuesOf('timeZone')) {
      const clock = new Intl.DateTimeFormat('en-CA', {
        timeZone,
        dateStyle: 'short',
        timeStyle: 'short',
        hourCycle: 'h23',
      });
      const shown = (ms: number) => {
        const [date, time] = clock.format(ms).split(', ') as [string, string];
        return Date.parse(`${date}T${time}Z`) - ms;
      };
      // The days on which clocks are set: two weeks are enough to notice it.
      const changes: number[] = [];
      for (let day = 0; day < days; day += 14) {
        let at = first + day * 24 * hourMs;
        const end = at + 14 * 24 * hourMs;
        if (shown(at) === shown(end)) continue;
        while (at < end && shown(at) === shown(at + 24 * hourMs)) at += 24 * hourMs;
        changes.push(at);
      }
      const history = JSON.stringify([
        shown(first),
        changes.map((at) => [at, shown(at), shown(at + 24 * hourMs)]),
      ]);
      if (seen.has(history)) continue;
      seen.add(history);
      for (const at of changes) {
        // Three days of the clock, from a noon to a noon, so that each hour is there three times.
        const noon = Math.floor((at + shown(at)) / (24 * hourMs)) * 24 * hourMs - 12 * hourMs;
        const from = noon - shown(at - 24 * hourMs);
        const until = noon + 72 * hourMs - shown(at + 48 * hourMs);
        // No clock is set in another hour.
        for (const hour of [22, 23, 0, 1, 2, 3]) {
          const found = timesAfter({ cron: `30 ${hour} * * *`, timeZone }, new Date(from), 4);
          const within = found.filter((time) => time.getTime() <= until);
          expect(
            within.map((time) => time.toISOString()),
            `${hour}:30 in ${timeZone}`,
          ).toHaveLength(3);
        }
      }
    }
    expect(seen.size).toBeGreaterThan(50);
  });

  it.each([
    ['0 23 * * *', ['2026-03-28T01:00', '2026-03-29T01:00', '2026-03-30T00:00']],
    ['15,45 23 * * *', ['2026-03-28T01:15', '2026-03-28T01:45', '2026-03-29T01:00', '2026-03-30T00:15']],
    ['0 23 * * SAT', ['2026-03-29T01:00', '2026-04-05T00:00']],
    ['*/30 * * * *', ['2026-03-27T12:30']],
  ])('%j has its time on a day without its last hour', (cron, expected) => {
    // The clocks of Nuuk are set from 23:00 on 28 March to 0:00 on 29 March.
    expect(times(cron, '2026-03-27T12:00:00Z', expected.length, 'America/Nuuk')).toEqual(expected);
  });

  it('has the name of a time zone', () => {
    expect(['UTC', 'Europe/Berlin', 'America/New_York', 'Etc/GMT+5'].every(isTimeZone)).toBe(true);
    expect(['', 'Local', '+02:00', 'Mars/Base', 'x'].some(isTimeZone)).toBe(false);
  });
});
