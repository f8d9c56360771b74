import { createSourceEventStream, type ExecutionArgs, type ExecutionResult, GraphQLError } from 'graphql';
import type { Context } from '../../context.ts';
import { WorkQueue } from '../../http/work-queue.ts';
import { callerId } from '../../kernel/access.ts';
import { NotAcceptableError, UnavailableError } from '../../kernel/errors.ts';
import { yieldToLoop } from '../../kernel/event-loop.ts';
import { invalid } from '../../kernel/validate.ts';
import { planOf } from '../execute/plan.ts';
import { variablesOf } from '../execute/variables.ts';
import type { StreamItem } from '../schema/item-source.ts';
import { operationOf } from './parameters.ts';
import { withDataText } from './serialized.ts';

type Execute = (args: ExecutionArgs) => ExecutionResult | PromiseLike<ExecutionResult>;

/** A change can notify many subscribers at once. Requests need not wait until all of their items are executed. */
const items = new WorkQueue(8);
const inTurn = <T>(caller: string, work: () => Promise<T>) =>
  new Promise<T>((resolve, reject) => items.run(() => work().then(resolve, reject), caller));

/** Like `subscribe` of graphql-js, with a context of its own for each item. */
export async function subscribe(
  args: ExecutionArgs,
  execute: Execute,
): Promise<ExecutionResult | AsyncIterableIterator<ExecutionResult>> {
  const context = args.contextValue as Context;
  if (!context.stream) throw new NotAcceptableError('text/event-stream');
  const errors = requireField(args);
  if (errors) return { errors };
  const source = await createSourceEventStream(args);
  return Symbol.asyncIterator in source
    ? new Results(source as AsyncIterableIterator<StreamItem | null>, args, execute)
    : source;
}

/** graphql-js throws a TypeError if the only field is skipped. Returns what is wrong with the variables. */
function requireField({ schema, document, operationName, variableValues }: ExecutionArgs) {
  const operation = operationOf(document, operationName);
  const { coerced, errors } = variablesOf(schema, operation, variableValues);
  if (!coerced) return errors;
  if (planOf(schema, document, operation, coerced).root.fields.length === 0) {
    throw invalid(['query'], 'The subscription selects no field');
  }
  return undefined;
}

/** The results of the items of a subscription. A failure of the source is the last one. */
class Results implements AsyncIterableIterator<ExecutionResult> {
  readonly #source: AsyncIterableIterator<StreamItem | null>;
  readonly #args: ExecutionArgs;
  readonly #execute: Execute;
  readonly #context: Context;
  readonly #caller: string;
  #current: Context | undefined;
  #isFirst = true;
  #hasEnded = false;

  constructor(source: AsyncIterableIterator<StreamItem | null>, args: ExecutionArgs, execute: Execute) {
    this.#source = source;
    this.#args = args;
    this.#execute = execute;
    this.#context = args.contextValue as Context;
    this.#caller = String(callerId(this.#context.actor));
  }

  async next(): Promise<IteratorResult<ExecutionResult>> {
    while (!this.#hasEnded) {
      // Until then, the client may not have read the item before, whose text is in memory.
      this.#endItem(true);
      try {
        const { done, value: item } = await this.#source.next();
        if (done) break;
        if (!(await this.#countItem())) continue;
        if (item === null) continue;
        const result = await inTurn(this.#caller, () => this.#resultOf(item));
        if (!result) break;
        const stream = this.#context.stream!;
        const id = await item.idOf(result);
        const isKnown = this.#isFirst && id === stream.lastEventId;
        this.#isFirst = false;
        if (isKnown) continue;
        stream.itemId = id;
        return { done: false, value: result };
      } catch (error) {
        if (this.#hasEnded) break;
        await this.return();
        this.#context.stream!.itemId = undefined;
        const { message } = error as Error;
        return {
          done: false,
          value: { errors: [new GraphQLError(message, { originalError: error as Error })] },
        };
      }
    }
    this.#hasEnded = true;
    return { done: true, value: undefined };
  }

  /** Waits while the caller has had too many items. Whether the stream goes on: otherwise its source says why it ends. */
  async #countItem(): Promise<boolean> {
    const context = this.#context;
    const stream = context.stream!;
    for (;;) {
      const waitMs = (await context.countItem?.()) ?? 0;
      if (waitMs === 0) return true;
      if (!stream.hasEnded) await stream.pause(waitMs);
      if (stream.hasEnded) return false;
    }
  }

  async #resultOf(item: StreamItem): Promise<ExecutionResult | undefined> {
    await yieldToLoop();
    if (this.#hasEnded) return undefined;
    const { row, context } = await item.open();
    this.#current = context;
    const result = await this.#execute({ ...this.#args, rootValue: row, contextValue: context });
    // The item is not sent, so that the client gets it when it subscribes again.
    for (const { originalError } of result.errors ?? []) {
      if (originalError instanceof UnavailableError) throw originalError;
    }
    return withDataText(result, context);
  }

  #endItem(isSent: boolean): void {
    this.#current?.budget?.end(isSent);
    this.#current = undefined;
  }

  async return(): Promise<IteratorResult<ExecutionResult>> {
    this.#hasEnded = true;
    this.#endItem(false);
    await this.#source.return?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
