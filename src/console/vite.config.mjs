import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { actionGroups, enumName } from '../kernel/actions.ts';
import { consoleDocuments } from './documents.mjs';
import { inputSchemas, payloadFields } from './schema.mjs';

/** What modules export that are made of the API. */
const exported = {
  /** The JSON Schemas of the inputs, and the fields that are read of payloads. */
  'virtual:schema'() {
    const text = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8');
    return { inputs: inputSchemas(text), payloads: payloadFields(text) };
  },
  /** The actions in words. */
  'virtual:actions': () => ({
    groups: actionGroups.map(({ actions, ...group }) => ({
      ...group,
      actions: Object.entries(actions).map(([name, [, words]]) => [enumName(name), words]),
    })),
  }),
};

const made = {
  name: 'made',
  resolveId: (id) => (id in exported ? `\0${id}` : undefined),
  load(id) {
    const values = exported[id.slice(1)]?.();
    if (!values) return undefined;
    return Object.entries(values)
      .map(([name, value]) => `export const ${name} = JSON.parse(${JSON.stringify(JSON.stringify(value))});`)
      .join('\n');
  },
};

/** The file with the documents that the console sends, which the gateway trusts. */
const documents = {
  name: 'documents',
  apply: 'build',
  async generateBundle() {
    const source = JSON.stringify(await consoleDocuments());
    this.emitFile({ type: 'asset', fileName: 'documents.json', source });
  },
};

// `npm run build` builds the console into dist/console, which src/http/console.ts serves.
// `npx vite src/console` serves it with reloads, in front of a server on port 4000.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  logLevel: 'warn',
  plugins: [made, documents],
  build: {
    outDir: process.env.CONSOLE_OUT ?? '../../dist/console',
    emptyOutDir: true,
    assetsDir: '',
    target: 'es2022',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // elkjs, the layout of the map, is one file of its own that is loaded with the map.
    chunkSizeWarningLimit: 2_000,
    rolldownOptions: {
      // Libraries mark modules for servers that render React, which means nothing here.
      onLog: (level, log, tell) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && tell(level, log),
      // On a busy machine, the first lines of the demo would be about the build.
      checks: { pluginTimings: false },
    },
  },
  server: {
    proxy: {
      '/auth': 'http://127.0.0.1:4000',
      '/graphql': 'http://127.0.0.1:4000',
      '/favicon.svg': 'http://127.0.0.1:4000',
    },
  },
});
