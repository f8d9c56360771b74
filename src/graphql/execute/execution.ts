import { type GraphQLError, type GraphQLResolveInfo, getArgumentValues, locatedError } from 'graphql';
import type { FieldPlan, Plan } from './plan.ts';

export type Data = Record<string, unknown>;
export type Path = GraphQLResolveInfo['path'];

/**
 * A place in the answer that something is put into, and what becomes null when nothing may be put there: the
 * nearest place above that may be null.
 */
export class Place {
  isDropped = false;
  readonly above: Place | undefined;
  readonly holder: Data | unknown[];
  readonly key: string | number;
  readonly isNullable: boolean;

  constructor(above: Place | undefined, holder: Data | unknown[], key: string | number, isNullable: boolean) {
    this.above = above;
    this.holder = holder;
    this.key = key;
    this.isNullable = isNullable;
  }

  /** Makes the nearest place that may be null so, and lets go of all below it. */
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

/** One execution: what it has, what it still waits for, and what failed. */
export class Execution {
  readonly errors: GraphQLError[] = [];
  readonly answer: { data: Data | null } = { data: null };
  readonly plan: Plan;
  readonly context: unknown;
  readonly rootValue: unknown;
  readonly #variables: Record<string, unknown>;
  readonly #args = new Map<FieldPlan, Record<string, unknown>>();
  #pending = 0;
  #whenIdle: (() => void) | undefined;

  constructor(plan: Plan, { context, rootValue, variables }: Given) {
    this.plan = plan;
    this.context = context;
    this.rootValue = rootValue;
    this.#variables = variables;
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

  /** Null where the type allows it and the failure is noted; else the failure goes on up, with its place. */
  failed(field: FieldPlan, error: unknown, path: Path, isNullable: boolean): null {
    const located = locatedError(error, field.nodes, pathOf(path));
    if (!isNullable) throw located;
    this.errors.push(located);
    return null;
  }

  begin(): void {
    this.#pending++;
  }

  done(): void {
    if (--this.#pending === 0) this.#whenIdle?.();
  }

  /** Settled when nothing is waited for; nothing where that is so already. */
  idle(): Promise<void> | undefined {
    if (this.#pending === 0) return undefined;
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
