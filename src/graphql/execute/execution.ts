import { type GraphQLError, type GraphQLResolveInfo, getArgumentValues, locatedError } from 'graphql';
import type { RequestBudget } from '../../kernel/budget.ts';
import type { ApiError } from '../../kernel/errors.ts';
import { isLittle, responses, responseTurns, workOf } from '../../kernel/event-loop.ts';
import type { FieldPlan, Selection } from './field-plan.ts';
import type { Plan } from './plan.ts';

export type Data = Record<string, unknown>;
export type Path = GraphQLResolveInfo['path'];

/**
 * The place of a value in the response. If the value fails, the nearest nullable slot above becomes null.
 */
export class ResponseSlot {
  isDropped = false;
  readonly above: ResponseSlot | undefined;
  readonly holder: Data | unknown[];
  readonly key: string | number;
  readonly isNullable: boolean;

  constructor(
    above: ResponseSlot | undefined,
    holder: Data | unknown[],
    key: string | number,
    isNullable: boolean,
  ) {
    this.above = above;
    this.holder = holder;
    this.key = key;
    this.isNullable = isNullable;
  }

  /** Makes the nearest nullable slot null. Values below it that arrive later are ignored. */
  drop(): void {
    this.isDropped = true;
    if (this.isNullable || !this.above) (this.holder as Data)[this.key] = null;
    else this.above.drop();
  }

  get isGone(): boolean {
    return this.isDropped || (this.above?.isGone ?? false);
  }
}

/** The inputs of an execution, in addition to its plan. */
export interface Given {
  context: unknown;
  rootValue?: unknown;
  /** The coerced variables from `getVariableValues`. */
  variables: Record<string, unknown>;
}

/** The number of values, and of calls of resolvers, between checks of the budget and the clock. Small responses stay below it. */
const uncounted = { values: 2_000, text: 65_536, resolved: 32 };

/** The memory of a field that waits for its value, and the number of fields that are reserved at once. */
const waiting = { bytes: 2_000, step: 256 };

/** The most locations of an error. A field can be selected hundreds of times. */
const maxLocations = 5;

/**
 * What an error counts as, in addition to its message and the names in its path. Making one and writing it takes as long as
 * returning 25 values.
 */
const ofError = { bytes: 1_000, values: 50, text: 300, resolved: 25 };

const nothingToDo = () => {};

/** The state of one execution: its values, its pending fields and its errors. */
export class Execution {
  readonly errors: GraphQLError[] = [];
  readonly answer: { data: Data | null } = { data: null };
  readonly plan: Plan;
  readonly context: unknown;
  readonly rootValue: unknown;
  readonly budget: RequestBudget | undefined;
  /** Whether the execution is paused for other requests. Further work is queued with `later`. */
  isPaused = false;
  #hasPaused = false;
  /** The values that were added but not yet counted. */
  values = 0;
  text = 0;
  /** The first field that waits for each promise. It lists the others. */
  readonly waiting = new Map<PromiseLike<unknown>, object>();
  #resolved = 0;
  #work = 0;
  #later: (() => void)[] = [];
  /** The index of the work in the queue that is next. */
  #next = 0;
  #mostPending = waiting.step;
  readonly #variables: Record<string, unknown>;
  readonly #args = new Map<FieldPlan, Record<string, unknown>>();
  #pending = 0;
  #whenIdle: (() => void) | undefined;

  constructor(plan: Plan, { context, rootValue, variables }: Given) {
    this.plan = plan;
    this.context = context;
    this.rootValue = rootValue;
    this.#variables = variables;
    this.budget = (context as { budget?: RequestBudget } | undefined)?.budget;
    if (this.budget) this.budget.running = this;
  }

  /** The error that ended the execution early. */
  get failure(): ApiError | undefined {
    return this.budget?.failure;
  }

  /** Counts an object with these fields. Throws if the response is too large. Pauses when the time slice ends. */
  add({ fields, textSize }: Selection): void {
    this.values += fields.length + 1;
    this.text += textSize;
    if (this.values >= uncounted.values || this.text >= uncounted.text) this.look();
  }

