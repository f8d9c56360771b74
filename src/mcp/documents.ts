import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import { compositeDocument, compositeSchemaPath } from '../graphql/schema/composite-document.ts';
import { contentTypes, StaticDocument, sendDocument } from '../http/static.ts';
import { builtFile, copiedFile } from '../kernel/files.ts';

export const readReference = (): Promise<string> => readFile(copiedFile('reference.md'), 'utf8');

/** The schema as a file has it: printing it would block other requests. */
export const readSchema = (): Promise<string> => readFile(copiedFile('schema.graphql'), 'utf8');

/** The command line, as the build makes it. */
const readCommandLine = (): Promise<string> => readFile(builtFile('cli/trellis.mjs'), 'utf8');

export interface DocumentPaths {
  graphqlPath: string;
  restPath: string;
  openapiPath: string;
  mcpPath: string;
  operationsPath: string;
}

/** Where the command line is served. */
const commandLinePath = '/cli/trellis.mjs';

/** Where the JSON Schema of manifests is served. */
const manifestSchemaPath = '/manifest.schema.json';

const types: Record<string, string> = {
  [manifestSchemaPath]: contentTypes.jsonSchema,
  [commandLinePath]: contentTypes.js,
};

/** @see https://llmstxt.org */
const llmsText = ({
  graphqlPath,
  restPath,
  openapiPath,
  mcpPath,
  operationsPath,
}: DocumentPaths) => `# Trellis

> The management API of a cloud application platform: teams, regions (clusters), applications, components and ports, with
> gateway rules, certificates and an app store.

Requests take \`Authorization: Bearer <token>\`. The documents below need no token.

- GraphQL: POST ${graphqlPath}
- REST, every operation: ${operationsPath}
- REST, the operations of a contract for existing clients: ${restPath}
- Model Context Protocol (streamable HTTP): POST ${mcpPath}

## Documents

- [Reference](/reference.md): roles, errors, limits, jobs, revisions, ports, gateway rules, installs and upgrades
- [GraphQL schema](/schema.graphql): all types, queries and mutations, with their descriptions
- [Composite schema](${compositeSchemaPath}): the GraphQL schema for gateways that join it with others
- [Command line](${commandLinePath}): plans, applies and exports applications as files, with Node.js alone
- [Manifest schema](${manifestSchemaPath}): the JSON Schema of an application as a file
- [OpenAPI document of all operations](${operationsPath}/openapi.json): every change, and reads of every object
- [OpenAPI document of the contract](${openapiPath}): the operations for existing clients
- [REST docs](${restPath}/docs): both as a page
`;

/** Serves the documents for programs that write requests: `/llms.txt` and what it points to. */
export function createDocuments(schema: GraphQLSchema, paths: DocumentPaths, manifestSchema: () => object) {
  const texts: Record<string, () => string | Promise<string>> = {
    '/llms.txt': () => llmsText(paths),
    '/reference.md': readReference,
    '/schema.graphql': readSchema,
    [compositeSchemaPath]: () => compositeDocument(schema),
    [manifestSchemaPath]: () => `${JSON.stringify(manifestSchema(), null, 2)}\n`,
    [commandLinePath]: readCommandLine,
  };
  const made = new Map<string, Promise<StaticDocument>>();

  /** Made at the first request, because most servers never serve them. */
  function find(path: string): Promise<StaticDocument> {
    const earlier = made.get(path);
    if (earlier) return earlier;
    const text = Promise.resolve(texts[path]!());
    const type = types[path] ?? contentTypes.text;
    const document = text.then((body) => new StaticDocument(type, body));
    made.set(path, document);
    document.catch(() => made.delete(path));
    return document;
  }

  return {
    serves: (path: string) => Object.hasOwn(texts, path),
    async answer(req: IncomingMessage, res: ServerResponse, path: string): Promise<void> {
      await sendDocument(req, res, await find(path), 'no-cache');
    },
  };
}
