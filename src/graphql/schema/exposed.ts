import type { EnumRef, FieldMap, ObjectRef } from '@pothos/core';
import type { Types } from './builder.ts';

/** The scalars of the schema that a value can be. */
type Scalar<V> = V extends string
  ? 'String' | 'ID' | 'URL'
  : V extends number
    ? 'Int' | 'Float' | 'ID'
    : V extends boolean
      ? 'Boolean'
      : V extends Date
        ? 'DateTime'
        : V extends readonly string[]
          ? '[String!]'
          : never;

type Required<V> = null extends V ? '' : undefined extends V ? '' : '!';

/** The field of a property as the schema has it, for example `name: String!`. Null belongs to the type, as in the property. */
type Signature<R> = {
  [K in keyof R & string]: `${K}: ${Scalar<NonNullable<R[K]>>}${Required<R[K]>}`;
}[keyof R & string];

/** The field of a property whose values are objects or those of an enum. */
export interface Property<V> {
  options: object;
  /** Never called. A property of another type does not fit. */
  accepts?: (value: V) => void;
}

/** An enum is a text for the database. */
export function property(type: EnumRef<Types, string>, description: string): Property<string>;
export function property<R>(type: ObjectRef<Types, R>, description: string): Property<R>;
export function property<R>(
  type: readonly [ObjectRef<Types, R>],
  description: string,
): Property<readonly R[]>;
export function property(
  type: readonly [EnumRef<Types, string>],
  description: string,
): Property<readonly string[]>;
export function property(type: unknown, description: string): Property<never> {
  return { options: { type, description } };
}

/** As `property`, if it can be null. */
export function propertyOrNull(
  type: EnumRef<Types, string>,
  description: string,
): Property<string | null | undefined>;
export function propertyOrNull<R>(
  type: ObjectRef<Types, R>,
  description: string,
): Property<R | null | undefined>;
export function propertyOrNull<R>(
  type: readonly [ObjectRef<Types, R>],
  description: string,
): Property<readonly R[] | null | undefined>;
export function propertyOrNull(type: unknown, description: string): Property<never> {
  return { options: { type, description, nullable: true } };
}

/**
 * Fields whose values are the properties of the same names. Those with scalars are written as in the schema, with their
 * descriptions: `{ 'name: String!': 'The name.', team: property(Team, 'The team.') }`.
 */
export type Exposed<R> = { readonly [S in Signature<R>]?: string } & {
  readonly [K in keyof R & string]?: Property<R[K]>;
};

export const exposed = <R extends object>(
  t: PothosSchemaTypes.ObjectFieldBuilder<Types, R>,
  fields: Exposed<R> = {},
): FieldMap =>
  Object.fromEntries(
    Object.entries<string | Property<never>>(fields).map(([signature, field]) => {
      const [name, type = ''] = signature.split(': ');
      const options = typeof field === 'string' ? scalarOptions(type, field) : field.options;
      return [name, t.expose(name as never, options as never)];
    }),
  );

function scalarOptions(type: string, description: string): object {
  const [, list, scalar, required] = /^(\[?)(\w+)(?:!\])?(!?)$/.exec(type)!;
  return { type: list ? [scalar] : scalar, nullable: !required, description };
}
