// Loads the script of a bundle (see bundled.ts) with its code cache. It is copied beside it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

const filename = fileURLToPath(new URL('script.cjs', import.meta.url));
const cache = fileURLToPath(new URL('script.cache', import.meta.url));
const script = new Script(
  `(function (exports, require, module, importModule) {${readFileSync(filename, 'latin1')}\n})`,
  { filename, cachedData: existsSync(cache) ? readFileSync(cache) : undefined },
);
const module = { exports: {} };
script.runInThisContext()(module.exports, createRequire(import.meta.url), module, (path) => import(path));

/** The exports of a module, by its path without the ending. */
export const load = (path) => module.exports[path]();

/** Writes what has been compiled so far. */
export const cacheCode = () => writeFileSync(cache, script.createCachedData());
