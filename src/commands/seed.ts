// npm run seed -- --teams N --applications N --components N --ports N: writes synthetic data, N objects per parent.
import { readConfig } from '../config.ts';
import { open } from '../open.ts';
import { CommandError, count, options, run, UsageError } from './command.ts';
import { rowsOf, type Shape, seed } from './seed-data.ts';

const usage = `usage: npm run seed -- --teams N --applications N --components N --ports N
N teams, N applications of each team, N components of each application, N ports of each component`;

const most = { teams: 100_000, applications: 10_000, components: 10_000, ports: 1_000 };
const mostRows = 20_000_000;
const barWidth = 30;

await run(async () => {
  const shape = readShape();
  const config = readConfig({ ...process.env, LOG_LEVEL: process.env.LOG_LEVEL || 'warn' });
  const { services, firstToken } = await open(config);
  try {
    if (firstToken && !config.bootstrapToken) {
      process.stdout.write(`The first administrator's access token, shown this once: ${firstToken}\n`);
    }
    const started = performance.now();
    const written = await seed(services.db, shape, process.stdout.isTTY ? drawBar : undefined);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    if (process.stdout.isTTY && written) process.stdout.write('\n');
    process.stdout.write(
      written
        ? `Wrote ${figure(written)} teams, applications, components and ports in ${seconds} s.\n`
        : 'The data already exists. Nothing was written.\n',
    );
  } finally {
    await services.db.close();
  }
}, usage);

function readShape(): Shape {
  const text = { type: 'string' } as const;
  const values = options({ teams: text, applications: text, components: text, ports: text });
  const names = Object.keys(most) as (keyof Shape)[];
  const missing = names.filter((name) => values[name] === undefined);
  if (missing.length) throw new UsageError(`Missing: ${missing.map((name) => `--${name}`).join(', ')}`);
  const shape = Object.fromEntries(
    names.map((name) => [name, count(`--${name}`, values[name]!, most[name])]),
  ) as unknown as Shape;
  if (rowsOf(shape) > mostRows) {
    throw new CommandError(
      `This would create ${figure(rowsOf(shape))} rows. The limit is ${figure(mostRows)}.`,
    );
  }
  return shape;
}

function figure(value: number): string {
  return value.toLocaleString('en').replaceAll(',', ' ');
}

function drawBar(written: number, total: number): void {
  const full = Math.floor((written / total) * barWidth);
  const bar = '█'.repeat(full) + '░'.repeat(barWidth - full);
  const percent = Math.floor((written / total) * 100);
  process.stdout.write(`\r${bar} ${percent} %  ${figure(written)} of ${figure(total)} rows`);
}
