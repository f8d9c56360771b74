import type { IncomingMessage, ServerResponse } from 'node:http';
import { type DocumentNode, type GraphQLSchema, getOperationAST, parse } from 'graphql';
import { createYoga, type Plugin, type YogaInitialContext } from 'graphql-yoga';
import type { Context } from '../context.ts';
import { presented } from './failures.ts';
import { requireParsable, requireWithinLimits } from './limits.ts';
import { parametersOf, requireOperation } from './parameters.ts';

export const graphqlPath = '/graphql';

/** Puts every error of a result into the words of this API, and refuses what asks for too much. */
function inOurWords(): Plugin<Context> {
  const documents = new WeakMap<Request, DocumentNode>();
  return {
    onRequestParse({ setRequestParser }) {
      setRequestParser(parametersOf as never);
    },
    onParse({ context, setParseFn }) {
      setParseFn((source, options) => {
        requireParsable(typeof source === 'string' ? source : source.body);
        return parse(source, options);
      });
      const { request, params } = context as unknown as YogaInitialContext;
      return ({ result }) => {
        if (!result || !('kind' in result)) return;
        documents.set(request, result as DocumentNode);
        requireOperation(result as DocumentNode, params.operationName);
      };
    },
    onExecute({ args, setResultAndStopExecution }) {
      const operation = getOperationAST(args.document, args.operationName);
      try {
        if (operation) requireWithinLimits(args.document, operation, args.variableValues ?? {});
      } catch (error) {
        const context = args.contextValue as Context;
        setResultAndStopExecution({ errors: [presented(error, context)] });
      }
    },
    onResultProcess({ request, result, serverContext, setResult }) {
      const context = serverContext as unknown as Context;
      if (!result || !('errors' in result) || !result.errors?.length) return;
      const document = documents.get(request);
      setResult({
        ...result,
        errors: result.errors.map((error) => presented(error, { ...context, document })),
      });
    },
  };
}

/** The GraphQL endpoint: the caller has authenticated the request and made its context. */
export function createGraphqlServer(schema: GraphQLSchema, bodyLimitBytes: number) {
  const yoga = createYoga<Context>({
    schema,
    graphqlEndpoint: graphqlPath,
    graphiql: false,
    landingPage: false,
    multipart: false,
    batching: false,
    cors: false,
    logging: false,
    maskedErrors: false,
    maxRequestBodySize: bodyLimitBytes,
    plugins: [inOurWords()],
  });
  return {
    handle: async (req: IncomingMessage, res: ServerResponse, context: Context) => {
      await yoga.handle(req, res, context as never);
    },
  };
}
