import { payloads } from 'virtual:schema';
import type { ReactNode } from 'react';
import type { InputOf, MutationName } from '../documents/mutation.ts';
import type { Failure } from '../form/failure.ts';
import { type FormOptions, inputForm } from '../form/input-form.ts';
import type { Value, Values } from '../form/values.ts';
import type { PlanItem } from './act.ts';
import { isDestructive } from './destructive.ts';

/** The plan, and the rest of the payload. */
export interface Planned {
  plan: PlanItem[];
  payload: unknown;
}

interface Common<Name extends MutationName> {
  /** On the button, if that is not what the mutation does: `Delete`. */
  label?: string;
  /** On the button that does it, if that is not the label with the object of the mutation: `Delete component`. */
  submit?: string;
  /** If it is not what the button says that does it. */
  title?: string;
  /** The effect of the action, where no plan shows it. */
  intro?: string;
  /** Unless the name of the mutation says it. */
  isDestructive?: boolean;
  mutation: Name;
  /**
   * Whether the plan of the mutation is shown: as a `step` before it is done, or `live`, below the form, which it follows.
   * That of a destructive action is, unless it has none.
   */
  plan?: 'step' | 'live';
  /** Work that comes first, such as creating an object that the input refers to. Not done for a plan. */
  prepare?(values: Values): Promise<Failure | undefined>;
  /** Called when it was done, with the payload of the mutation. */
  done?(payload: unknown): void;
  /** The page that is opened when it was done, with the payload of the mutation. */
  leadsTo?(payload: unknown): string | undefined;
  /** A summary of the values, such as their meaning in words. */
  summary?(values: Values): ReactNode;
  /** How a plan is shown, where its objects do not say all of it. */
  planned?(plan: Planned): ReactNode;
  /** What is shown when it was done, instead of `Done.` */
  result?(payload: unknown): ReactNode;
}

interface Asked<Input> {
  /** The fields, from the input type of the mutation with the differences. Can depend on the entered values, and change them. */
  form?: Form<Input> | ((values: Values, change: Change) => Form<Input>);
  /** The input that no field asks for: the object, and its revision. */
  target: Partial<Input>;
}
export interface Form<Input> extends FormOptions<keyof Input & string> {
  also?(values: Values, input: object): Partial<Input>;
}

/** An action that a person takes: what it asks for, what it would do, what it does. */
export type Action<Name extends MutationName> = Common<Name> & Asked<InputOf<Name>>;

export type Change = (name: string, value: Value) => void;

interface Untyped {
  mutation: string;
  form?: FormOptions | ((values: Values, change: Change) => FormOptions);
  target: object;
}

/** The fields of an action, and the input that is made of what was entered. */
export function formOf<Name extends MutationName>(action: Action<Name>, values: Values, change: Change) {
  // Of any mutation: the compiler does not know the input of a name that is not known yet.
  const { mutation, form, target } = action as unknown as Untyped;
  const type = `${mutation.slice(0, 1).toUpperCase()}${mutation.slice(1)}Input`;
  const made = inputForm(type, (typeof form === 'function' ? form(values, change) : form) ?? { first: [] });
  return { fields: made.fields, input: (entered: Values): object => ({ ...made.input(entered), ...target }) };
}

/** Whether the plan of an action is shown, and when. */
export const planOf = ({ mutation, form, plan, ...action }: Action<MutationName>) =>
  plan ??
  (isDestructive({ mutation, ...action }) && payloads[mutation]?.includes('plan')
    ? form
      ? 'live'
      : 'step'
    : undefined);
