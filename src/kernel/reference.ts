import { z } from 'zod';
import { line } from './validate.ts';

/** An identifier or unique name of type string. */
export const identifier = (description: string) => line(300).optional().describe(description);

/** A 32-bit identifier. */
export const integerId = (description: string) => z.int32().min(1).optional().describe(description);

/** A reference to an entity, with exactly one field set. In GraphQL, `@oneOf` enforces this. */
export const reference = <S extends z.ZodRawShape>(noun: string, shape: S) =>
  z
    .strictObject({
      id: z
        .string()
        .min(1)
        .max(300)
        .optional()
        .meta({ scalar: 'ID', description: `The global id of the ${noun}.` }),
      ...shape,
    })
    .refine(
      (value) => Object.values(value).filter((each) => each != null).length === 1,
      'Set exactly one of the fields',
    );
