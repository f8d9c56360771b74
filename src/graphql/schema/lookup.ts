import type { InputRef, ObjectRef } from '@pothos/core';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { builder, type Types } from './builder.ts';
import { nullOnError } from './null-on-error.ts';
import { validatedBy } from './validation.ts';

interface Lookup<Ref, R> {
  description: string;
  ref: InputRef<Ref>;
  schema: z.ZodType<Ref>;
  /** The description of the argument, if it does not only name the object. */
  by?: string;
  /** Throws if the object does not exist or is not visible to the caller. */
  read(context: Context, ref: Ref): Promise<R>;
}

/** A query of one object by a reference. */
export const lookup = <Ref, R>(
  name: string,
  type: ObjectRef<Types, R>,
  { description, ref, schema, by = `The ${name} to look up.`, read }: Lookup<Ref, R>,
): void =>
  builder.queryField(name, (t) =>
    t.field({
      type,
      ...nullOnError,
      description,
      args: { by: t.arg({ type: ref, required: true, description: by, validate: validatedBy(schema) }) },
      resolve: ((_: object, args: { by: Ref }, context: Context) => read(context, args.by)) as never,
    }),
  );
