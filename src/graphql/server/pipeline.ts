import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute as graphqlJsExecute,
  validate,
} from 'graphql';
import type { GraphQLParams, Plugin, YogaInitialContext } from 'graphql-yoga';
import type { Context } from '../../context.ts';
import type { IdempotentRequest } from '../../idempotency/request.ts';
import type { ErrorCode } from '../../kernel/error-codes.ts';
import { mapInSlices } from '../../kernel/event-loop.ts';
import type { Limits } from '../../kernel/limits.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { executeByPlan } from '../execute/run.ts';
import { argumentSize } from './argument-size.ts';
import { deprecatedUses, hasDeprecatedElements } from './deprecated-uses.ts';
import { parseText, textOf } from './document-text.ts';
import type { Documents } from './documents.ts';
import { explained } from './explained.ts';
import { nodeSteps, presented } from './failures.ts';
import { requireParsable, requireWithinLimits } from './limits.ts';
import { operationOf, parametersInAddress, parametersInBody } from './parameters.ts';
import { requireFewSameNames } from './same-names.ts';
import { requireSelectedArguments } from './selected-arguments.ts';
import { serialized, withErrors } from './serialized.ts';
import { subscribe } from './subscribe.ts';
import { areSpecified, rulesFor } from './validation-rules.ts';

/** The executor of operations: the planned one, or graphql-js for comparison. */
export type Executor = 'planned' | 'graphql-js';

/** The context as hooks see it; `document` is added once the text is parsed. */
type HookContext = Context & YogaInitialContext & { document?: DocumentNode };

/** The most validation errors of a document. Each can search the schema for similar names. */
const maxValidationErrors = 20;

/** The longest operation name in the request log. */
const maxLoggedName = 100;

/**
 * The plugin that parses, validates and executes. Yoga runs it for every request, with the plugins that
 * come after it. Cached documents are not parsed and validated again.
 */
