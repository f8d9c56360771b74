import { describe, expect, it } from 'vitest';
import { searchedRange } from '../../src/domain/component/instances/model.ts';
import { logQueryOf } from '../../src/drivers/region/kubernetes/logs/queries.ts';
import { filterOf, noFilter } from '../../src/drivers/region/log-filter.ts';
import { simulatedInstances } from '../../src/drivers/region/simulated/instances.ts';

describe('a query of a log store', () => {
  const all = { instance: null, container: null, search: null };
  const pods = '[bcdfghjklmnpqrstvwxz2456789]';

  it('selects the pods of a component, or one of them, and a container', () => {
    const selector = `namespace="trellis-t",pod=~"web-(${pods}{1,10}-${pods}{5}|[0-9]+)"`;
    const component = { clusterName: 'web' };
    expect(logQueryOf('trellis-t', component, all)).toBe(`{${selector}}`);
    expect(logQueryOf('trellis-t', component, { ...all, instance: 'web-0', container: 'main' })).toBe(
      `{${selector},pod="web-0",container="main"}`,
    );
  });

  it.each([
    ['Timeout', '"(?i)Timeout"'],
    ['a.b*c', '"(?i)a\\\\.b\\\\*c"'],
    ['" or {a="b"}', '"(?i)\\" or \\\\{a=\\"b\\"\\\\}"'],
    ['\\', '"(?i)\\\\\\\\"'],
    ['\\"', '"(?i)\\\\\\\\\\""'],
    ['(?-i)^$|[x]+', '"(?i)\\\\(\\\\?-i\\\\)\\\\^\\\\$\\\\|\\\\[x\\\\]\\\\+"'],
    ['`$x`', '"(?i)`\\\\$x`"'],
    ['a\nb', '"(?i)a\\nb"'],
  ])('quotes %j as text', (search, quoted) => {
    const query = logQueryOf('n', { clusterName: 'web' }, { ...all, search });
    expect(query.slice(query.indexOf('} |~ ') + 5)).toBe(quoted);
    const pattern = JSON.parse(quoted) as string;
    expect(new RegExp(pattern.slice(4), 'i').exec(`- ${search.toUpperCase()} -`)?.[0]).toBe(
      search.toUpperCase(),
    );
  });
});

describe('the time of a log store that is searched', () => {
  const day = 86_400_000;
  const now = Date.parse('2026-06-01T00:00:00Z');
  const daysAgo = (days: number) => new Date(now - days * day);
  it.each<[string, Date | null, Date | null, Date, Date, Date, boolean]>([
    ['seven days', null, null, daysAgo(90), daysAgo(7), daysAgo(0), true],
    ['seven days before its end', null, daysAgo(10), daysAgo(90), daysAgo(17), daysAgo(10), true],
    ['what is asked for', daysAgo(20), daysAgo(1), daysAgo(90), daysAgo(20), daysAgo(1), false],
    ['30 days at most', daysAgo(50), daysAgo(10), daysAgo(90), daysAgo(40), daysAgo(10), true],
    ['nothing before the component', daysAgo(50), null, daysAgo(3), daysAgo(3), daysAgo(0), false],
    ['nothing after now', daysAgo(1), daysAgo(-5), daysAgo(3), daysAgo(1), daysAgo(0), false],
  ])('is %s', (_, since, until, createdAt, from, to, isShortened) => {
    expect(searchedRange({ since, until }, createdAt, now)).toEqual({ from, to, isShortened });
  });
});

describe('a filter of lines', () => {
  const line = { at: '2026-01-01T00:00:00.123456789Z', text: 'Straße: CONNECTION refused' };
  it.each<[object, boolean]>([
    [{}, true],
    [{ search: 'connection REFUSED' }, true],
    [{ search: 'connection  refused' }, false],
    [{ search: '.*' }, false],
    [{ since: new Date('2026-01-01T00:00:00.123Z') }, true],
    [{ since: new Date('2026-01-01T00:00:00.124Z') }, false],
    [{ until: new Date('2026-01-01T00:00:00.123Z') }, true],
    [{ until: new Date('2026-01-01T00:00:00.122Z') }, false],
  ])('%j', (filter, isAsked) => {
    expect(filterOf({ ...noFilter, ...filter })(line)).toBe(isAsked);
  });

  it('has lines without a time at any time', () => {
    const filter = filterOf({ ...noFilter, since: new Date(), until: new Date(0) });
    expect(filter({ at: null, text: '' })).toBe(true);
  });
});

describe('searches of simulated instances', () => {
  it('give the event loop its turn between them', async () => {
    const component = { deployState: 'running', replicas: 1, clusterName: 'web', image: 'nginx:1' } as never;
    const { signal } = new AbortController();
    const instances = await simulatedInstances.list(component, signal);
    const query = { ...noFilter, tail: 10, container: null, search: 'nothing', reader: '1' } as never;
    let turns = 0;
    const count = () => {
      turns++;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const search = () => simulatedInstances.logs(component, instances, query, signal);
    await Promise.all(Array.from({ length: 100 }, search));
    clearImmediate(next);
    expect(turns).toBeGreaterThan(5);
  });
});
