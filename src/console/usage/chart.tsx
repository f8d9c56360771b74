import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { columnsOf, lonely, type Point, type Span } from './points.ts';

interface Props {
  points: readonly Point[];
  span: Span;
  amount(value: number): string;
}

const height = 200;
const daySeconds = 86_400;
const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });
const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });
const plain = new Intl.NumberFormat('en');

/** A line over time. Hidden from screen readers, which have the table next to it. */
export function Chart({ points, span, amount }: Props) {
  const root = useRef<HTMLDivElement>(null);
  const readout = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const { from, to, stepSeconds } = span;
  // biome-ignore lint/correctness/useExhaustiveDependencies: points are set below, and amounts do not change
  useEffect(() => {
    const element = root.current!;
    const color = (name: string) => () => colorOf(element, name);
    const grid = { stroke: color('--line'), width: 1 };
    const axis = { stroke: color('--text-soft'), font: `12px ${getComputedStyle(element).fontFamily}`, grid };
    const isLong = (Date.parse(to) - Date.parse(from)) / 1000 > 2 * daySeconds;
    const label = isLong ? day : clock;
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false } },
        scales: {
          x: { range: () => [Date.parse(from) / 1000, Date.parse(to) / 1000] },
          y: { range: (_, __, most) => [0, (most || 1) * 1.1] },
        },
        axes: [
          {
            ...axis,
            ticks: grid,
            ...(isLong && { incrs: [1, 2, 5, 7].map((days) => days * daySeconds) }),
            values: (_, times) => times.map((time) => label.format(time * 1000)),
          },
          {
            ...axis,
            ticks: { show: false },
            size: 56,
            values: (_, values) => values.map((value) => plain.format(value)),
          },
        ],
        series: [
          {},
          {
            stroke: color('--busy'),
            fill: color('--busy-soft'),
            width: 2,
            points: {
              show: false,
              stroke: color('--busy'),
              fill: color('--busy'),
              size: 5,
              filter: (self, series) => lonely([...self.data[series]!]),
            },
          },
        ],
        hooks: {
          setCursor: [
            ({ cursor: { idx }, data }) => {
              const value = idx == null ? null : data[1]![idx];
              readout.current!.textContent =
                value == null ? '' : `${moment.format(data[0][idx!]! * 1000)}: ${amount(value)}`;
            },
          ],
        },
      },
      dataOf(points, span),
      element,
    );
    plot.current = chart;
    const sizes = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    sizes.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => chart.redraw(false);
    scheme.addEventListener('change', redraw);
    return () => {
      scheme.removeEventListener('change', redraw);
      sizes.disconnect();
      chart.destroy();
    };
  }, [from, to, stepSeconds]);
  useEffect(() => {
    plot.current!.setData(dataOf(points, { from, to, stepSeconds }));
  }, [points, from, to, stepSeconds]);
  return (
    <div aria-hidden="true">
      <div ref={readout} className="chart-readout small soft" />
      <div ref={root} className="chart" />
    </div>
  );
}

function dataOf(points: readonly Point[], span: Span): uPlot.AlignedData {
  const { times, values } = columnsOf(points, span);
  return [times, values];
}

/** A color of styles/tokens.css in the present color scheme, as a canvas understands it. */
function colorOf(element: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
