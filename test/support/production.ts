import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { built } from './built.ts';
import { addProcess } from './failure-log.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** A new folder, and a way to remove it. */
export function temporaryFolder(name: string) {
  const path = mkdtempSync(join(tmpdir(), `trellis-${name}-`));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Hard links are made in no time; on another file system the files are copied. */
function linkTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkTree(source, target);
    else if (entry.isFile()) linkOrCopy(source, target);
  }
}

function linkOrCopy(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch {
    copyFileSync(source, target);
  }
}

/** The packages that `npm prune --omit=dev --omit=peer` leaves, as paths below the root. */
function productionPackages(): string[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const { stdout } = spawnSync('npm', ['ls', '--omit=dev', '--all', '--parseable'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return (
    stdout
      .trim()
      .split('\n')
      .map((path) => relative(root, path))
      // `npm ls` does not know `--omit=peer`.
      .filter((path) => path.startsWith('node_modules') && !lock.packages[path]?.peer)
  );
}

/** What a production machine has: the built product and the packages that it needs, without the sources. */
export function installProduction(folder: string): void {
  for (const path of productionPackages()) linkTree(join(root, path), join(folder, path));
  for (const name of ['package.json', 'package-lock.json']) {
    copyFileSync(join(root, name), join(folder, name));
  }
  cpSync(join(root, 'prisma'), join(folder, 'prisma'), { recursive: true });
  cpSync(built(), join(folder, 'dist'), { recursive: true });
}

/** Runs a program to its end. */
export async function run(
  folder: string,
  [command, ...args]: readonly [string, ...string[]],
  settings: Record<string, string> = {},
) {
  const child = start(folder, [command, ...args], settings);
  return child.ended;
}

/** Starts a program in a process group of its own, since npm does not always pass signals on. */
export function start(
  folder: string,
  [command, ...args]: readonly [string, ...string[]],
  settings: Record<string, string> = {},
) {
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const output = { stdout: '', stderr: '' };
  addProcess(child, [command, ...args].join(' '), () => output);
  child.stdout.setEncoding('utf8').on('data', (text) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (output.stderr += text));
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, ...output }));
  });
  return {
    child,
    output,
    ended,
    /** Resolves with the first match on standard output; rejects when the program ends before. */
    async printed(pattern: RegExp): Promise<RegExpExecArray> {
      return new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(output.stdout);
          if (found) resolve(found);
        };
        child.stdout.on('data', look);
        look();
        ended.then((end) => reject(new Error(`ended with ${JSON.stringify(end)}`)));
      });
    },
    /** Signals the whole group; resolves when all of it has ended. */
    stop(signal: NodeJS.Signals = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, signal);
      return ended;
    },
  };
}

/** The bytes of a folder. */
export function sizeOf(folder: string): number {
  const { stdout } = spawnSync('du', ['-sk', folder], { encoding: 'utf8' });
  return Number(stdout.split('\t')[0]) * 1024;
}
