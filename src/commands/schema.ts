import { readFileSync, writeFileSync } from 'node:fs';
import { apiDocuments } from './api-documents.ts';

const at = (name: string) => new URL(`../../${name}`, import.meta.url);
const reference = readFileSync(at('docs/reference.md'), 'utf8');

for (const [name, text] of Object.entries(apiDocuments(reference))) {
  writeFileSync(at(name), text);
}