export function usePipeline(documents: Documents, limits: Limits, executor: Executor): Plugin<Context> {
  const validateOnce: typeof validate = (schema, document, rules, options, ...rest) =>
    // The cache only covers the standard rules; plugins can add others.
    documents.has(document) && areSpecified(rules)
      ? []
      : validate(schema, document, rulesFor(rules), { ...options, maxErrors: maxValidationErrors }, ...rest);
  const executeAll = executor === 'planned' ? executeByPlan : executeByGraphqlJs;
  const execute = (args: ExecutionArgs) => {
    const result = executeAll(args);
    return 'then' in result
      ? result.then((late) => withUnselected(late, args))
      : withUnselected(result, args);
  };

  const keepWithinLimits = (args: ExecutionArgs): ExecutionResult | undefined => {
    const context = args.contextValue as HookContext;
    const { query } = context.params;
    const { explain } = context.facts ?? {};
    const { document, operationName, variableValues } = args;
    const values = variableValues ?? {};
    if (query) documents.keep(query, document);
    try {
      const operation = operationOf(document, operationName);
      const fields = requireWithinLimits(document, operation, values, limits, explain?.used);
      context.budget?.requireArguments(fields, () => argumentSize(document, operation, values));
      if (operation.operation === 'mutation')
        requireSelectedArguments(args.schema, document, operation, values);
    } catch (error) {
      return { errors: [presented(error, context)] };
    }
    return undefined;
  };

  const hasDeprecated = memoizeByIdentity(hasDeprecatedElements);
  const countDeprecated = ({
    schema,
    document,
    operationName,
    variableValues,
    contextValue,
  }: ExecutionArgs) => {
    const { deprecatedUses: counted, actor } = contextValue as HookContext;
    if (!counted || !hasDeprecated(schema)) return;
    const operation = operationOf(document, operationName);
    const uses = deprecatedUses(schema, document, operation, variableValues ?? {});
    if (uses.length > 0) counted.count(actor.tokenId, uses);
  };

  /** Executes a mutation, unless an earlier request with its Idempotency-Key has: `send` then repeats the answer. */
  const executeOnce = async (args: ExecutionArgs, idempotency: IdempotentRequest) => {
    const { document, operationName, variableValues } = args;
    if (operationOf(document, operationName).operation !== 'mutation') return execute(args);
    try {
      await idempotency.begin({
        document: textOf(document),
        operationName: operationName ?? null,
        variables: variableValues ?? {},
      });
    } catch (error) {
      return { errors: [presented(error, args.contextValue as HookContext)] };
    }
    return idempotency.stored ? { data: null } : execute(args);
  };
  const executeWithinLimits = (args: ExecutionArgs) => {
    const { explain } = (args.contextValue as HookContext).facts ?? {};
    return explain ? explain.measure('execute', () => executeLimited(args)) : executeLimited(args);
  };
  const executeLimited = (args: ExecutionArgs) => {
    const refused = keepWithinLimits(args);
    if (refused) return refused;
    countDeprecated(args);
    const { idempotency, telemetry, facts } = args.contextValue as HookContext;
    if (!telemetry) return idempotency ? executeOnce(args, idempotency) : execute(args);
    const { operation, name } = operationOf(args.document, args.operationName);
    const operationName = name?.value.slice(0, maxLoggedName);
    const title = [operation, operationName].filter(Boolean);
    return telemetry.measure(
      'operation',
      title.join(' '),
      async () => (idempotency ? executeOnce(args, idempotency) : execute(args)),
      { operationName, operationType: operation, documentId: facts?.documentId },
    );
  };
  const subscribeWithinLimits = (args: ExecutionArgs) => {
    const refused = keepWithinLimits(args);
    if (refused) return refused;
    countDeprecated(args);
    return subscribe(args, execute).catch((error) => ({
      errors: [presented(error, args.contextValue as HookContext)],
    }));
  };

  return {
    onParams({ context }) {
      (context as unknown as HookContext).facts?.explain?.begin();
    },
    onRequestParse({ serverContext, setRequestParser }) {
      const { budget } = serverContext as unknown as HookContext;
      setRequestParser(async (request) => {
        const params =
          request.method === 'GET'
            ? parametersInAddress(request.url, limits.keys, budget)
            : parametersInBody(await request.text(), limits.keys, budget);
        return params as GraphQLParams;
      });
    },
    onParse({ context: given, setParseFn }) {
      const context = given as unknown as HookContext;
      const { facts } = context;
      setParseFn((source, options) => {
        const text = typeof source === 'string' ? source : source.body;
        const known = documents.find(text);
        if (facts) {
          facts.isDocumentCached = known !== undefined;
          facts.document = text;
        }
        if (known) return known;
        const parsed = () => {
          requireParsable(text, limits);
          const document = parseText(text, options);
          requireFewSameNames(document, limits);
          return document;
        };
        return facts?.explain ? facts.explain.measure('parse', parsed) : parsed();
      });
      return ({ result }) => {
        if (!result || !('kind' in result)) return;
        context.document = result as DocumentNode;
        const { name, operation } = operationOf(context.document, context.params.operationName);
        if (!facts) return;
        facts.operationName = name?.value.slice(0, maxLoggedName);
        facts.operationType = operation;
      };
    },
    onValidate({ context, setValidationFn }) {
      const { explain } = (context as unknown as HookContext).facts ?? {};
      setValidationFn(
        explain ? (...args) => explain.measure('validate', () => validateOnce(...args)) : validateOnce,
      );
    },
    onExecute({ setExecuteFn }) {
      setExecuteFn(executeWithinLimits);
    },
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn(subscribeWithinLimits);
    },
    async onResultProcess({ result, serverContext, setResult }) {
      if (!result || Array.isArray(result) || Symbol.asyncIterator in result) return;
      const context = serverContext as unknown as HookContext;
      const response = await presentedResult(result as ExecutionResult, context);
      setResult(await serialized(explained(response, context, limits), context));
    },
  };
}

/** Converts the errors of a result to those that the API documents. In slices, because each field can have one. */
export async function presentedResult(
  result: ExecutionResult,
  context: Context & { document?: DocumentNode },
): Promise<ExecutionResult> {
  if (!result.errors?.length) return result;
  const stepsTo = nodeSteps(context.document);
  const errors = await mapInSlices(result.errors, (error) => presented(error, context, stepsTo));
  for (const { extensions } of errors) context.idempotency?.note(extensions.code as ErrorCode);
  return withErrors(result, errors);
}

/** Adds the errors of mutations of which the document selects nothing. */
function withUnselected(result: ExecutionResult, { contextValue }: ExecutionArgs): ExecutionResult {
  const { unselectedErrors } = contextValue as Context;
  return unselectedErrors ? { ...result, errors: [...(result.errors ?? []), ...unselectedErrors] } : result;
}

/** Applies the limits on the time of a request and the length of its response. */
function executeByGraphqlJs(args: ExecutionArgs) {
  const result = graphqlJsExecute(args);
  const { budget } = args.contextValue as Context;
  return budget && 'then' in result ? budget.race(result) : result;
}
