import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import type { Context } from '../context.ts';
import { acceptsJson } from '../http/accept.ts';
import { jsonOf, type ReadBody } from '../http/body.ts';
import { failureHeaders } from '../http/failure-headers.ts';
import { requireJson } from '../http/media-type.ts';
import { requestIdOf } from '../http/request.ts';
import { sendText } from '../http/send.ts';
import {
  ApiError,
  ForbiddenError,
  InvalidInputError,
  MethodNotAllowedError,
  NotAcceptableError,
} from '../kernel/errors.ts';
import { onDemand } from '../kernel/on-demand.ts';
import { noteError, type RequestFacts } from '../kernel/telemetry.ts';
import type { Execute } from '../operations/call.ts';
import { prepareOperations } from '../operations/operation.ts';

export const mcpPath = '/mcp';

export interface McpOptions {
  schema: GraphQLSchema;
  execute: Execute;
  readBody: ReadBody;
  /** The most keys in a body, at all depths. */
  maxKeys: number;
  /** The origins whose pages may call this server from a browser. */
  corsOrigins: readonly string[];
  contextOf(req: IncomingMessage, res: ServerResponse, facts: RequestFacts): Promise<Context>;
}

/** The methods whose names are logged. Those of tools have the names of their operations. */
const methods = new Set(['initialize', 'ping', 'tools/list', 'resources/list', 'resources/read']);

/**
 * Serves the Model Context Protocol over streamable HTTP, without sessions: any gateway can answer any message. Each POST
 * has one message and gets a JSON response.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export function createMcp({ schema, execute, readBody, maxKeys, corsOrigins, contextOf }: McpOptions) {
  // Loaded at the first request, because most servers are never asked.
  const load = onDemand(async () => {
    await prepareOperations(schema);
    return (await import('./server.ts')).createServer(schema, execute);
  });

  /** Against DNS rebinding: browsers send the origin of the page, and other clients none. */
  function requireOrigin({ origin }: IncomingMessage['headers']): void {
    if (origin === undefined || corsOrigins.includes(origin)) return;
    throw new ForbiddenError(
      'Requests from pages of this origin are not allowed. CORS_ORIGINS lists those that are.',
    );
  }

  return async (req: IncomingMessage, res: ServerResponse, facts: RequestFacts): Promise<void> => {
    requireOrigin(req.headers);
    if (req.method !== 'POST') throw new MethodNotAllowedError('POST');
    if (!acceptsJson(req.headers.accept)) throw new NotAcceptableError('application/json');
    const context = await contextOf(req, res, facts);
    requireJson(req.headers);
    const message = messageIn(await readBody(req, res), maxKeys, context.budget);
    const { method } = message as { method?: unknown };
    if (typeof method === 'string' && methods.has(method)) facts.operationName = method;
    const version = req.headers['mcp-protocol-version'];
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(typeof version === 'string' && { 'MCP-Protocol-Version': version }),
    };
    const { idempotency, budget } = context;
    const tools = new URLSearchParams(req.url!.slice(mcpPath.length + 1)).get('tools');
    try {
      const response = await (await load())(message, headers, context, res, tools);
      const body = await response.text();
      budget?.requireText(Buffer.byteLength(body));
      if (response.status >= 400) noteError(facts, { code: 'INVALID_INPUT', limit: undefined });
      const mediaType = body ? { 'Content-Type': 'application/json; charset=utf-8' } : {};
      sendText(res, response.status, { ...mediaType, 'Cache-Control': 'no-store' }, body);
    } finally {
      await idempotency?.end();
    }
  };
}

/** The JSON-RPC codes of what is wrong with a request before a message is found in it. */
const rpcCodes = { unreadable: -32700, invalid: -32600, refused: -32000 };

class RpcError extends ApiError {
  readonly rpcCode: number;

  constructor(rpcCode: number, message: string) {
    super('INVALID_INPUT', message);
    this.rpcCode = rpcCode;
  }
}

function messageIn(body: Buffer, maxKeys: number, budget: Context['budget']): object {
  let message: unknown;
  try {
    message = jsonOf(body, maxKeys, budget);
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    throw new RpcError(rpcCodes.unreadable, `${error.issues[0]!.message}.`);
  }
  if (typeof message === 'object' && message !== null && !Array.isArray(message)) return message;
  throw new RpcError(rpcCodes.invalid, 'The body must be one JSON-RPC message. Batches are not supported.');
}

/** Sends the error response for a request that failed before its message was answered. */
export function sendMcpError(res: ServerResponse, error: ApiError): void {
  const code = error instanceof RpcError ? error.rpcCode : rpcCodes.refused;
  const data = { code: error.code, requestId: requestIdOf(res) };
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message: error.message, data }, id: null });
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    // The body of a rejected request was not read, so the connection cannot be reused.
    ...(error.code !== 'UNAUTHENTICATED' && { Connection: 'close' }),
    ...failureHeaders(error),
  };
  sendText(res, error.status, headers, body);
}
