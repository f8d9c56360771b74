import type { ReactNode } from 'react';
import { stringifyDocument } from 'urql';
import type { Failure } from '../form/failure.ts';
import { type FormOptions, inputForm } from '../form/input-form.ts';
import type { Field, Value, Values } from '../form/values.ts';
import type { Act, PlanItem } from './act.ts';

/** The plan, and the rest of the payload. */
export interface Planned {
  plan: PlanItem[];
  payload: unknown;
}

interface Common<Input extends object> {
  /** On the button: `Delete`. */
  label: string;
  /** On the button that does it, if it says something else. */
  submit?: string;
  title: string;
  /** The effect of the action, where no plan shows it. */
  intro?: string;
  isDestructive?: boolean;
  document: Act<Input>;
  /**
   * Whether the mutation has a plan: `step`, which is shown before it is done, or `live`, which is shown below the form
   * and follows it.
   */
  plan?: 'step' | 'live';
  /** Work that comes first, such as creating an object that the input refers to. Not done for a plan. */
  prepare?(values: Values): Promise<Failure | undefined>;
  /** Called when it was done, with the payload of the mutation. */
  done?(payload: unknown): void;
  /** A summary of the values, such as their meaning in words. */
  summary?(values: Values): ReactNode;
  /** How a plan is shown, where its objects do not say all of it. */
  planned?(plan: Planned): ReactNode;
  /** What is shown when it was done, instead of `Done.` */
  result?(payload: unknown): ReactNode;
}

interface FromSchema<Input extends object> {
  /** The fields, from the input type of the mutation with the differences. Can depend on the entered values. */
  form: Form<Input> | ((values: Values) => Form<Input>);
  /** The input that no field asks for: the object, and its revision. */
  target: Partial<Input>;
  fields?: undefined;
  input?: undefined;
}
type Form<Input> = FormOptions<keyof Input & string>;

interface ByHand<Input extends object> {
  form?: undefined;
  /** The fields, which can depend on what was entered, and change it. */
  fields?(values: Values, change: Change): readonly Field[];
  input(values: Values): Input;
}

/** An action that a person takes: what it asks for, what it would do, what it does. */
export type Action<Input extends object> = Common<Input> & (FromSchema<Input> | ByHand<Input>);

export type Change = (name: string, value: Value) => void;

/** The fields of an action, and the input that is made of what was entered. */
export function formOf<Input extends object>(action: Action<Input>, values: Values, change: Change) {
  if (!action.form) return { fields: action.fields?.(values, change) ?? [], input: action.input };
  const { document, form, target } = action;
  const made = inputForm(inputTypeOf(document), typeof form === 'function' ? form(values) : form);
  return {
    fields: made.fields,
    input: (entered: Values) => ({ ...made.input(entered), ...target }) as Input,
  };
}

/** The name of the type of the variable `$input` of a mutation. */
const inputTypeOf = (document: Act<never>): string => /\$input: (\w+)/.exec(stringifyDocument(document))![1]!;
