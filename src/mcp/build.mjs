// Adds to a compiled `dist` the SDK as one file with its licenses, and the files that are read beside the code:
// `src/kernel/files.ts` has their names. `node src/mcp/build.mjs [dist]`
import { copyFileSync, cpSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '../bundle.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const dist = resolve(process.argv[2] ?? join(root, 'dist'));

/** The SDK validates answers of users with Ajv, and this server never asks them anything. */
const withoutAjv = {
  name: 'without-ajv',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /ajv-provider\.js$/ }, () => ({ path: 'ajv-provider', namespace: 'none' }));
    onLoad({ filter: /.*/, namespace: 'none' }, () => ({
      contents: 'export class AjvJsonSchemaValidator {}',
    }));
  },
};

await bundle({
  entry: join(here, 'sdk.ts'),
  outfile: join(dist, 'mcp/sdk.js'),
  external: ['zod', 'zod/*'],
  plugins: [withoutAjv],
});
for (const name of ['documents', 'fragments.graphql'])
  cpSync(join(here, '../operations', name), join(dist, 'operations', name), { recursive: true });
copyFileSync(join(root, 'docs/reference.md'), join(dist, 'reference.md'));
copyFileSync(join(root, 'src/domain/manifest/yaml-thread.mjs'), join(dist, 'yaml-thread.mjs'));
