// Bundles programs, with the licenses of the packages in them.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { lineMap } from './line-map.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The packages that stay outside: with files that are not code, with native code, or that few installations load. */
const outside = [
  '@graphql-yoga/render-graphiql',
  'better-sqlite3',
  'jose',
  'openid-client',
  'prom-client',
  'swagger-ui-dist',
  'yaml',
  ...Object.keys(optionalDependencies),
];

/** The license of each package in a file. */
function licensesOf({ inputs }) {
  const folders = Object.keys(inputs).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [],
  );
  return [...new Set(folders)].sort().map((folder) => {
    const file = readdirSync(join(root, folder)).find((name) => /^licen[cs]e/i.test(name));
    const text = file ? readFileSync(join(root, folder, file), 'utf8') : shortLicenseOf(folder);
    const name = folder.replace(/^.*node_modules\//, '');
    return `/*!\n${name}\n\n${text.replaceAll('*/', '* /').trim()}\n*/\n`;
  });
}

/** The license text of a package without a license file. */
function shortLicenseOf(folder) {
  const { license, author } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  if (!license || !author) throw new Error(`${folder} has no license`);
  return `License: ${license}\nAuthor: ${author.name ?? author}`;
}

/**
 * Throws if code of a bundle imports a CommonJS package when it is needed. It would get the default export alone, and none of the
 * names that it has in Node.js: import the package in a module, and that one when it is needed.
 */
function requireNamedImports({ inputs }) {
  for (const [importer, { imports }] of Object.entries(inputs)) {
    for (const { path, kind } of imports) {
      if (kind !== 'dynamic-import' || inputs[path]?.format !== 'cjs') continue;
      throw new Error(`${importer} imports a CommonJS package when it is needed: ${path}`);
    }
  }
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
  requireNamedImports(metafile);
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

/** Tables of packages, such as that of all media types: `JSON.parse` is several times as fast as evaluating them as code. */
const parsedJson = {
  name: 'parsed-json',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules.*\.json$/ }, ({ path }) => {
      const json = JSON.stringify(JSON.parse(readFileSync(path, 'utf8')));
      return { contents: `module.exports = JSON.parse(${JSON.stringify(json)});` };
    });
  },
};

/** CommonJS packages in a bundle require modules of Node.js. */
export const banner = {
  js: "import { createRequire as requireOf } from 'node:module';\nconst require = requireOf(import.meta.url);",
};

/**
 * Bundles modules of the server. What they share is in chunks, and so is what they load when it is needed. Packages are
 * bundled, because finding and reading their thousand files takes as long as the rest of the start; the SDK of MCP is a
 * development dependency, because its package brings 12 MB of others.
 */
export const bundleServer = ({ plugins = [], ...options }) =>
  bundle({
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    external: outside,
    // One copy of each package, whether it is imported or required.
    mainFields: ['module', 'main'],
    banner,
    sourcemap: true,
    sourcesContent: false,
    // Parsing and mapping the code is a fifth of a start. Names are as they are, for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 2000,
    plugins: [withoutAjv, parsedJson, ...plugins],
    ...options,
  });
