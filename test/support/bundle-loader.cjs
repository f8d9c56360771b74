// Loads the script of a bundle (see bundled.ts) with its code cache. It is copied beside it.
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');

const filename = join(__dirname, 'script.js');
const cache = join(__dirname, 'script.cache');
const script = new Script(
  `(function (exports, require, module, importModule, readFile) {${readFileSync(filename, 'latin1')}\n})`,
  { filename, cachedData: existsSync(cache) ? readFileSync(cache) : undefined },
);
const bundle = { exports: {} };
const importModule = (path) => import(path);
const readFile = (name) => readFileSync(join(__dirname, name));
script.runInThisContext()(bundle.exports, require, bundle, importModule, readFile);

/** The exports of a module, by its path without the ending. */
exports.load = (path) => bundle.exports[path]();

/** Writes what has been compiled so far. */
exports.cacheCode = () => writeFileSync(cache, script.createCachedData());
