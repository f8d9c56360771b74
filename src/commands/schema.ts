import { writeFileSync } from 'node:fs';
import { apiDocuments } from './api-documents.ts';

for (const [name, text] of Object.entries(apiDocuments())) {
  writeFileSync(new URL(`../../${name}`, import.meta.url), text);
}
