import { graphql } from '../api/graphql.ts';

export type Fragments = NonNullable<Parameters<typeof graphql>[1]>;

/** The document of a text. A function of one overload, for the type of its result. */
export const documentOf = <const Text extends string, const F extends Fragments>(text: Text, fragments: F) =>
  graphql(text, fragments);

export type Typed<Text extends string, F extends Fragments> = ReturnType<typeof documentOf<Text, F>>;

type Found =
  | 'application'
  | 'component'
  | 'job'
  | 'port'
  | 'region'
  | 'release'
  | 'run'
  | 'team'
  | 'template'
  | 'user'
  | 'webhook';

type Text<
  Field extends string,
  Name extends string,
  Selection extends string,
  Variables extends string,
> = `query ${Name}($by: ${Capitalize<Field>}Ref! ${Variables}) { ${Field}(by: $by) { ${Selection} } }`;

/** A query of one object by its reference. `select` is the selection of the object. */
export function lookup<
  const Field extends Found,
  const Name extends string,
  const Selection extends string,
  const F extends Fragments = Fragments,
  const Variables extends string = '',
>(
  field: Field,
  name: Name,
  options: { select: Selection; fragments?: F; variables?: Variables },
): Typed<Text<Field, Name, Selection, Variables>, F> {
  const type = field.slice(0, 1).toUpperCase() + field.slice(1);
  const { select, fragments, variables = '' } = options;
  const text: string = `query ${name}($by: ${type}Ref! ${variables}) { ${field}(by: $by) { ${select} } }`;
  return documentOf(text, fragments ?? []) as never;
}

/** What is selected of a list that has further pages. */
export const page = <const Selection extends string>(selection: Selection) =>
  `totalCount pageInfo { endCursor hasNextPage } nodes { ${selection} }` as const;
