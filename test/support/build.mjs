// Builds what the tests run: `node test/support/build.mjs FOLDER`. The programs are those of `npm run build`, in `dist`.
// `modules` has a file for each module of the sources, which tests import. All that a gateway loads at its start is in one
// chunk that each of these files exports a part of, because a worker of the tests would spend a second on loading single
// modules.
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundleServer, root } from '../../src/build/bundle.mjs';
import { buildInto } from '../../src/build/programs.mjs';

const folder = resolve(process.argv[2]);

/** The console and the command line are none of the server; the others are programs, or for developers. */
const isOther =
  /^(console|cli|build|db\/generated|commands\/(migration|schema))\b|^db\/migrate\/(amend-script|schema-engine)\b/;
const modules = readdirSync(join(root, 'src'), { recursive: true })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts') && !isOther.test(path))
  .map((path) => path.replace(/\.ts$/, ''));

const parts = {
  name: 'parts',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^part:/ }, ({ path }) => ({ path: path.slice('part:'.length), namespace: 'part' }));
    onLoad({ filter: /.*/, namespace: 'part' }, ({ path }) => ({
      contents: `import './run.ts';\nexport * from './${path}.ts';`,
      resolveDir: join(root, 'src'),
    }));
  },
};

await Promise.all([
  buildInto(join(folder, 'dist')),
  bundleServer({
    outdir: join(folder, 'modules'),
    entryPoints: Object.fromEntries(modules.map((name) => [name, `part:${name}`])),
    sourcemap: false,
    // Tests import some of the packages as well, and two copies of graphql reject each other's schemas.
    packages: 'external',
    plugins: [parts],
  }),
]);
