// npm run check: writes the types of schema.graphql that the documents of the console are typed with, and validates each
// document, which the types alone would not do.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal';
import {
  buildSchema,
  introspectionFromSchema,
  NoDeprecatedCustomRule,
  NoUnusedFragmentsRule,
  printError,
  specifiedRules,
  validate,
} from 'graphql';
import { possibleTypes } from './api/possible-types.ts';
import { mutationDocument } from './documents/mutation.ts';
import { payloadFields } from './schema.mjs';

const at = (path) => new URL(path, import.meta.url);
const text = readFileSync(at('../../schema.graphql'), 'utf8');
const schema = buildSchema(text);

const types = outputIntrospectionFile(minifyIntrospection(introspectionFromSchema(schema)), {
  fileType: '.d.ts',
  shouldPreprocess: true,
});
mkdirSync(at('generated/'), { recursive: true });
writeFileSync(at('generated/schema.d.ts'), types);

for (const [name, known] of Object.entries(possibleTypes)) {
  const types = schema.getPossibleTypes(schema.getType(name)).map((type) => type.name);
  if (types.sort().join() === known.join()) continue;
  process.stderr.write(`src/console/api/possible-types.ts: the types of ${name} are ${types.join(', ')}\n`);
  process.exitCode = 1;
}

const isDocument = (value) => value?.kind === 'Document';
const rules = [...specifiedRules, NoDeprecatedCustomRule];
const rulesFor = ({ definitions }) =>
  definitions.some(({ kind }) => kind === 'OperationDefinition')
    ? rules
    : rules.filter((rule) => rule !== NoUnusedFragmentsRule);

function check(file, name, document) {
  for (const error of validate(schema, document, rulesFor(document))) {
    process.stderr.write(`src/console/documents/${file}, ${name}: ${printError(error)}\n\n`);
    process.exitCode = 1;
  }
}

for (const file of readdirSync(at('documents/'))) {
  const exported = await import(at(`documents/${file}`).href);
  for (const [name, document] of Object.entries(exported))
    if (isDocument(document)) check(file, name, document);
}
const payloads = payloadFields(text);
for (const name of Object.keys(payloads)) check('mutation.ts', name, mutationDocument(name, payloads));
