import { type GraphQLSchema, isObjectType, Kind, lexicographicSortSchema, parse, printSchema } from 'graphql';
import { annotate } from './annotate.ts';
import { isNullOnError } from './null-on-error.ts';

const definition = `"""
Marks a field that is null only together with an error. \`levels\` are the levels of a list that this concerns: 0 is the field itself.
"""
directive @semanticNonNull(levels: [Int!]! = [0]) on FIELD_DEFINITION
`;

/** The schema as a sorted text. */
export const printedSchema = (schema: GraphQLSchema): string => printSchema(lexicographicSortSchema(schema));

/**
 * The schema as `schema.graphql` has it, with `@semanticNonNull`. The directive is in the document alone, and changes nothing
 * for execution, validation and introspection.
 */
export const schemaDocument = (schema: GraphQLSchema): string => {
  const text = printedSchema(schema);
  const insertions = parse(text).definitions.flatMap((node) => {
    const type = 'name' in node && schema.getType(node.name!.value);
    if (node.kind !== Kind.OBJECT_TYPE_DEFINITION || !isObjectType(type)) return [];
    const marked = (node.fields ?? []).filter(({ name }) => isNullOnError(type.getFields()[name.value]!));
    return marked.map((field) => ({ at: field.type.loc!.end, text: ' @semanticNonNull' }));
  });
  return `${definition}\n${annotate(text, insertions)}\n`;
};
