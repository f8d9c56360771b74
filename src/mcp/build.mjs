// Adds to a compiled `dist` what the compiler leaves out of src/mcp: the SDK as one file with its licenses,
// the documents of the operations, and the reference that is served. `node src/mcp/build.mjs [dist]`
import { copyFileSync, cpSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '../bundle.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const target = join(resolve(process.argv[2] ?? join(root, 'dist')), 'mcp');

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
  outfile: join(target, 'sdk.js'),
  external: ['zod', 'zod/*'],
  plugins: [withoutAjv],
});
for (const name of ['documents', 'fragments.graphql'])
  cpSync(join(here, '../operations', name), join(target, '../operations', name), { recursive: true });
copyFileSync(join(root, 'docs/reference.md'), join(target, 'reference.md'));
