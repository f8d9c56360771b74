import type { GraphQLField } from 'graphql';

/** The options of a field that is null only together with an error, because the caller may not read it or a driver fails. */
export const nullOnError = { nullable: true, extensions: { isNullOnError: true } } as const;

export const isNullOnError = ({ extensions }: Pick<GraphQLField<unknown, unknown>, 'extensions'>): boolean =>
  extensions.isNullOnError === true;
