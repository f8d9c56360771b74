import type { ReactNode } from 'react';

/** The value of a field: a text, whether a box is checked, or rows of a list. */
export type Value = string | boolean | readonly Values[];
export type Values = { readonly [name: string]: Value };

export interface Option {
  value: string;
  text: string;
  group?: string;
}

/** The properties of a control. It spreads `common` over the element that the label is for. */
export interface ControlProps {
  common: {
    id: string;
    name: string;
    required: boolean | undefined;
    'aria-invalid': boolean;
    'aria-describedby': string;
  };
  value: Value;
  change(value: Value): void;
}

export interface Field {
  name: string;
  label: string;
  /** The path in the input that errors of this field have: `domain`. The name by default. */
  path?: string;
  /** `file` is a text that is pasted, or read from a file that is dropped or chosen. It is not stored: it has secrets. */
  kind?:
    | 'text'
    | 'number'
    | 'password'
    | 'checkbox'
    | 'select'
    | 'area'
    | 'file'
    | 'lines'
    | 'rows'
    | 'choices';
  /** Of boxes, those with the same `group` are shown together. */
  options?: readonly Option[];
  /** A control of its own, instead of the one of its kind. */
  control?(props: ControlProps): ReactNode;
  value?: Value;
  hint?: string;
  /** Whether several files can be read, each of which is added to the text. */
  isMultiple?: boolean;
  /** Content below it, such as the result of a check of the value. */
  below?: ReactNode;
  placeholder?: string;
  required?: boolean;
  min?: number;
  max?: number;
  /** The title above this field and the ones after it with the same title. */
  group?: string;
  /** Whether it is folded away at first. */
  isMore?: boolean;
  /** The fields of each row. */
  fields?: readonly Field[];
  /** The button that adds a row: `Add port`. */
  add?: string;
  /** Whether the input has the empty string for a value that is left empty, as that of a required one has. */
  sendsEmpty?: boolean;
  /** Whether the input has null for a value that is removed. */
  isNullable?: boolean;
  /** Of a reference to an object: the field of it that has the value, such as `name`. */
  ref?: string;
  /** The type of its value in the input. */
  type?: 'string' | 'integer' | 'number' | 'boolean';
}

/** The values of fields in which nothing was entered. */
export const initialOf = (fields: readonly Field[]): Values =>
  Object.fromEntries(fields.map((field) => [field.name, field.value ?? emptyOf(field)]));

const emptyOf = ({ kind }: Field): Value =>
  kind === 'checkbox' ? false : kind === 'rows' || kind === 'choices' ? [] : '';

/** Values that are chosen of several. */
export const chosenOf = (value: Value | undefined): string[] =>
  Array.isArray(value) ? value.map((row) => String(row.value)) : [];
