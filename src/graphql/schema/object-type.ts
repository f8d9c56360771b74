import type { FieldMap, ObjectRef } from '@pothos/core';
import { builder, type Types } from './builder.ts';
import { type Exposed, exposed } from './exposed.ts';

/** What an object type consists of. */
export interface ObjectOptions<R extends object> {
  description: string;
  /** The fields that need no more than a property. */
  exposes?: Exposed<R>;
  fields?: (t: PothosSchemaTypes.ObjectFieldBuilder<Types, R>) => FieldMap;
}

/** The type of objects without an identity of their own. Those that have one are an `entity`. */
export const objectType = <R extends object>(
  name: string,
  { description, exposes, fields }: ObjectOptions<R>,
): ObjectRef<Types, R> =>
  builder.objectRef<R>(name).implement({
    description,
    fields: (t) => ({ ...exposed<R>(t, exposes), ...(fields?.(t) as Record<string, never>) }),
  });