  /** Counts a value that a resolver has returned. Throws and pauses as `add` does. */
  addResolved(): void {
    if (++this.#resolved >= uncounted.resolved || this.text >= uncounted.text) this.look();
  }

  /** Checks the budget and the clock. Throws if the response is too large. Pauses when the time slice ends. */
  look(): void {
    const work = workOf(this.values, this.#resolved);
    this.#work += work;
    this.#resolved = 0;
    this.count();
    if ((responses.isOverAfter(work) || this.#waitsForEarlier()) && !this.isPaused) this.#pause();
  }

  /** Counts the added values. Throws if the response is too large, or if `begin` has failed. */
  count(): void {
    if (this.failure) throw this.failure;
    const { values, text } = this;
    this.values = 0;
    this.text = 0;
    this.budget?.count(values, text);
  }

  /** Queues the rest of the work on a value for after the pause. Skipped if the value was discarded meanwhile. */
  goOnLater(slot: ResponseSlot, work: () => void, fail: (error: unknown) => void): void {
    this.begin();
    this.later(() => {
      try {
        if (!this.failure && !slot.isGone) work();
      } catch (error) {
        fail(error);
      } finally {
        this.done();
      }
    });
  }

  /** Discards an object because of the located error of a field that is not nullable. */
  drop(slot: ResponseSlot, error: unknown): void {
    if (this.failure || slot.isGone) return;
    this.errors.push(error as GraphQLError);
    slot.drop();
  }

  /** Queues work for after the pause. */
  later(work: () => void): void {
    this.#later.push(work);
  }

  /** Whether an earlier response of the caller is not finished: with several large ones in progress, all of them would be held in memory. */
  #waitsForEarlier(): boolean {
    return !this.#hasPaused && !isLittle(this.#work) && responseTurns.hasWaiting(this.budget?.caller);
  }

  #pause(): void {
    this.isPaused = true;
    if (this.budget) this.budget.held ??= [];
    void responseTurns.next(this.budget?.caller, this.#hasPaused).then(() => this.#resume());
    this.#hasPaused = true;
  }

  #resume(): void {
    this.isPaused = false;
    const works = this.#later;
    for (; this.#next < works.length; this.#next++) {
      if (this.failure || this.isPaused) return;
      const work = works[this.#next]!;
      // What it holds is not needed any more, while there can be a hundred thousand others.
      works[this.#next] = nothingToDo;
      work();
    }
    this.#later = [];
    this.#next = 0;
    if (this.isPaused || !this.budget?.held) return;
    const { held } = this.budget;
    this.budget.held = undefined;
    for (const read of held) read();
  }

  /** Called by the budget when the request is aborted. */
  stop(): void {
    this.#later = [];
    if (this.budget) this.budget.held = undefined;
    this.#whenIdle?.();
  }

  /** The arguments of a field. The same object for all parents, because they only depend on the variables. */
  argsOf(field: FieldPlan): Record<string, unknown> {
    if (field.args) return field.args;
    let args = this.#args.get(field);
    if (!args) {
      args = getArgumentValues(field.field, field.nodes[0]!, this.#variables);
      this.#args.set(field, args);
    }
    return args;
  }

  infoOf(field: FieldPlan, path: Path): GraphQLResolveInfo {
    const { selecting, operation } = this.plan;
    return {
      fieldName: field.field.name,
      fieldNodes: field.nodes,
      returnType: field.field.type,
      parentType: field.parentType,
      path,
      schema: selecting.schema,
      fragments: selecting.fragments,
      rootValue: this.rootValue,
      operation,
      variableValues: this.#variables,
    };
  }

  /** Returns null and records the error if the type is nullable. Otherwise throws it for the slot above. */
  failed(field: FieldPlan, error: unknown, path: Path, isNullable: boolean): null {
    if (this.failure) throw this.failure;
    const located = locatedError(error, field.nodes.slice(0, maxLocations), pathOf(path));
    this.#countError(located);
    if (!isNullable) throw located;
    this.errors.push(located);
    return null;
  }

  /** Counts an error with the names in its path. Never throws: the next count does. */
  #countError({ message, path = [] }: GraphQLError): void {
    let length = message.length;
    for (const step of path) if (typeof step === 'string') length += step.length;
    this.values += ofError.values;
    this.text += ofError.text + length;
    this.#resolved += ofError.resolved;
    this.#reserve(ofError.bytes + length);
  }

  /**
   * Counts a pending value. Never throws, so that it can be called before or after listening to the promise. Without
   * enough memory, the budget keeps the error, and the next object that is added ends the execution.
   */
  begin(): void {
    if (++this.#pending < this.#mostPending) return;
    this.#mostPending += waiting.step;
    this.#reserve(waiting.step * waiting.bytes);
  }

  #reserve(size: number): void {
    try {
      this.budget?.reserve(size);
    } catch {
      // Makes the next `add` count at once, which throws the error.
      this.values = uncounted.values;
    }
  }

  done(): void {
    if (--this.#pending === 0) this.#whenIdle?.();
  }

  /** Settles when no value is pending. Undefined if none is. */
  idle(): Promise<void> | undefined {
    if (this.#pending === 0 || this.failure) return undefined;
    return new Promise((resolve) => {
      this.#whenIdle = resolve;
    });
  }
}

function pathOf(path: Path): (string | number)[] {
  const steps: (string | number)[] = [];
  for (let step: Path | undefined = path; step; step = step.prev) steps.push(step.key);
  return steps.reverse();
}
