import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { buildSchema, isAbstractType } from 'graphql';

const schema = buildSchema(readFileSync('../../schema.graphql', 'utf8'));
const abstract = Object.values(schema.getTypeMap()).filter(isAbstractType);
const possibleTypes = Object.fromEntries(
  abstract.map((type) => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)]),
);
mkdirSync('generated', { recursive: true });
writeFileSync(
  'generated/possible-types.ts',
  `export const possibleTypes = ${JSON.stringify(possibleTypes, null, 2)};\n`,
);
