import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vitest/config';
import { builtModules } from './built.ts';

const sources = fileURLToPath(new URL('../../src/', import.meta.url));

/**
 * Imports the built modules, which Node then loads by itself. Otherwise each worker would transform the sources and
 * reach every imported name through an object.
 */
export function compiledSources(): Plugin {
  const folder = builtModules();
  return {
    name: 'compiled-sources',
    enforce: 'pre',
    resolveId(id, importer) {
      if (!importer || !id.startsWith('.')) return undefined;
      const path = resolve(dirname(importer), id);
      if (!path.startsWith(sources)) return undefined;
      const file = join(folder, relative(sources, path).replace(/\.ts$/, '.js'));
      // Commands for developers are not compiled.
      return existsSync(file) ? file : undefined;
    },
  };
}
