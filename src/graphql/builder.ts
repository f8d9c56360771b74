import SchemaBuilder from '@pothos/core';
import ErrorsPlugin from '@pothos/plugin-errors';
import ZodPlugin from '@pothos/plugin-zod';
import { createGraphQLError } from 'graphql-yoga';
import type { Context } from '../context.ts';
import { InvalidInputError } from '../kernel/errors.ts';
import { issuesOf } from '../kernel/validate.ts';

export interface SchemaShape {
  Context: Context;
  DefaultFieldNullability: false;
  Scalars: {
    DateTime: { Input: Date; Output: Date };
    ID: { Input: string; Output: string | number };
  };
}

/** The builder's types, with its defaults filled in. */
export type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaShape>;

/** The one schema builder: every concept's graphql.ts adds to it. */
export const builder = new SchemaBuilder<SchemaShape>({
  plugins: [ErrorsPlugin, ZodPlugin],
  defaultFieldNullability: false,
  errors: {
    defaultUnionOptions: {
      name: ({ fieldName }) => `${fieldName[0]!.toUpperCase()}${fieldName.slice(1)}Result`,
    },
    directResult: true,
  },
  zod: { validationError: (error) => new InvalidInputError(issuesOf(error)) },
});

builder.queryType({ description: 'Reads.' });
builder.mutationType({ description: 'Changes. Each answers its payload or a typed error.' });

builder.scalarType('DateTime', {
  description: 'A moment in UTC, ISO 8601: `2026-01-31T12:00:00.000Z`.',
  serialize: (value) => value.toISOString(),
  parseValue: (value) => {
    const isTime =
      typeof value === 'string' &&
      /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/.test(value);
    const time = new Date(isTime ? value : Number.NaN);
    if (Number.isNaN(time.getTime()))
      throw createGraphQLError('Must be an ISO 8601 time with a zone, such as 2026-01-31T12:00:00Z');
    return time;
  },
});

/** A description that ends with what REST calls the field. */
export const restName = (description: string, name: string) => `${description} REST: \`${name}\`.`;
