import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { Context } from '../../context.ts';
import type { Limits } from '../../kernel/limits.ts';
import type { Parameters } from './parameters.ts';
import type { Executor } from './pipeline.ts';
import { createGraphqlServer } from './server.ts';

/**
 * Executes documents that no request has sent, as those of requests are executed. Any document is allowed: who stored it has
 * decided about it.
 */
export function createDocumentExecutor(
  schema: GraphQLSchema,
  options: { limits: Limits; executor: Executor },
): (params: Parameters, context: Context) => Promise<ExecutionResult> {
  let server: ReturnType<typeof createGraphqlServer> | undefined;
  // Made with the first document, because many gateways have none.
  return (params, context) => {
    server ??= createGraphqlServer(schema, { ...options, readBody: async () => Buffer.alloc(0) });
    return server.execute(params, context);
  };
}
