import SchemaBuilder, { ObjectFieldBuilder, type SchemaTypes } from '@pothos/core';
import ErrorsPlugin from '@pothos/plugin-errors';

import { type ASTNode, Kind } from 'graphql';
import { createGraphQLError } from 'graphql-yoga';
import type { Context } from '../../context.ts';
import { InvalidInputError } from '../../kernel/errors.ts';
import { timeOf } from '../../kernel/time.ts';
import { issuesOf } from '../../kernel/validate.ts';
import ZodPlugin from './validation.ts';

declare global {
  export namespace PothosSchemaTypes {
    interface ObjectFieldBuilder<Types extends SchemaTypes, ParentShape> {
      /**
       * A builder of fields whose `resolve` uses only these columns of the parent's row, so that a list need not read the
       * others. A field of any other builder needs all columns, unless it exposes a column.
       */
      using<C extends keyof ParentShape & string>(
        ...columns: readonly C[]
      ): ObjectFieldBuilder<Types, Pick<ParentShape, C>>;
    }
  }
}

export interface SchemaShape {
  Context: Context;
  DefaultFieldNullability: false;
  Scalars: {
    DateTime: { Input: Date; Output: Date };
    ID: { Input: string; Output: string | number };
    JSON: { Input: unknown; Output: unknown };
    URL: { Input: string; Output: string };
  };
}

/** The builder's types, with its defaults filled in. */
export type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaShape>;

type AnyFieldBuilder = PothosSchemaTypes.ObjectFieldBuilder<Types, object>;

ObjectFieldBuilder.prototype.using = function (this: AnyFieldBuilder, ...columns: readonly string[]) {
  return Object.create(this, {
    createField: {
      value: (options: { extensions?: object }) =>
        this.field({ ...options, extensions: { ...options.extensions, columns } } as never),
    },
  });
} as never;

/** The schema builder, to which every concept's graphql.ts adds its types. */
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

builder.queryType({ description: 'All read operations.' });
builder.mutationType({ description: 'All write operations. Each returns its payload or a typed error.' });

builder.scalarType('DateTime', {
  description: 'A date and time in ISO 8601, in UTC: `2026-01-31T12:00:00.000Z`.',
  serialize: (value) => value.toISOString(),
  parseValue: (value) => requireTime(value),
  // The node gives the error its location.
  parseLiteral: (node) => requireTime(node.kind === Kind.STRING ? node.value : undefined, node),
});

builder.scalarType('JSON', {
  description: 'Any JSON value: null, a boolean, a number, a string, a list or an object.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  serialize: (value) => value,
});

builder.scalarType('URL', {
  description: 'A URL with its scheme: `https://shop.example/`.',
  specifiedByURL: 'https://url.spec.whatwg.org/',
  serialize: (value) => value,
});

function requireTime(value: unknown, nodes?: ASTNode): Date {
  const time = timeOf(value);
  if (!time) {
    throw createGraphQLError('Must be an ISO 8601 time with a zone, such as 2026-01-31T12:00:00Z', { nodes });
  }
  return time;
}
