// Collects the documents that the console sends, so that a gateway that only executes trusted documents knows them.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { payloadFields } from './schema.mjs';

const folder = fileURLToPath(new URL('./documents/', import.meta.url));

/** The program: the modules of all documents, and the functions that make texts of documents in the browser. */
const entry = (files, payloads) => `
import { formatDocument, stringifyDocument } from '@urql/core';
const modules = [${files.map((_, index) => `module${index}`).join(', ')}];
${files.map((file, index) => `import * as module${index} from './${file}';`).join('\n')}
import { mutationDocument } from './mutation.ts';
const payloads = ${JSON.stringify(payloads)};
const mutations = Object.keys(payloads).map((name) => mutationDocument(name, payloads));
const others = modules.flatMap((module) => Object.values(module));
export const documents = [...mutations, ...others].flatMap((document) => {
  const operation = document?.definitions?.find(({ kind }) => kind === 'OperationDefinition');
  if (!operation) return [];
  // The cache adds type names; what goes past it is sent as it is.
  const texts = new Set([stringifyDocument(document), stringifyDocument(formatDocument(document))]);
  return [...texts].map((text) => ({ id: 'console/' + operation.name.value, text }));
});`;

/** The documents with their ids. Throws if a document of the console has no name. */
export async function consoleDocuments() {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.ts'))
    .sort();
  const schema = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8');
  const { outputFiles } = await build({
    stdin: { contents: entry(files, payloadFields(schema)), resolveDir: folder, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
  });
  const made = mkdtempSync(join(tmpdir(), 'trellis-documents-'));
  try {
    const file = join(made, 'documents.mjs');
    writeFileSync(file, outputFiles[0].text);
    return (await import(pathToFileURL(file).href)).documents;
  } finally {
    rmSync(made, { recursive: true });
  }
}
