import { writeFileSync } from 'node:fs';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from '../api.ts';

const file = new URL('../../schema.graphql', import.meta.url);
writeFileSync(file, `${printSchema(lexicographicSortSchema(schema))}\n`);
