import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

export interface Chromium {
  executablePath: string;
  env?: Record<string, string>;
}

/** The browser of the run, or why there is none. */
export type FoundChromium = Chromium | { reason: string };

declare module 'vitest' {
  export interface ProvidedContext {
    chromium: FoundChromium;
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const packageFolder = join(root, 'node_modules/@sparticuz/chromium');
const cache = join(root, 'node_modules/.cache/trellis-chromium');

/** Where browsers are installed, by platform. */
const places: Partial<Record<NodeJS.Platform, string[]>> = {
  linux: [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/usr/bin/google-chrome-stable',
  ],
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  win32: ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].map((name) =>
    join(process.env[name] ?? 'C:\\', 'Google\\Chrome\\Application\\chrome.exe'),
  ),
};

/** The browser that CHROMIUM_PATH names, else an installed one, else the one of the npm package, which runs on Linux. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): FoundChromium {
  const named = env.CHROMIUM_PATH;
  if (named)
    return existsSync(named)
      ? { executablePath: named }
      : { reason: `CHROMIUM_PATH is ${named}, which does not exist` };
  for (const executablePath of places[process.platform] ?? []) {
    if (existsSync(executablePath) && (process.platform !== 'linux' || starts({ executablePath })))
      return { executablePath };
  }
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return {
      reason: `no Chrome is installed, and @sparticuz/chromium does not run on ${process.platform} ${process.arch}`,
    };
  try {
    const chromium = unpacked();
    return starts(chromium) ? chromium : { reason: `${chromium.executablePath} does not start` };
  } catch (error) {
    return { reason: `@sparticuz/chromium could not be unpacked: ${(error as Error).message}` };
  }
}

/** On some systems the file that has the name of a browser only says how to install one. */
function starts({ executablePath, env }: Chromium): boolean {
  try {
    execFileSync(executablePath, ['--version'], { env: { ...process.env, ...env }, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The browser of the npm package, which brings libraries and a font. It is unpacked once for each version of it. */
function unpacked(): Chromium {
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
  const target = join(cache, version);
  if (!existsSync(target)) {
    mkdirSync(cache, { recursive: true });
    const scratch = mkdtempSync(join(cache, 'scratch-'));
    // The package unpacks into the folder of temporary files, and its libraries only where it expects to need them.
    execFileSync(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `await (await import('@sparticuz/chromium')).default.executablePath()`,
      ],
      { cwd: root, env: { ...process.env, TMPDIR: scratch, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' } },
    );
    writeFileSync(join(scratch, 'fonts.conf'), fontconfig(target));
    try {
      renameSync(scratch, target);
    } catch (error) {
      // Another run was faster.
      if (!existsSync(target)) throw error;
      rmSync(scratch, { recursive: true, force: true });
    }
  }
  return {
    executablePath: join(target, 'chromium'),
    env: { LD_LIBRARY_PATH: join(target, 'al2023/lib'), FONTCONFIG_FILE: join(target, 'fonts.conf') },
  };
}

/** Text has the font of the package on every machine, with or without fonts of its own. */
const fontconfig = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`;

// Each project of a run is set up by a copy of this module: all share one browser.
const shared = globalThis as { chromiumOfTests?: FoundChromium };

export default function setup(project: TestProject): void {
  shared.chromiumOfTests ??= findChromium();
  project.provide('chromium', shared.chromiumOfTests);
}
