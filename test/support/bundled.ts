import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/** What a process is started with, which may wait at its top level: they stay modules. */
const commands = ['main', 'commands/demo', 'commands/rotate-key', 'commands/seed', 'commands/token'];
/** What tests import in processes of their own. */
const modules = [
  'api',
  'db/migrate/migrate',
  'db/open',
  'domain/access-token/bootstrap',
  'domain/job/worker/worker',
  'drivers/region/declared',
  'kernel/log',
  'kernel/seal',
];

function bundleInto(folder: string): void {
  const sources = join(folder, 'sources');
  copySources(built(), sources);
  for (const command of commands) {
    mkdirSync(dirname(join(folder, command)), { recursive: true });
    cpSync(join(sources, `${command}.js`), join(folder, `${command}.js`));
  }
  const exported = exportsOf(sources, [...modules, ...commands.flatMap((each) => importsOf(sources, each))]);
  writeFileSync(join(folder, 'script.cjs'), scriptOf(sources, [...exported.keys()]));
  cpSync(fileURLToPath(new URL('bundle-loader.js', import.meta.url)), join(folder, 'bundle-loader.js'));
  for (const [module, names] of exported) {
    const file = join(folder, `${module}.js`);
    const loader = relative(dirname(file), join(folder, 'bundle-loader.js'));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      `import { load } from './${loader}';\nexport const { ${names.join(', ')} } = load('${module}');\n`,
    );
  }
  rmSync(sources, { recursive: true });
  cacheCode(folder);
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
    external: [
      'better-sqlite3',
      'pg-native',
      '@prisma/client/runtime/query_compiler_*',
      '@graphql-yoga/render-graphiql',
      '@kubernetes/client-node',
    ],
    logLevel: 'error',
  });
  void stop();
  // Node does not know the place of a script with a code cache.
  return outputFiles[0]!.text.replace(/\bimport\(/g, 'importModule(');
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
