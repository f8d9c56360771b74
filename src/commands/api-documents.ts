import { routes, schema } from '../api.ts';
import { schemaDocument } from '../graphql/schema/schema-document.ts';
import { openapiOf } from '../rest/openapi/document.ts';
import { withRoleTable } from './role-table.ts';

/**
 * The committed documents of both surfaces, and the reference with its table of actions. Sorted, so that moving code does not change
 * them.
 */
export const apiDocuments = (reference: string) => ({
  'schema.graphql': schemaDocument(schema),
  'openapi.json': `${JSON.stringify(openapiOf(routes), sortKeys, 2)}\n`,
  'docs/reference.md': withRoleTable(reference),
});

function sortKeys(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
