import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { contestants } from './contestants.ts';
import { works } from './works.ts';

export const usage = `usage: npm run bench -- [options]
  --part tree,growth,start,blocks,live,waits   which tables; all by default
  --only ${works.map(({ key }) => key).join(',')}
                             which works of the first table, and no other table
  --ablation                 what each part of Trellis contributes, and no other table: the works a,c,d,f on Postgres
                             unless --only or --contestants says otherwise
  --contestants ${contestants.map(({ key }) => key).join(',')}
  --rounds N                 rounds of every measurement, 3 by default
  --seconds S                how long a round measures each contestant, 1 by default
  --connections N            requests under way at once, 8 by default
  --crowd N                  the same for the last columns, 128 by default; 0 leaves them out
  --markdown FILE            writes the tables there as well
  --no-build                 takes dist/ as it is
  --trellis DIR              measures the Trellis of another working copy, as it is built there`;

const parts = ['tree', 'growth', 'start', 'blocks', 'live', 'waits'] as const;

export type Options = ReturnType<typeof readOptions>;

/** The command line; throws an Error that says what is wrong with it. */
export function readOptions(args: string[]) {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: {
      part: text,
      only: text,
      contestants: text,
      rounds: text,
      seconds: text,
      connections: text,
      crowd: text,
      markdown: text,
      trellis: text,
      ablation: { type: 'boolean' },
      'no-build': { type: 'boolean' },
    },
  });
  if (values.trellis && !existsSync(`${values.trellis}/dist/main.js`)) {
    throw new Error(`--trellis: there is no dist/main.js in ${values.trellis}`);
  }
  const { ablation = false } = values;
  if (ablation && values.part) throw new Error('--ablation is a table of its own, without --part');
  return {
    /** As it is typed. */
    command: ['npm run bench', ...(args.length ? ['--', ...args] : [])].join(' '),
    ablation,
    parts: ablation ? [] : chosen('part', values.part ?? (values.only && 'tree'), [...parts]),
    works: chosen(
      'only',
      values.only ?? (ablation ? 'a,c,d,f' : undefined),
      works.map(({ key }) => key),
    ),
    contestants: chosen(
      'contestants',
      values.contestants ?? (ablation ? 'postgres' : undefined),
      contestants.map(({ key }) => key),
      contestants.filter(({ isOptional }) => !isOptional).map(({ key }) => key),
    ),
    rounds: number('rounds', values.rounds ?? '3', 1),
    seconds: number('seconds', values.seconds ?? '1', 0.1),
    connections: number('connections', values.connections ?? '8', 1),
    crowd: number('crowd', values.crowd ?? (ablation ? '0' : '128'), 0),
    markdown: values.markdown,
    trellis: values.trellis && resolve(values.trellis),
    build: !values['no-build'] && !values.trellis,
  };
}

function chosen<T extends string>(name: string, text: string | undefined, all: T[], byDefault = all): T[] {
  if (text === undefined) return byDefault;
  const asked = text.split(',');
  const unknown = asked.find((each) => !(all as string[]).includes(each));
  if (unknown !== undefined) throw new Error(`--${name}: ${unknown} is none of ${all.join(', ')}`);
  return all.filter((each) => asked.includes(each));
}

function number(name: string, text: string, min: number): number {
  const value = Number(text);
  if (!(value >= min)) throw new Error(`--${name} must be a number from ${min}`);
  return value;
}
