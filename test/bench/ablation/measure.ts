/** npm run bench -- --ablation: what each part of Trellis contributes, by taking away one at a time. */
import { readFileSync, realpathSync, rmSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Contestant, contestants } from '../contestants.ts';
import { type Databases, type Dataset, root } from '../data.ts';
import type { Options } from '../options.ts';
import { type Column, columns, say, section } from '../report.ts';
import { alternate, type Entry, enter, medians, placesOf, type Sample } from '../tree.ts';
import type { Work } from '../work.ts';
import { works } from '../works.ts';
import { full, type Variant, variants } from './variants.ts';

const patcher = fileURLToPath(new URL('patch.mjs', import.meta.url));

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
    const lines: Line[] = [];
    // Writes are left out: what one variant has switched, another would find switched.
    for (const work of works.filter(({ key, writes }) => options.works.includes(key) && !writes)) {
      const right: unknown[] = [];
      const entries: Entry[] = [];
      for (const variant of own) {
        say(`${work.key}: ${name}, ${nameOf(variant)} starts, and its answers are compared`);
        const log = `${databases.folder}/patched`;
        rmSync(log, { force: true });
        const dataset = variantData(datasets[database], variant, log);
        const entry = await enter(work, patched(contestant, variant), dataset, places, right, options);
        if (!entry) throw new Error(`--ablation: work ${work.key} has no route`);
        requirePatched(variant, log, options.trellis ?? root);
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

/** The full Trellis is started in the same way, with nothing to patch. */
const patched = (contestant: Contestant, variant: Variant): Contestant => ({
  ...contestant,
  name: nameOf(variant),
  command: (trellis) => {
    const [node, ...args] = contestant.command(trellis);
    return [node, '--import', patcher, ...args];
  },
});

const variantData = (dataset: Dataset, { settings, patches = [] }: Variant, log: string): Dataset => ({
  ...dataset,
  settings: { ...dataset.settings, ...settings, PATCHES: JSON.stringify(patches), PATCHED_FILE: log },
});

/** Throws unless the server has loaded every module that is to be changed, and so has it changed. */
function requirePatched({ name, patches = [] }: Variant, log: string, trellis: string): void {
  if (patches.length === 0) return;
  const loaded = readFileSync(log, { encoding: 'utf8', flag: 'a+' }).split('\n');
  for (const { file } of patches) {
    if (loaded.includes(pathToFileURL(realpathSync(`${trellis}/${file}`)).href)) continue;
    throw new Error(`--ablation: ${name}: the server does not load ${file}`);
  }
}

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
