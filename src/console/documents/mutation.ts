import type { introspection } from '../generated/schema.d.ts';

type Name = keyof introspection['types']['Mutation']['fields'] & string;

type Payload<Type extends string, Selection extends string> = Selection extends ''
  ? ''
  : `... on ${Type}Payload { ${Selection} }`;

/** The text of a mutation: what is read of its payload, or why it was refused. `graphql` types it, with `FailureParts`. */
export function mutation<const Field extends Name, const Selection extends string = ''>(
  field: Field,
  selection?: Selection,
) {
  const type = (field.slice(0, 1).toUpperCase() + field.slice(1)) as Capitalize<Field>;
  const payload = (selection ? `... on ${type}Payload { ${selection} }` : '') as Payload<
    Capitalize<Field>,
    Selection
  >;
  return `
  mutation ${type}($input: ${type}Input!) {
    result: ${field}(input: $input) {
      __typename
      ${payload}
      ... on Error { ...FailureParts }
    }
  }
` as const;
}
