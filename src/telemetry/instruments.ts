import type { Metric, Registry } from 'prom-client';

type Labels<L extends string> = Record<L, string>;

/** One value in what is served, as prom-client's registry reads it. */
interface Sample {
  metricName?: string;
  labels: Record<string, string | number>;
  value: number;
}

/**
 * A metric whose series are objects with plain numbers: counting through prom-client's own classes builds and checks the
 * labels each time, which takes about a microsecond. They are converted when the metrics are read.
 */
abstract class Instrument<L extends string, S> {
  abstract readonly type: 'counter' | 'histogram';
  readonly name: string;
  readonly help: string;
  readonly aggregator = 'sum';
  readonly #series = new Map<string, { labels: Labels<L>; series: S }>();

  constructor(registry: Registry, name: string, help: string) {
    this.name = name;
    this.help = help;
    registry.registerMetric(this as unknown as Metric);
  }

  protected abstract create(): S;
  protected abstract samplesOf(labels: Labels<L>, series: S): Sample[];

  /** The series with these labels. Callers on hot paths keep it. */
  series(labels: Labels<L>): S {
    const key = JSON.stringify(Object.values(labels));
    let found = this.#series.get(key);
    if (!found) {
      found = { labels, series: this.create() };
      this.#series.set(key, found);
    }
    return found.series;
  }

  async get() {
    const { name, help, type, aggregator } = this;
    const values = [...this.#series.values()].flatMap(({ labels, series }) => this.samplesOf(labels, series));
    return { name, help, type, aggregator, values };
  }
}

export interface Count {
  value: number;
}

export class Counter<L extends string> extends Instrument<L, Count> {
  readonly type = 'counter';

  protected override create(): Count {
    return { value: 0 };
  }

  protected override samplesOf(labels: Labels<L>, { value }: Count): Sample[] {
    return [{ labels, value }];
  }
}

/** The upper bounds of durations, in seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Durations in seconds, by how long they took. */
export class Durations {
  sum = 0;
  /** How many are within each bound but not within the one before it. The last are beyond all bounds. */
  readonly counts: number[] = new Array(bounds.length + 1).fill(0);

  observe(seconds: number): void {
    let index = 0;
    while (index < bounds.length && seconds > bounds[index]!) index++;
    this.counts[index]!++;
    this.sum += seconds;
  }
}

export class Histogram<L extends string> extends Instrument<L, Durations> {
  readonly type = 'histogram';

  protected override create(): Durations {
    return new Durations();
  }

  protected override samplesOf(labels: Labels<L>, { counts, sum }: Durations): Sample[] {
    let count = 0;
    const samples: Sample[] = counts.map((within, index) => {
      count += within;
      return {
        metricName: `${this.name}_bucket`,
        labels: { ...labels, le: bounds[index] ?? '+Inf' },
        value: count,
      };
    });
    return [
      ...samples,
      { metricName: `${this.name}_sum`, labels, value: sum },
      { metricName: `${this.name}_count`, labels, value: count },
    ];
  }
}
