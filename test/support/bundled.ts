import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildSync, stop } from 'esbuild';
import { built, make, once } from './built.ts';
import { processFlags } from './node-flags.ts';

/**
 * The compiled sources and their packages as one script, beside V8's code cache of it. Most of a start is finding,
 * reading and compiling a thousand modules: a process starts from the script with a third of the work.
 */
export const bundled = once(() => {
  const target = join(built(), '../bundled');
  make(target, bundleInto);
  return target;
});

/** What a process is started with. */
const commands = ['main', 'commands/demo', 'commands/rotate-key', 'commands/seed', 'commands/token'];
/** What tests import in processes of their own, and what `main` imports when it runs. */
const modules = [
  'api',
  'db/migrate/migrate',
  'db/open',
  'domain/access-token/bootstrap',
  'domain/job/worker/worker',
  'drivers/region/declared',
  'kernel/log',
  'kernel/seal',
  'run',
];

function bundleInto(folder: string): void {
  const sources = join(folder, 'sources');
  copySources(built(), sources);
  readCompilers(sources, folder);
  const exported = exportsOf(sources, [...modules, ...commands.flatMap((each) => importsOf(sources, each))]);
  writeFileSync(join(folder, 'script.js'), scriptOf(sources, [...exported.keys()]));
  cpSync(fileURLToPath(new URL('bundle-loader.cjs', import.meta.url)), join(folder, 'bundle-loader.js'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }');
  const write = (module: string, text: string) => {
    mkdirSync(dirname(join(folder, module)), { recursive: true });
    writeFileSync(join(folder, `${module}.js`), text);
  };
  for (const command of commands) write(command, commandOf(sources, command));
  for (const [module, names] of exported) {
    const lines = names.map((name) => `exports.${name} = exported.${name};\n`);
    write(module, `const exported = ${loadIn(module)}('${module}');\n${lines.join('')}`);
  }
  rmSync(sources, { recursive: true });
  cacheCode(folder);
}

/**
 * Prisma's query compilers are read as they are. In its packages each is text of 4 MB in a module, which has to be parsed
 * and decoded.
 */
function readCompilers(sources: string, folder: string): void {
  for (const database of ['sqlite', 'postgres']) {
    const path = join(sources, `db/generated/${database}/internal/class.js`);
    const target = `compiler-${database}.wasm`;
    let from = '';
    const text = readFileSync(path, 'utf8').replace(
      /const \{ wasm \} = await import\("(.*\.wasm-base64)\.mjs"\);\s+return await decodeBase64AsWasm\(wasm\);/,
      (_, module) => {
        from = `${module}.js`;
        return `return new WebAssembly.Module(readFile('${target}'));`;
      },
    );
    writeFileSync(path, text);
    writeFileSync(join(folder, target), Buffer.from(createRequire(path)(from).wasm, 'base64'));
  }
}

/** How a file of the bundle loads modules from the script. */
const loadIn = (file: string) => `require('./${relative(dirname(file), 'bundle-loader.js')}').load`;

/** A command as a function, which may wait: with no module to import, Node does without its loader of modules. */
function commandOf(sources: string, command: string): string {
  const body = readFileSync(join(sources, `${command}.js`), 'utf8').replaceAll(
    /^import (\w+|\{.*\}) from ['"](.*)['"];$/gm,
    (_, names, from) => {
      const path = from.startsWith('.') ? join(dirname(command), from.replace(/\.js$/, '')) : undefined;
      return `const ${names.replaceAll(' as ', ': ')} = ${path ? `${loadIn(command)}('${path}')` : `require('${from}')`};`;
    },
  );
  return `(async () => {\n${body}\n})();\n`;
}

/** Modules find other files from their own place, which they leave in a bundle. */
function copySources(dist: string, sources: string): void {
  cpSync(dist, sources, { recursive: true });
  for (const name of readdirSync(dist, { recursive: true }) as string[]) {
    if (!name.endsWith('.js')) continue;
    const text = readFileSync(join(dist, name), 'utf8');
    const url = JSON.stringify(pathToFileURL(join(dist, name)).href);
    if (text.includes('import.meta.url'))
      writeFileSync(join(sources, name), text.replaceAll('import.meta.url', url));
  }
}

/** The other sources that a source imports. */
function importsOf(sources: string, module: string): string[] {
  const text = readFileSync(join(sources, `${module}.js`), 'utf8');
  const paths = [...text.matchAll(/^import .* from ['"](\..*)\.js['"];$/gm)].map(([, path]) => path!);
  return paths.map((path) => join(dirname(module), path));
}

function exportsOf(sources: string, names: string[]): Map<string, string[]> {
  const { metafile } = buildSync({
    entryPoints: [...new Set(names)].map((name) => join(sources, `${name}.js`)),
    absWorkingDir: sources,
    outbase: sources,
    outdir: sources,
    format: 'esm',
    metafile: true,
    write: false,
  });
  return new Map(
    Object.entries(metafile.outputs).map(([path, { exports }]) => [path.slice(0, -'.js'.length), exports]),
  );
}

/** A script that exports functions, each of which loads a module. */
function scriptOf(sources: string, names: string[]): string {
  const { outputFiles } = buildSync({
    stdin: {
      contents: names.map((name) => `exports['${name}'] = () => require('./${name}.js');`).join('\n'),
      resolveDir: sources,
    },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    // Each start reads the whole script. The names stay: messages show them.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    // A module in machine code stays where it is, and what is large and not always loaded.
    external: ['better-sqlite3', 'pg-native', '@graphql-yoga/render-graphiql', '@kubernetes/client-node'],
    // Node 20 has no navigator, and then pg loads all of fetch to see where it runs: a third of a short command.
    define: { navigator: '{ "userAgent": "Node.js" }' },
    logLevel: 'error',
  });
  void stop();
  // Node does not know the place of a script with a code cache.
  const text = outputFiles[0]!.text.replace(/\bimport\(/g, 'importModule(');
  return `(function (exports, require, module, importModule, readFile) {${text}\n})`;
}

/** Keeps what V8 has compiled when a process has started, and answered a read and a change. */
function cacheCode(folder: string): void {
  const script = `
    import { readConfig } from './config.js';
    import { createLog } from './kernel/log.js';
    import { close, listen, open } from './open.js';
    import { cacheCode } from './bundle-loader.js';
    const config = readConfig(process.env);
    const { services } = await open(config, createLog('silent'));
    const { server, url } = await listen(services, config);
    for (const query of ['{ teams { totalCount } }', 'mutation { createTeam(input: { name: "one" }) { __typename } }']) {
      const answer = await fetch(url + '/graphql', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: 'Bearer ' + process.env.BOOTSTRAP_TOKEN },
        body: JSON.stringify({ query }),
      });
      if (!(await answer.json()).data) throw new Error('no data');
    }
    cacheCode();
    await close(server, services, 1_000);`;
  const scratch = join(folder, 'scratch');
  mkdirSync(scratch);
  const { status, stderr } = spawnSync(
    process.execPath,
    [...processFlags, '--input-type=module', '--eval', script],
    {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: `file:${join(scratch, 'trellis.db')}`,
        BOOTSTRAP_TOKEN: 'a-token-of-at-least-32-characters',
        PORT: '0',
      },
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(stderr);
  rmSync(scratch, { recursive: true });
}
