// Builds dist, or says why there is nothing to build with. `npm ci` runs it, and `npm ci --omit=dev` too, where
// the compiler and the generator are not installed: so this file imports no package.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { resolve } = createRequire(import.meta.url);

/** The packages that a build needs, and a production install does not have. */
const tools = [
  '@clack/prompts',
  '@modelcontextprotocol/sdk',
  '@prisma/generator-helper',
  'esbuild',
  'prisma-cli',
  'vite',
];
const missing = tools.filter((name) => {
  try {
    resolve(`${name}/package.json`);
    return false;
  } catch {
    return true;
  }
});
const sourcesAreHere = existsSync(join(root, 'src/main.ts'));

if (missing.length > 0 || !sourcesAreHere) {
  const reason = sourcesAreHere
    ? `the packages that a build needs are not installed (${missing.join(', ')})`
    : 'there is no src folder';
  const state = existsSync(join(root, 'dist/main.js'))
    ? 'The dist folder that is here is used as it is.'
    : 'There is no dist folder, and npm start needs one.';
  // The demo builds to follow changed sources: without the tools there is nothing to say about that.
  if (process.argv[2] !== 'build') {
    process.stderr.write(
      `Nothing was built: ${reason}.\n${state}\nTo build: npm ci && npm prune --omit=dev --omit=peer, with the sources; or copy dist from where it was built.\n`,
    );
  }
} else {
  for (const script of process.argv[2] === 'build' ? ['build'] : ['generate', 'build']) {
    const run = spawnSync('npm', ['run', '--silent', script], {
      cwd: root,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
    if (run.status !== 0) process.exit(run.status ?? 1);
  }
}
