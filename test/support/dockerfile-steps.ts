// npm run test:dockerfile: carries out the steps of the Dockerfile as commands in empty folders, for machines
// without a container engine, and starts what comes out. It takes some minutes and the npm registry.
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, join } from 'node:path';
import { execForm, healthCommand, readDockerfile, type Stage, stepsOf } from './dockerfile.ts';
import { root, run, sizeOf, start, temporaryFolder } from './production.ts';

const folder = temporaryFolder('dockerfile');
const say = (text: string) => process.stdout.write(`${text}\n`);
const isExcluded = new Set(['node_modules', 'dist', '.git', 'generated']);

/** Where a stage's root file system stands. */
const rootOf = (stages: Stage[], stage: Stage) => join(folder.path, String(stages.indexOf(stage)));

/** The build context, without what .dockerignore leaves out. */
function copyInto(source: string, target: string): void {
  cpSync(source, target, { recursive: true, filter: (path) => !isExcluded.has(basename(path)) });
}

async function build(
  stages: Stage[],
  stage: Stage,
): Promise<{ work: string; settings: Record<string, string> }> {
  const files = rootOf(stages, stage);
  const settings: Record<string, string> = {};
  let work = files;
  mkdirSync(files);
  for (const { instruction, text, options } of stage.steps) {
    const [name, ...rest] = text.split(/\s+/);
    say(`${instruction} ${text.slice(0, 100)}`);
    if (instruction === 'WORKDIR') {
      work = join(files, text);
      mkdirSync(work, { recursive: true });
    } else if (instruction === 'ENV') {
      for (const pair of [name!, ...rest]) {
        const [key, value] = pair.split(/=(.*)/s) as [string, string];
        settings[key] = value.replace('/data', join(files, 'data'));
      }
    } else if (instruction === 'COPY') {
      const sources = [name!, ...rest];
      const to = sources.pop()!;
      const from = options.from && stages.find((each) => each.name === options.from);
      for (const source of sources) {
        const target =
          to.endsWith('/') || sources.length > 1 ? join(work, to, basename(source)) : join(work, to);
        mkdirSync(join(target, '..'), { recursive: true });
        if (from)
          cpSync(join(rootOf(stages, from), source), target, { recursive: true, verbatimSymlinks: true });
        else copyInto(join(root, source), target);
      }
    } else if (instruction === 'RUN') {
      if (text.startsWith('apt-get')) {
        say('  not run: it changes the packages of this machine');
        continue;
      }
      // The user of the image and its absolute folders are of the image alone.
      const user = userInfo();
      const here = text
        .replace(/-o node -g node/, `-o ${user.uid} -g ${user.gid}`)
        .replace(/ \/data/, ` ${join(files, 'data')}`);
      const started = Date.now();
      const { code, stdout, stderr } = await run(work, ['sh', '-c', here]);
      if (code !== 0) throw new Error(`${text} ended with ${code}\n${stdout}\n${stderr}`);
      say(`  ${((Date.now() - started) / 1000).toFixed(0)} s`);
    }
  }
  return { work, settings };
}

/** Paths that were written after a moment, below a folder. */
function writtenSince(moment: number, path: string): string[] {
  const entry = statSync(path, { throwIfNoEntry: false });
  if (!entry) return [];
  if (!entry.isDirectory()) return entry.mtimeMs > moment ? [path] : [];
  return readdirSync(path).flatMap((name) => writtenSince(moment, join(path, name)));
}

try {
  const stages = readDockerfile();
  let last!: Awaited<ReturnType<typeof build>>;
  for (const stage of stages) {
    say(`\nFROM ${stage.image}: not pulled, its steps run under Node.js ${process.version}`);
    last = await build(stages, stage);
  }
  const stage = stages.at(-1)!;
  say(
    `\nThe files of the image, without its base: ${Math.round(sizeOf(rootOf(stages, stage)) / 2 ** 20)} MiB`,
  );
  const begun = Date.now();
  const port = '4399';
  const settings = { ...last.settings, PORT: port, HOST: '127.0.0.1', SECRET_KEY: 'ab'.repeat(32) };
  const trellis = start(last.work, execForm(stepsOf(stage, 'CMD')[0]!.text), settings);
  await trellis.printed(/"msg":"listening"/);
  const health = await run(last.work, healthCommand(stage), settings);
  if (health.code !== 0) throw new Error(`the health check ended with ${health.code}: ${health.stderr}`);
  const { code } = await trellis.stop();
  if (code !== 0) throw new Error(`SIGTERM ended it with ${code}`);
  const written = writtenSince(begun, last.work);
  if (written.length > 0) throw new Error(`it wrote outside of /data: ${written.join(', ')}`);
  if (!existsSync(join(rootOf(stages, stage), 'data/trellis.db')))
    throw new Error('there is no /data/trellis.db');
  say('It started, was healthy, wrote to /data alone, and ended on SIGTERM with exit code 0.');
} finally {
  rmSync(folder.path, { recursive: true, force: true });
}
