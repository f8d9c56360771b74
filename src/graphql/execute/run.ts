import {
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  getVariableValues,
} from 'graphql';
import { executeField, executeSelection } from './complete.ts';
import { Execution, type Given, ResponseSlot } from './execution.ts';
import { emptyOf } from './leaf.ts';
import { type Plan, planOf } from './plan.ts';

/** As `execute` of graphql-js, for an operation that is there. */
export function executeByPlan({
  schema,
  document,
  operationName,
  variableValues,
  contextValue,
  rootValue,
}: ExecutionArgs) {
  const operation = getOperationAST(document, operationName)!;
  const { coerced, errors } = getVariableValues(
    schema,
    operation.variableDefinitions ?? [],
    variableValues ?? {},
    { maxErrors: 50 },
  );
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
 * Executes an operation of a validated document, as the specification says and graphql-js does: the same data,
 * the same errors. What it does not do again for every object is what the document alone decides: merging
 * selections, finding fields, coercing arguments. Answers are filled in as promises settle, without a promise
 * for every object and list on the way.
 *
 * @see https://spec.graphql.org/October2021/#sec-Execution
 */
export function execute(plan: Plan, given: Given): ExecutionResult | Promise<ExecutionResult> {
  const execution = new Execution(plan, given);
  const slot = new ResponseSlot(undefined, execution.answer, 'data', true);
  if (plan.operation.operation === 'mutation') return inTurn(execution, slot);
  try {
    execution.answer.data = executeSelection(execution, plan.root, given.rootValue, undefined, slot);
  } catch (error) {
    slot.isDropped = true;
    execution.errors.push(error as GraphQLError);
  }
  const idle = execution.idle();
  return idle ? idle.then(() => resultOf(execution)) : resultOf(execution);
}

/** Changes are made one after the other. */
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
  // What was made so far is no answer: the request as a whole has failed.
  if (failure) return { errors: [new GraphQLError(failure.message, { originalError: failure })] };
  return errors.length ? { errors, data: answer.data } : { data: answer.data };
}
