import { type ExecutionArgs, type ExecutionResult, GraphQLError, getOperationAST } from 'graphql';
import { asChange } from '../../kernel/event-loop.ts';
import { executeField, executeSelection } from './complete.ts';
import { Execution, type Given, ResponseSlot } from './execution.ts';
import { emptyOf } from './leaf.ts';
import { type Plan, planOf } from './plan.ts';
import { variablesOf } from './variables.ts';

/** Like `execute` of graphql-js, for a document with the operation. */
export function executeByPlan({
  schema,
  document,
  operationName,
  variableValues,
  contextValue,
  rootValue,
}: ExecutionArgs) {
  const operation = getOperationAST(document, operationName)!;
  const { coerced, errors } = variablesOf(schema, operation, variableValues);
  if (!coerced) return { errors };
  let plan: Plan;
  try {
    plan = planOf(schema, document, operation, coerced);
  } catch (error) {
    return { errors: [error as GraphQLError], data: null };
  }
  return execute(plan, { context: contextValue, rootValue, variables: coerced });
}

/**
 * Executes an operation of a validated document with the same data and errors as graphql-js. Work that only depends on
 * the document is done once and not for each object: merging selections, finding fields, coercing arguments. Values are
 * set as promises settle, without a promise for each object and list.
 *
 * @see https://spec.graphql.org/October2021/#sec-Execution
 */
export function execute(plan: Plan, given: Given): ExecutionResult | Promise<ExecutionResult> {
  const execution = new Execution(plan, given);
  const slot = new ResponseSlot(undefined, execution.answer, 'data', true);
  if (plan.operation.operation === 'mutation') return asChange(() => inTurn(execution, slot));
  try {
    execution.answer.data = executeSelection(execution, plan.root, given.rootValue, undefined, slot);
  } catch (error) {
    slot.isDropped = true;
    execution.errors.push(error as GraphQLError);
  }
  const idle = execution.idle();
  return idle ? idle.then(() => resultOf(execution)) : resultOf(execution);
}

/** Executes mutations one after the other. */
async function inTurn(execution: Execution, slot: ResponseSlot): Promise<ExecutionResult> {
  const { root } = execution.plan;
  const data = emptyOf(root);
  execution.answer.data = data;
  for (const field of root.fields) {
    try {
      executeField(execution, field, execution.rootValue, undefined, slot, data);
    } catch (error) {
      execution.errors.push(error as GraphQLError);
      slot.drop();
    }
    await execution.idle();
    if (slot.isGone || execution.failure) break;
  }
  return resultOf(execution);
}

function resultOf(execution: Execution): ExecutionResult {
  try {
    execution.count();
  } catch (error) {
    if (error !== execution.failure) throw error;
  }
  const { failure, errors, answer, budget } = execution;
  if (budget) budget.running = undefined;
  // The request as a whole has failed, so partial data is not returned.
  if (failure) return { errors: [new GraphQLError(failure.message, { originalError: failure })] };
  return errors.length ? { errors, data: answer.data } : { data: answer.data };
}
