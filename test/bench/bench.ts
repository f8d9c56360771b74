// npm run bench: how fast Trellis is, beside what its database could do and beside PostGraphile.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { measureAblation } from './ablation/measure.ts';
import { measureBlocks } from './blocks.ts';
import { node24 } from './contestants.ts';
import { measureCrowds } from './crowd.ts';
import { fill, openDatabases, root } from './data.ts';
import { measureGrowth } from './growth.ts';
import { measureLive } from './live.ts';
import { readOptions, usage } from './options.ts';
import { stopAll } from './processes.ts';
import { conditions, say } from './report.ts';
import { measureStart } from './startup.ts';
import { measureTree } from './tree.ts';
import { measureWaits } from './waits.ts';

const shape = { teams: 50, applications: 20, components: 10, ports: 3 };

async function main(args: string[]): Promise<void> {
  const options = readOptions(args);
  const startedAt = performance.now();
  if (options.build) npm('Trellis is built', root, 'run', 'build', '--silent');
  const peer = fileURLToPath(new URL('postgraphile', import.meta.url));
  // On first use, and when the lock file has changed since.
  const changedAt = (path: string) => statSync(`${peer}/${path}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (!existsSync(node24) || changedAt('node_modules/.package-lock.json') < changedAt('package-lock.json')) {
    npm('PostGraphile and Node.js 24 are installed', peer, 'ci', '--no-audit', '--no-fund');
  }

  say('the databases are filled');
  let close: () => Promise<void> = async () => {};
  const stop = async () => {
    await stopAll();
    await close();
  };
  // Before there is anything to clear away.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void stop().finally(() => process.exit(130)));
  }
  const databases = await openDatabases();
  close = databases.close;
  try {
    const postgres = await fill(await databases.createDatabase('tree'), shape);
    const sqlite = await fill(`file:${databases.folder}/tree.db`, shape);
    const tables: string[] = [];
    const datasets = { postgres, sqlite };
    if (options.ablation) tables.push(await measureAblation(databases, datasets, options));
    if (options.parts.includes('tree')) tables.push(await measureTree(databases, datasets, options));
    if (options.parts.includes('growth')) tables.push(await measureGrowth(databases, options));
    if (options.parts.includes('start')) tables.push(await measureStart(datasets, options));
    if (options.parts.includes('blocks')) tables.push(await measureBlocks(databases, options));
    if (options.parts.includes('live')) {
      tables.push(await measureLive(databases, datasets, options));
      tables.push(await measureCrowds(databases, options));
    }
    if (options.parts.includes('waits')) tables.push(await measureWaits(databases, datasets, options));
    const installed = JSON.parse(readFileSync(`${peer}/node_modules/postgraphile/package.json`, 'utf8'));
    const minutes = (performance.now() - startedAt) / 60_000;
    const heading = conditions(minutes, {
      'Node.js': `${spawnSync(node24, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1)} on Postgres and ${process.versions.node} on SQLite`,
      PostgreSQL: databases.postgresVersion,
      PostGraphile: installed.version,
    });
    process.stdout.write(heading);
    const text = [`## Results\n\n${heading}`, ...tables].join('\n');
    if (options.markdown) writeFileSync(options.markdown, text);
  } finally {
    await stop();
    say('');
  }
}

function npm(what: string, cwd: string, ...args: string[]): void {
  say(what);
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${stdout}${stderr}`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const { message, code } = error as Error & { code?: string };
  process.stderr.write(
    `${code?.startsWith('ERR_PARSE_ARGS') || message.startsWith('--') ? `${message}\n${usage}` : message}\n`,
  );
  process.exitCode = 1;
}
