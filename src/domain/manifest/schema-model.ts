import { z } from 'zod';
import { secret } from '../plan/component-model.ts';
import { manifestDocument } from '../plan/document-model.ts';

/** An object that the command line replaces by a value before it sends a document. */
const replaced = (field: string, description: string) => ({
  type: 'object',
  properties: { [field]: { type: 'string', minLength: 1, description } },
  required: [field],
  additionalProperties: false,
});

/** The JSON Schema of a manifest as a file, for editors. */
export function manifestSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(manifestDocument, {
      io: 'input',
      unrepresentable: 'any',
      override({ zodSchema, jsonSchema }) {
        // Drops the bounds of safe integers, which zod adds to every integer.
        if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
        if ((zodSchema as unknown) !== secret) return;
        const { description } = jsonSchema;
        for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
        Object.assign(jsonSchema, {
          description: `\`preserve\` keeps the stored value, and fails where there is none. The command line reads the others.`,
          anyOf: [
            { type: 'string', const: 'preserve', description },
            replaced('env', 'The environment variable that has the value.'),
            replaced('file', 'The file that has the value.'),
          ],
        });
      },
    }),
    title: 'Trellis manifest',
  };
}
