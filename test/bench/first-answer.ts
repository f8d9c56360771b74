/**
 * How soon a gateway and a demo answer, and what that takes: `npx tsx test/bench/first-answer.ts [--runs N] [FOLDER …]`.
 * The folders are working copies or installations, as they are built; they take turns.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './data.ts';
import { median } from './load.ts';
import { cpuOf, peakMemoryOf, start, stopAll, tracked } from './processes.ts';

const { values, positionals } = parseArgs({
  options: { runs: { type: 'string', default: '9' } },
  allowPositionals: true,
});
const folders = (positionals.length > 0 ? positionals : [root]).map((folder) => resolve(folder));

interface Sample {
  ms: number;
  /** Seconds. */
  cpu: number;
  /** MiB. */
  peak: number;
}

const token = `trl_${'b'.repeat(40)}`;
const settings = (database: string) => ({
  DATABASE_URL: `file:${database}`,
  SECRET_KEY: 'c0ffee00'.repeat(8),
  BOOTSTRAP_TOKEN: token,
});

/** A gateway on a SQLite database, until it has answered a query. */
async function gateway(folder: string, database: string): Promise<Sample> {
  const command = {
    command: [process.execPath, 'dist/main.js'],
    env: settings(database),
    cwd: folder,
  } as const;
  const running = await start(command, async (port) => {
    const answer = await fetch(`http://127.0.0.1:${port}/graphql`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: '{"query":"{ teams(first: 1) { nodes { name } } }"}',
    });
    const { data } = (await answer.json()) as { data?: object };
    if (!data) throw new Error(`the answer is ${answer.status}`);
  });
  const sample = { ms: running.startMs, cpu: cpuOf(running.pid), peak: peakMemoryOf(running.pid) };
  await running.stop();
  return sample;
}

/** A demo on a new SQLite database, until it has printed how to use it. */
async function demo(folder: string, database: string): Promise<Sample> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['dist/commands/demo.js'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', ...settings(database) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = tracked(child);
  let output = '';
  const sample = await new Promise<Sample>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += chunk;
      if (!/^ +Stop /m.test(output)) return;
      resolve({ ms: performance.now() - startedAt, cpu: cpuOf(child.pid!), peak: peakMemoryOf(child.pid!) });
    });
    ended.then(() => reject(new Error('the demo ended')));
  });
  child.kill('SIGTERM');
  await ended;
  return sample;
}

const programs = [
  { name: 'gateway on a new database', measure: gateway, databaseOf: (run: number) => `new-${run}` },
  { name: 'gateway on an existing database', measure: gateway, databaseOf: () => 'new-0' },
  { name: 'demo', measure: demo, databaseOf: (run: number) => `demo-${run}` },
];
const scratch = mkdtempSync(join(tmpdir(), 'trellis-first-answer-'));
try {
  for (const { name, measure, databaseOf } of programs) {
    const samples = folders.map((): Sample[] => []);
    for (let run = 0; run < Number(values.runs); run++) {
      for (const [index, folder] of folders.entries()) {
        samples[index]!.push(await measure(folder, join(scratch, `${databaseOf(run)}-${index}.db`)));
      }
    }
    for (const [index, folder] of folders.entries()) {
      const of = (key: keyof Sample) => median(samples[index]!.map((sample) => sample[key]));
      process.stdout.write(
        `${name} of ${folder}: ${of('ms').toFixed(0)} ms, ${of('cpu').toFixed(2)} CPU s, peak ${of('peak').toFixed(0)} MiB\n`,
      );
    }
  }
} finally {
  await stopAll();
  rmSync(scratch, { recursive: true, force: true });
}
