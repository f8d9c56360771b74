import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cache = join(root, 'node_modules/.cache/trellis-test');
const dayMs = 86_400_000;

/** What else the builds are made from. */
const shared = [
  'package.json',
  'package-lock.json',
  'docs/reference.md',
  'schema.graphql',
  'src/kernel/actions.ts',
  'test/support/build.mjs',
];

/** The name of the sources as they are now. */
function fingerprint(...folders: string[]): string {
  const hash = createHash('sha256');
  for (const name of shared) hash.update(readFileSync(join(root, name)));
  for (const folder of folders)
    for (const name of (readdirSync(join(root, folder), { recursive: true }) as string[]).sort()) {
      const { size, mtimeMs } = statSync(join(root, folder, name));
      hash.update(`${name} ${size} ${mtimeMs}\n`);
    }
  return hash.digest('hex').slice(0, 16);
}

/** The folder of both builds, which are made when the sources have changed. */
const builds = once(() => {
  const target = join(cache, fingerprint('src'));
  const console = builtConsole();
  make(target, (scratch) => {
    run(process.execPath, ['test/support/build.mjs', scratch]);
    cpSync(console, join(scratch, 'dist/console'), { recursive: true });
    for (const name of ['package.json', 'prisma']) symlinkSync(join(root, name), join(scratch, name));
  });
  return target;
});

/** What users start: `main.js`, `commands/demo.js` and the others. */
export const built = (): string => join(builds(), 'dist');

/** The modules of the sources one by one, such as `db/open.js`. */
export const builtModules = (): string => join(builds(), 'modules');

/** The console, which is built when its own sources have changed, or those that it shares with the command line. */
function builtConsole(): string {
  const target = join(cache, `console-${fingerprint('src/console', 'src/formats', 'src/convert')}`);
  make(target, (scratch) => {
    const { status, stderr } = spawnSync(join(root, 'node_modules/.bin/vite'), ['build', 'src/console'], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, NODE_ENV: 'production', CONSOLE_OUT: scratch },
    });
    if (status !== 0) throw new Error(stderr);
  });
  return target;
}

/** Makes a folder unless it is there. Of several processes one makes it, and nobody sees a part of it. */
function make(target: string, fill: (folder: string) => void): void {
  const [scratch, lock] = [`${target}.scratch`, `${target}.lock`];
  mkdirSync(cache, { recursive: true });
  removeOlder(cache);
  while (!existsSync(target)) {
    if (!takes(lock)) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
      continue;
    }
    try {
      if (existsSync(target)) return;
      rmSync(scratch, { recursive: true, force: true });
      mkdirSync(scratch);
      fill(scratch);
      renameSync(scratch, target);
    } finally {
      rmSync(lock);
    }
  }
}

/** Takes a lock, which names the process that has it, unless another process has it and is still alive. */
export function takes(lock: string): boolean {
  try {
    symlinkSync(String(process.pid), lock);
    return true;
  } catch {
    try {
      process.kill(Number(readlinkSync(lock)), 0);
    } catch {
      rmSync(lock, { force: true });
    }
    return false;
  }
}

function removeOlder(folder: string): void {
  for (const name of readdirSync(folder)) {
    const { mtimeMs } = lstatSync(join(folder, name), { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (mtimeMs < Date.now() - dayMs) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

export function once<T>(work: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= work();
    return made;
  };
}

function run(command: string, args: string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${stdout}${stderr}`);
}
