/** npm run bench -- --ablation: what each part of Trellis contributes, by taking away one at a time. */
import { type Contestant, contestants } from '../contestants.ts';
import { type Databases, type Dataset, root } from '../data.ts';
import type { Options } from '../options.ts';
import { type Column, columns, say, section } from '../report.ts';
import { alternate, type Entry, enter, medians, placesOf, type Sample } from '../tree.ts';
import type { Work } from '../work.ts';
import { works } from '../works.ts';
import { buildVariant } from './build.ts';
import { full, type Variant, variants } from './variants.ts';

interface Line extends Sample {
  work: Work;
  variant: Variant;
}

export async function measureAblation(
  databases: Databases,
  datasets: Record<Contestant['database'], Dataset>,
  options: Options,
): Promise<string> {
  const places = await placesOf(datasets.postgres.url);
  const tables: string[] = [];
  for (const contestant of contestants) {
    if (contestant.kind !== 'trellis' || !options.contestants.includes(contestant.key)) continue;
    const { database, name } = contestant;
    const own = variants.filter((variant) => (variant.database ?? database) === database);
    const folders = new Map<Variant, string>();
    for (const variant of own) folders.set(variant, await buildVariant(options.trellis ?? root, variant));
    const lines: Line[] = [];
    // Writes are left out: what one variant has switched, another would find switched.
    for (const work of works.filter(({ key, writes }) => options.works.includes(key) && !writes)) {
      const right: unknown[] = [];
      const entries: Entry[] = [];
      for (const variant of own) {
        say(`${work.key}: ${name}, ${nameOf(variant)} starts, and its answers are compared`);
        const dataset = variantData(datasets[database], variant);
        const changed = variantOf(contestant, variant, folders.get(variant)!);
        const entry = await enter(work, changed, dataset, places, right, options);
        if (!entry) throw new Error(`--ablation: work ${work.key} has no route`);
        entries.push(entry);
      }
      await alternate(work, entries, databases, options);
      await Promise.all(entries.map(({ running }) => running.stop()));
      lines.push(...own.map((variant, index) => ({ work, variant, ...medians(entries[index]!.samples) })));
    }
    tables.push(tableOf(name, lines, options));
    say('');
    process.stdout.write(`${tables.at(-1)}\n`);
  }
  return tables.join('\n');
}

const nameOf = (variant: Variant) => (variant === full ? full.name : `without ${variant.name}`);

/** The full Trellis is built and started in the same way. */
const variantOf = (contestant: Contestant, variant: Variant, folder: string): Contestant => ({
  ...contestant,
  name: nameOf(variant),
  command: () => contestant.command(folder),
});

const variantData = (dataset: Dataset, { settings }: Variant): Dataset => ({
  ...dataset,
  settings: { ...dataset.settings, ...settings },
});

function tableOf(name: string, lines: Line[], options: Options): string {
  const overFull = (line: Line) => {
    const whole = lines.find(({ work, variant }) => work === line.work && variant === full)!;
    return line === whole ? Number.NaN : line.perSecond / whole.perSecond;
  };
  const shown: Column<Line>[] = [
    [name, ({ variant }) => nameOf(variant)],
    ['work', ({ work }) => `(${work.key})`],
    ['requests/s', ({ perSecond }) => perSecond.toFixed(0)],
    // Seconds for 1 000 requests are milliseconds for one.
    ['CPU ms per request', ({ cpu }) => cpu.toFixed(3)],
    ['of Postgres', ({ databaseCpu }) => databaseCpu.toFixed(3)],
    ['÷ full', (line) => overFull(line).toFixed(2)],
  ];
  const asked = [...new Set(lines.map(({ work }) => work))].map(({ key, title }) => `(${key}) ${title}`);
  const heading = '## What each part contributes';
  return section(heading, columns(shown, lines), options, `${asked.join('; ')}.`);
}
