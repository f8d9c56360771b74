// Adds to a compiled `dist` what the compiler leaves out of src/mcp: the SDK as one file with its licenses, the tools,
// and the reference that is served. `node src/mcp/build.mjs [dist]`
import { copyFileSync, cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

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

const { metafile, outputFiles } = await build({
  entryPoints: [join(here, 'sdk.ts')],
  outfile: join(target, 'sdk.js'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  external: ['zod', 'zod/*'],
  plugins: [withoutAjv],
  absWorkingDir: root,
  logLevel: 'error',
  metafile: true,
  write: false,
});

/** The license of each package in the bundle. */
function licenses() {
  const folders = Object.keys(metafile.inputs).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [],
  );
  return [...new Set(folders)].sort().map((folder) => {
    const file = readdirSync(join(root, folder)).find((name) => /^licen[cs]e/i.test(name));
    if (!file) throw new Error(`${folder} has no license file`);
    const text = readFileSync(join(root, folder, file), 'utf8')
      .replaceAll('*/', '* /')
      .trim();
    return `/*!\n${folder.replace(/^.*node_modules\//, '')}\n\n${text}\n*/\n`;
  });
}

writeFileSync(join(target, 'sdk.js'), `${licenses().join('')}${outputFiles[0].text}`);
cpSync(join(here, 'tools'), join(target, 'tools'), { recursive: true });
copyFileSync(join(here, 'fragments.graphql'), join(target, 'fragments.graphql'));
copyFileSync(join(root, 'docs/reference.md'), join(target, 'reference.md'));
