// Bundles programs, with the licenses of the packages in them.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { lineMap } from './line-map.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The license of each package in a file. */
function licensesOf({ inputs }) {
  const folders = Object.keys(inputs).flatMap(
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

/** The end of a file, before the comment that names its source map. */
const end = /(\/\/# sourceMappingURL=.*\n)?$/;

/** Bundles entry points into a folder. Resolves with the paths of the files, relative to the folder. */
export async function bundle(options) {
  const { metafile, outputFiles } = await build({
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    absWorkingDir: root,
    logLevel: 'error',
    metafile: true,
    write: false,
    ...options,
  });
  return outputFiles.map(({ path, text }) => {
    const licenses = licensesOf(metafile.outputs[relative(root, path)]).join('');
    mkdirSync(dirname(path), { recursive: true });
    // The licenses follow the code, whose lines the map counts.
    const withLicenses = () => text.replace(end, (comment) => licenses + comment);
    writeFileSync(path, path.endsWith('.map') ? lineMap(text) : withLicenses());
    return relative(options.outdir, path);
  });
}

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

/**
 * Bundles modules of the server. What they share is in chunks, and so is what they load when it is needed. The packages of
 * a production install are left outside; the SDK of MCP is bundled, because its package brings 12 MB of others.
 */
export const bundleServer = ({ plugins = [], ...options }) =>
  bundle({
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    external: Object.keys({ ...dependencies, ...optionalDependencies }),
    sourcemap: true,
    sourcesContent: false,
    plugins: [withoutAjv, ...plugins],
    ...options,
  });
