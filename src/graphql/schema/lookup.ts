import type { ObjectRef } from '@pothos/core';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { builder, type Types } from './builder.ts';
import { inputTypeOf } from './input.ts';
import { nullOnError } from './null-on-error.ts';
import { validatedBy } from './validation.ts';
import { wordsOf } from './words.ts';

interface Lookup<Ref, R> {
  /** The description, if it does not only say what is looked up. */
  description?: string;
  /** What identifies the object, defined by `referenceOf`. */
  ref: z.ZodType<Ref>;
  /** The description of the argument, if it does not only name the object. */
  by?: string;
  /** Throws if the object does not exist or is not visible to the caller. */
  read(context: Context, ref: Ref): Promise<R>;
}

const descriptionOf = (noun: string) =>
  `Looks up ${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}. Fails with NOT_FOUND if it does not exist or is not visible to the caller.`;

/** A query of one object by a reference. */
export function lookup<Ref, R>(
  name: string,
  type: ObjectRef<Types, R>,
  { description, ref, by, read }: Lookup<Ref, R>,
): void {
  const noun = wordsOf(name);
  builder.queryField(name, (t) =>
    t.field({
      type,
      ...nullOnError,
      description: description ?? descriptionOf(noun),
      args: {
        by: t.arg({
          type: inputTypeOf(ref) as never,
          required: true,
          description: by ?? `The ${noun} to look up.`,
          validate: validatedBy(ref),
        }),
      },
      resolve: ((_: object, args: { by: Ref }, context: Context) => read(context, args.by)) as never,
    }),
  );
}
