import type { introspection } from '../generated/schema.d.ts';
import { FailureParts, PlanParts } from './act-parts.ts';
import { documentOf, type Fragments, type Typed } from './query.ts';

type Name = keyof introspection['types']['Mutation']['fields'] & string;

type Payload<Type extends string, Selection extends string> = Selection extends ''
  ? ''
  : `... on ${Type}Payload { ${Selection} }`;

/** The text of a mutation: what is read of its payload, or why it was refused. */
type Text<Field extends string, Selection extends string> = `
  mutation ${Capitalize<Field>}($input: ${Capitalize<Field>}Input!) {
    result: ${Field}(input: $input) {
      __typename
      ${Payload<Capitalize<Field>, Selection>}
      ... on Error { ...FailureParts }
    }
  }
`;

function textOf(field: string, selection: string): string {
  const type = field.slice(0, 1).toUpperCase() + field.slice(1);
  const payload = selection ? `... on ${type}Payload { ${selection} }` : '';
  return `mutation ${type}($input: ${type}Input!) {
    result: ${field}(input: $input) { __typename ${payload} ... on Error { ...FailureParts } }
  }`;
}

/** A mutation, with what is read of its payload and the fragments of that. */
export const mutation = <
  const Field extends Name,
  const Selection extends string = '',
  const F extends Fragments = [],
>(
  field: Field,
  selection?: Selection,
  fragments?: F,
): Typed<Text<Field, Selection>, [...F, typeof FailureParts]> =>
  documentOf(textOf(field, selection ?? ''), [...(fragments ?? []), FailureParts]) as never;

/** A mutation whose plan is read as well. */
export const planned = <
  const Field extends Name,
  const Selection extends string = '',
  const F extends Fragments = [],
>(
  field: Field,
  selection?: Selection,
  fragments?: F,
): Typed<Text<Field, `plan { ...PlanParts } ${Selection}`>, [typeof PlanParts, ...F, typeof FailureParts]> =>
  documentOf(textOf(field, `plan { ...PlanParts } ${selection ?? ''}`), [
    PlanParts,
    ...(fragments ?? []),
    FailureParts,
  ]) as never;
