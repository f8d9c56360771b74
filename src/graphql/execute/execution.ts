import { type GraphQLError, type GraphQLResolveInfo, getArgumentValues, locatedError } from 'graphql';
import type { RequestBudget } from '../../kernel/budget.ts';
import type { ApiError } from '../../kernel/errors.ts';
import { isTurnOver } from '../../kernel/turn.ts';
import type { FieldPlan, Selection } from './field-plan.ts';
import type { Plan } from './plan.ts';

export type Data = Record<string, unknown>;
export type Path = GraphQLResolveInfo['path'];

/**
 * Where a value goes in the response. When it cannot be put there, the nearest nullable slot above becomes null
 * instead.
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

  /** Makes the nearest nullable slot null; values below it that arrive later are ignored. */
  drop(): void {
    this.isDropped = true;
    if (this.isNullable || !this.above) (this.holder as Data)[this.key] = null;
    else this.above.drop();
  }

  get isGone(): boolean {
    return this.isDropped || (this.above?.isGone ?? false);
  }
}

/** What an execution is given beside its plan. */
export interface Given {
  context: unknown;
  rootValue?: unknown;
  /** Coerced: what `getVariableValues` answered. */
  variables: Record<string, unknown>;
}

/** What is put into the answer before it is counted: with that the clock is looked at, which small answers never do. */
const uncounted = { values: 2_000, text: 65_536 };

/** What a field takes in memory while it waits for its value, and how many are reserved for at once. */
const waiting = { bytes: 2_000, step: 256 };

/** One execution: what it has, what it still waits for, and what failed. */
export class Execution {
  readonly errors: GraphQLError[] = [];
  readonly answer: { data: Data | null } = { data: null };
  readonly plan: Plan;
  readonly context: unknown;
  readonly rootValue: unknown;
  readonly budget: RequestBudget | undefined;
  /** Whether other requests have their turn: what was about to go on is left for `later`. */
  isPaused = false;
  /** Put into the answer and not yet counted. */
  values = 0;
  text = 0;
  #later: (() => void)[] = [];
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

  /** What ended the execution before its end. */
  get failure(): ApiError | undefined {
    return this.budget?.failure;
  }

  /** An object with these fields was put into the answer. Throws when that is too much; pauses when it took long. */
  add({ fields, textSize }: Selection): void {
    this.values += fields.length + 1;
    this.text += textSize;
    if (this.values < uncounted.values && this.text < uncounted.text) return;
    const { values } = this;
    this.count();
    if (isTurnOver(values) && !this.isPaused) this.#pause();
  }

  /** Counts what was put into the answer. Throws when that is too much, and what `begin` could not throw. */
  count(): void {
    if (this.failure) throw this.failure;
    const { values, text } = this;
    this.values = 0;
    this.text = 0;
    this.budget?.count(values, text);
  }

  /** Work to go on with after the pause. */
  later(work: () => void): void {
    this.#later.push(work);
  }

  #pause(): void {
    this.isPaused = true;
    if (this.budget) this.budget.held ??= [];
    setImmediate(() => this.#resume());
  }

  #resume(): void {
    this.isPaused = false;
    const works = this.#later;
    this.#later = [];
    for (let index = 0; index < works.length; index++) {
      if (this.failure) return;
      if (this.isPaused) {
        // Before what was added by those that have just run: in the order in which it was begun.
        this.#later = [...works.slice(index), ...this.#later];
        return;
      }
      works[index]!();
    }
    if (this.isPaused || !this.budget?.held) return;
    const { held } = this.budget;
    this.budget.held = undefined;
    for (const read of held) read();
  }

  /** Called by the budget when the request is stopped. */
  stop(): void {
    this.#later = [];
    if (this.budget) this.budget.held = undefined;
    this.#whenIdle?.();
  }

  /** The arguments of a field: the same object for every parent, since variables alone decide on them. */
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

  /** Null where the type allows it and the failure is noted; else the failure goes on up, with its slot. */
  failed(field: FieldPlan, error: unknown, path: Path, isNullable: boolean): null {
    if (this.failure) throw this.failure;
    const located = locatedError(error, field.nodes, pathOf(path));
    if (!isNullable) throw located;
    this.errors.push(located);
    return null;
  }

  /**
   * Notes that a value is waited for. Never throws, so that a promise may be listened to before or after: when there
   * is no memory to wait with, the budget keeps the failure and the next object that is added ends the execution.
   */
  begin(): void {
    if (++this.#pending < this.#mostPending) return;
    this.#mostPending += waiting.step;
    try {
      this.budget?.reserve(waiting.step * waiting.bytes);
    } catch {
      // Makes `add` count at once, which throws the failure.
      this.values = uncounted.values;
    }
  }

  done(): void {
    if (--this.#pending === 0) this.#whenIdle?.();
  }

  /** Settled when nothing is waited for; nothing where that is so already. */
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
