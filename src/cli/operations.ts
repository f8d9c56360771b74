import { parsed, reach } from './api.ts';
import { Failure } from './failure.ts';

/** The part of a JSON Schema that the command line reads to parse an argument. */
interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  type?: string | string[];
  properties?: Record<string, Schema>;
}

/** An operation, as the OpenAPI document of the gateway describes it. */
export interface Operation {
  name: string;
  title: string;
  description: string;
  isChange: boolean;
  /** The schemas of its arguments. */
  properties: Record<string, Schema>;
  /** A schema without references and without null. */
  resolve(schema: Schema | undefined): Schema;
}

interface Described {
  summary: string;
  description: string;
  parameters: { name?: string; in?: string; schema?: Schema; content?: Media }[];
  requestBody?: { content: Media };
}

type Media = { 'application/json': { schema: Schema } };

interface OpenApi {
  paths: Record<string, { get?: Described; post?: Described }>;
  components: { schemas: Record<string, Schema> };
}

export async function operationsOf(url: string): Promise<Operation[]> {
  const { status, text } = await reach(`${url}/api/v1/openapi.json`, {});
  const document = status === 200 ? parsed<OpenApi>(text) : undefined;
  if (!document?.paths)
    throw new Failure(`${url} has no operations: it responded with the status ${status}. Is it a gateway?`);
  const resolve = (schema: Schema = {}): Schema => {
    if (schema.$ref) return resolve(document.components.schemas[schema.$ref.split('/').at(-1)!]);
    return schema.anyOf ? resolve(schema.anyOf[0]) : schema;
  };
  return Object.entries(document.paths).map(([path, { get, post }]) => {
    const { summary, description, parameters, requestBody } = (post ?? get)!;
    const asked = parameters.flatMap(({ name, in: place, schema, content }) =>
      name && place === 'query' ? [[name, (schema ?? content?.['application/json'].schema)!] as const] : [],
    );
    const properties = requestBody
      ? (resolve(requestBody.content['application/json'].schema).properties ?? {})
      : Object.fromEntries(asked);
    return {
      name: path.slice(1),
      title: summary,
      description,
      isChange: post !== undefined,
      properties,
      resolve,
    };
  });
}
