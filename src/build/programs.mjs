import { chmodSync, cpSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { banner, bundle, bundleServer, root } from './bundle.mjs';

/** The server, and the commands that `npm run` has in an installation. */
const programs = [
  'main',
  'commands/demo',
  'commands/migrate',
  'commands/reset-fence',
  'commands/rotate-key',
  'commands/seed',
  'commands/token',
  'commands/verify-record',
];

/** Stack traces have the frames of the request beside those of the libraries. */
const start = (path) => `
Error.stackTraceLimit = 30;
await import('./${path}');
`;

/** A program loads its code last, so that this is set for what it runs at once. */
const starts = {
  name: 'starts',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^start:/ }, ({ path }) => ({
      path: path.slice('start:'.length),
      namespace: 'start',
    }));
    onLoad({ filter: /.*/, namespace: 'start' }, ({ path }) => ({ contents: start(path), resolveDir: root }));
  },
};

/** Files that are read beside the code. `src/kernel/files.ts` has the same names. */
const copies = {
  'operations/documents': 'src/operations/documents',
  'operations/fragments.graphql': 'src/operations/fragments.graphql',
  'reference.md': 'docs/reference.md',
  'schema.graphql': 'schema.graphql',
  'graphiql.mjs': 'src/graphql/graphiql/browser.mjs',
  'rest-docs.mjs': 'src/rest/openapi/browser.mjs',
  'yaml-thread.mjs': 'src/domain/manifest/yaml-thread.mjs',
};

const buildPrograms = (dist, plugins) =>
  bundleServer({
    outdir: dist,
    entryPoints: Object.fromEntries(programs.map((name) => [name, `start:src/${name}.ts`])),
    plugins: [starts, ...plugins],
  });

/** The command line, as one file that runs where nothing else is installed. */
async function buildCommandLine(dist) {
  const [file] = await bundle({
    entryPoints: { 'cli/trellis': 'src/cli/main.ts' },
    outdir: dist,
    outExtension: { '.js': '.mjs' },
    minifySyntax: true,
    banner: { js: `#!/usr/bin/env node\n${banner.js}` },
  });
  chmodSync(join(dist, file), 0o755);
  return file;
}

/** Removes the files of a folder that are not kept, and the folders that are then empty. */
function removeOthers(folder, isKept, path = '') {
  for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
    const name = join(path, entry.name);
    if (isKept(name)) continue;
    if (entry.isDirectory()) removeOthers(folder, isKept, name);
    else rmSync(join(folder, name));
  }
  if (path && readdirSync(join(folder, path)).length === 0) rmdirSync(join(folder, path));
}

/**
 * Builds all but the console. What an earlier build made is removed last, so that a server that runs from it can load its
 * chunks as long as they are the same.
 */
export async function buildInto(dist, plugins = []) {
  const made = await Promise.all([buildPrograms(dist, plugins), buildCommandLine(dist)]);
  for (const [name, source] of Object.entries(copies)) {
    rmSync(join(dist, name), { recursive: true, force: true });
    cpSync(join(root, source), join(dist, name), { recursive: true });
  }
  const kept = new Set([...made.flat(), ...Object.keys(copies), 'console']);
  removeOthers(dist, (name) => kept.has(name));
}
