import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const builds = join(root, 'node_modules/.cache/trellis-test');
const day = 86_400_000;

/** The name of the sources as they are now. */
function fingerprint(): string {
  const hash = createHash('sha256');
  for (const name of (readdirSync(join(root, 'src'), { recursive: true }) as string[]).sort()) {
    const { size, mtimeMs } = statSync(join(root, 'src', name));
    hash.update(`${name} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

let folder: string | undefined;

/**
 * The compiled sources, in which `main.js` and `commands/demo.js` stand. They are compiled when the sources have
 * changed, without a look at the types. A process starts from them in half the time that it needs through tsx.
 */
export function built(): string {
  folder ??= build(join(builds, fingerprint()));
  return join(folder, 'dist');
}

function build(target: string): string {
  if (existsSync(target)) return target;
  mkdirSync(builds, { recursive: true });
  for (const name of readdirSync(builds)) {
    if (statSync(join(builds, name)).mtimeMs < Date.now() - day)
      rmSync(join(builds, name), { recursive: true });
  }
  const scratch = mkdtempSync(join(builds, 'scratch-'));
  compileInto(scratch);
  for (const name of ['package.json', 'prisma']) symlinkSync(join(root, name), join(scratch, name));
  try {
    renameSync(scratch, target);
  } catch (error) {
    // Another process was faster.
    if (!existsSync(target)) throw error;
    rmSync(scratch, { recursive: true });
  }
  return target;
}

function compileInto(folder: string): void {
  const compiler = join(root, 'node_modules/.bin/tsc');
  const args = [
    '-p',
    'tsconfig.build.json',
    '--outDir',
    join(folder, 'dist'),
    '--noCheck',
    '--sourceMap',
    'false',
  ];
  const { status, stdout } = spawnSync(compiler, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(stdout);
}
