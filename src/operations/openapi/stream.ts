import { codesByStatus, failureName, ofAll, requestIdHeader } from '../../rest/openapi/common.ts';
import { linesType, type StreamOperation } from '../stream.ts';
import type { Json } from './schemas.ts';
import { tagOf } from './tags.ts';

/** The path item of an operation whose response is a stream of lines. */
export function streamItem({ path, title, description, inputSchema, line }: StreamOperation): Json {
  const failures = [...codesByStatus([...ofAll, 'FORBIDDEN']).keys()].map((status) => [
    status,
    { $ref: `#/components/responses/${failureName(status)}` },
  ]);
  return {
    get: {
      operationId: path.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
      tags: [tagOf(path)],
      summary: title,
      description,
      parameters: Object.entries(inputSchema.properties!).map(([name, { description: text, ...schema }]) => ({
        name,
        in: 'query',
        description: text,
        schema,
      })),
      responses: {
        200: {
          description: 'JSON values, one in each line.',
          headers: requestIdHeader,
          content: { [linesType]: line },
        },
        ...Object.fromEntries(failures),
      },
    },
  };
}
