import type { z } from 'zod';
import type { ErrorCode } from '../../kernel/error-codes.ts';
import { groupBy } from '../../kernel/group.ts';
import { type Route, restPath, tags } from '../route.ts';
import { answerSchemas, bodySchemas } from '../view.ts';
import {
  codesByStatus,
  commonHeaders,
  failureAnswer,
  failureName,
  idempotencyKey,
  ofAll,
  ofBodies,
  ofPaths,
  requestIdHeader,
  securitySchemes,
} from './common.ts';
import { exampleOf, examplesOf, inlineSchema, refOrSchema, schemasOf } from './schema.ts';

export const openapiPath = `${restPath}/openapi.json`;

const description = `The REST API of the platform, for scripts and existing clients. It has the operations of the contract, a REST interface that
existing clients of such platforms use, and keeps its paths and names. Each operation requires the same rights and has the same
errors as its counterpart in the GraphQL API, which offers many more.

- Every operation requires an access token, as \`Authorization: Bearer <token>\` or without a scheme.
- Paths that support GET also support HEAD. Every path supports OPTIONS.
- Responses to GET have an \`ETag\`. Send it as \`If-None-Match\` to receive 304 if the response is unchanged.
- Operations that change a port take its \`ETag\` as \`If-Match\`, and fail with CONFLICT if the port has changed since.
- Operations that change something take an \`Idempotency-Key\`: the same request with the same key changes nothing and
  has the same response.
- Errors are problem documents (RFC 9457). Use \`code\` in programs; \`issues\` lists every invalid field.
- Unknown fields and parameters are rejected. In a body, null is accepted as an empty list.`;

/** The error codes of a route by status. A status can have several codes. */
function failuresOf({ params, body, errors }: Route): Map<number, ErrorCode[]> {
  const codes = new Set([
    ...ofAll,
    ...(Object.keys(params.shape).length > 0 ? ofPaths : []),
    ...(body ? ofBodies : []),
    ...errors,
  ]);
  const byStatus = codesByStatus(codes);
  // A timeout of a store has a different status.
  if (codes.has('STORE_UNAVAILABLE')) byStatus.set(504, ['STORE_UNAVAILABLE']);
  return byStatus;
}

const parametersOf = (place: 'path' | 'query', { shape }: z.ZodObject) =>
  Object.entries(shape).map(([name, of]) => {
    const { description: text, examples, ...schema } = inlineSchema(of as z.ZodType);
    const required = place === 'path';
    // Swagger UI fills in examples, so optional parameters have none.
    const example = required ? { example: (examples as unknown[])[0] } : {};
    return { name, in: place, required, description: text, schema, ...example };
  });

function operationOf(route: Route) {
  const { method, operationId, tag, summary, params, query, body, answer } = route;
  const isRead = method === 'get';
  const isChange = route.change !== undefined;
  const failures = [...failuresOf(route).keys()].map((status) => [
    status,
    { $ref: `#/components/responses/${failureName(status)}` },
  ]);
  return {
    operationId,
    tags: [tag],
    summary,
    description: route.description,
    parameters: [
      ...parametersOf('path', params),
      ...parametersOf('query', query),
      ...(isRead ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
      ...(route.takesIfMatch ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
      ...(isChange ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: refOrSchema(bodySchemas, body), ...examplesOf(body) } },
      },
    }),
    responses: {
      200: {
        description: 'Success.',
        headers: {
          ...requestIdHeader,
          ...(isRead && { ETag: { $ref: '#/components/headers/ETag' } }),
          ...(route.etag && { ETag: { $ref: '#/components/headers/PortETag' } }),
          ...(isChange && { 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } }),
        },
        content: {
          'application/json': { schema: refOrSchema(answerSchemas, answer), example: exampleOf(answer) },
        },
      },
      ...(isRead && { 304: { $ref: '#/components/responses/NotModified' } }),
      ...Object.fromEntries(failures),
    },
  };
}

/** The OpenAPI document of the routes. @see https://spec.openapis.org/oas/v3.1.1.html */
export function openapiOf(routes: readonly Route[]) {
  const failures = new Map(routes.flatMap((route) => [...failuresOf(route)]));
  // Routes differ in the codes of a status; the shared component lists all of them.
  for (const route of routes) {
    for (const [status, codes] of failuresOf(route)) {
      failures.set(status, [...new Set([...failures.get(status)!, ...codes])]);
    }
  }
  const paths = [...groupBy(routes, ({ path }) => path)].map(([path, group]) => [
    path,
    Object.fromEntries(group.map((route) => [route.method, operationOf(route)])),
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Trellis REST API',
      version: '1.0.0',
      summary: 'Teams, regions, applications, components and ports of an application platform.',
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: restPath, description: 'This server.' }],
    security: [{ bearer: [] }, { bare: [] }],
    tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes,
      parameters: {
        IfNoneMatch: {
          name: 'If-None-Match',
          in: 'header',
          description: 'The `ETag` of a cached response. Returns 304 if the response is unchanged.',
          schema: { type: 'string' },
        },
        IfMatch: {
          name: 'If-Match',
          in: 'header',
          description:
            'The strong entity tag of the port or, for an upgrade, of the application: its global id and its `revision` in GraphQL, joined by a dot. Or several of them, or `*`. CONFLICT if the object has changed since. Nothing is changed then.',
          schema: { type: 'string', maxLength: 4096 },
        },
        IdempotencyKey: idempotencyKey,
      },
      headers: {
        ...commonHeaders,
        PortETag: {
          description:
            'The strong entity tag of the port, for the `If-Match` of the next change: its global id and its `revision` in GraphQL, joined by a dot.',
          schema: { type: 'string' },
        },
        ETag: {
          description: 'An identifier of the content of the response, for `If-None-Match`.',
          schema: { type: 'string' },
        },
      },
      responses: {
        NotModified: {
          description: 'The response is unchanged since the one that `If-None-Match` identifies.',
          headers: { ETag: { $ref: '#/components/headers/ETag' } },
        },
        ...Object.fromEntries(
          [...failures].map(([status, codes]) => [failureName(status), failureAnswer(status, codes)]),
        ),
      },
      schemas: { ...schemasOf(answerSchemas, 'output'), ...schemasOf(bodySchemas, 'input') },
    },
  };
}
