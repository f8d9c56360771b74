import { useState } from 'react';
import type { ResultOf } from '../api/graphql.ts';
import type { ComponentUsageQuery } from '../documents/usage.ts';
import { Loading, Notice } from '../ui/blocks.tsx';
import { lazyPage } from '../ui/lazy-page.tsx';
import { Table } from '../ui/table.tsx';
import { type Point, rangeOf, type Span } from './points.ts';
import { text } from './strings.ts';

type Component = NonNullable<ResultOf<typeof ComponentUsageQuery>['component']>;
type UsageHistory = NonNullable<Component['usageHistory']>;
type TrafficHistory = NonNullable<Component['trafficHistory']>;

// With the library that draws it, which is larger than the page.
const Chart = lazyPage(async () => (await import('./chart.tsx')).Chart, <Loading rows={4} />);
const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });

/** Charts of what the instances used, or why there are none. */
export function History({ history }: { history: UsageHistory }) {
  if (history.gap) return <Notice tone="idle">{text.historyGaps[history.gap]}</Notice>;
  const series = (['cpuMillicores', 'memoryMiB'] as const).filter((name) => history[name].length > 0);
  if (series.length === 0) return <div className="card blank small soft">{text.nothingRecorded}</div>;
  return (
    <div className="charts">
      {series.map((name) => (
        <Series key={name} points={history[name]} span={history} {...text.series[name]} />
      ))}
    </div>
  );
}

/**
 * Charts of the requests to a component. Why there are none is said once: without a cluster and without a metrics server,
 * there is no usage either.
 */
export function Traffic({ history, isAlone }: { history: TrafficHistory; isAlone: boolean }) {
  const { gap } = history;
  if (gap) return isAlone && <Notice tone="idle">{text.trafficGaps[gap]}</Notice>;
  const series = (['requestsPerSecond', 'errorsPerSecond', 'latencyP95Ms'] as const).flatMap((name) => {
    const points = history[name];
    return points?.length ? { name, points } : [];
  });
  if (series.length === 0) return <div className="card blank small soft">{text.noRequests}</div>;
  return (
    <div className="charts">
      {series.map(({ name, points }) => (
        <Series key={name} points={points} span={history} {...text.series[name]} />
      ))}
    </div>
  );
}

interface SeriesProps {
  points: readonly Point[];
  span: Span;
  title: string;
  amount(value: number): string;
}

function Series({ points, span, title, amount }: SeriesProps) {
  const [isOpen, open] = useState(false);
  const range = rangeOf(points)!;
  return (
    <figure className="card chart-card">
      <figcaption>
        <h3>{title}</h3>
        <p className="small soft">
          {text.range(amount(range.least), amount(range.most), amount(range.last))}
        </p>
      </figcaption>
      <Chart points={points} span={span} amount={amount} />
      <details onToggle={({ currentTarget }) => open(currentTarget.open)}>
        <summary className="small">{text.figures(title)}</summary>
        {isOpen && (
          <Table
            label={title}
            columns={text.figureColumns}
            empty={text.nothingRecorded}
            rows={points}
            keyOf={({ at }) => at}
            classes={{ at: 'soft' }}
            cells={({ at, value }) => ({
              at: <time dateTime={at}>{moment.format(new Date(at))}</time>,
              value: amount(value),
            })}
          />
        )}
      </details>
    </figure>
  );
}
