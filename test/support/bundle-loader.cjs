// Loads the script of a bundle (see bundled.ts) with its code cache. It is copied beside it.
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');

// V8 takes a code cache only if its flags are those that the cache was made with. Node made one of its own modules, with
// no flags: the modules that a server needs are loaded first. The size of the heap (see node-flags.ts) is set by now.
setFlagsFromString('--initial-old-space-size=0');
if (require.main?.filename === join(__dirname, 'main.js')) {
  for (const name of ['cluster', 'http2', 'https', 'stream/promises', 'worker_threads', 'zlib'])
    require(name);
  // Loads fetch.
  void globalThis.Request;
}

// Prisma's query compiler is WebAssembly, which V8 would by default compile a second time, on all cores. And most
// processes end before code that V8 optimizes has paid for itself.
for (const flag of [
  'liftoff-only',
  'no-wasm-tier-up',
  'no-wasm-dynamic-tiering',
  'interrupt-budget=1000000',
]) {
  setFlagsFromString(`--${flag}`);
}

const filename = join(__dirname, 'script.js');
const cache = join(__dirname, 'script.cache');
const script = new Script(readFileSync(filename, 'latin1'), {
  filename,
  cachedData: existsSync(cache) ? readFileSync(cache) : undefined,
});
const bundle = { exports: {} };
const importModule = (path) => import(path);
const readFile = (name) => readFileSync(join(__dirname, name));
script.runInThisContext()(bundle.exports, require, bundle, importModule, readFile);

/** The exports of a module, by its path without the ending. */
exports.load = (path) => bundle.exports[path]();

/** Writes what has been compiled so far. */
exports.cacheCode = () => writeFileSync(cache, script.createCachedData());
